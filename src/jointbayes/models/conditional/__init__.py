"""Labels given the row and other labels: a tree of them (Batal 2013), chains, and many chains."""
