"""Logistic regressions of many targets on the same rows, solved as one batch."""
