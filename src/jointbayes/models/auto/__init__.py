"""The model that tries the others on inner folds, and keeps or pools what is best."""
