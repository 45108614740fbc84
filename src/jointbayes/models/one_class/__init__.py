"""Networks of features under one class variable (Sun 2017): counts become structure and tables."""
