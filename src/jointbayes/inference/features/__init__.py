"""Networks of features under one class variable: scores of rows, missing features summed out."""
