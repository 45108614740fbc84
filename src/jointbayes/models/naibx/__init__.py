"""NaiBX (Mossina 2017): the size of the label set, then label after label, from six tables."""
