"""Forests whose trees are grown for all labels together."""
