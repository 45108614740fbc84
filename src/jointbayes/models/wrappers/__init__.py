"""Estimators around an estimator: its posterior calibrated, constrained, or with a guarantee."""
