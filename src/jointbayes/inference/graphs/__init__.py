"""Factor graphs over class variables: elimination by a plan, search with proof, beliefs, counts."""
