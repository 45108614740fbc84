"""How far a model is to be trusted: what it says of rows that it has not seen."""
