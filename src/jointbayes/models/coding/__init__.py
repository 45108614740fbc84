"""Label vectors as codewords: rows predict the codeword, and the nearest label vector answers."""
