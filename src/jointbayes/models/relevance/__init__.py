"""Every label by itself given the row, or given what is thought of the others and of neighbours."""
