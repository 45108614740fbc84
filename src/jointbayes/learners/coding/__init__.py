"""Output coding: label vectors as codewords that rows predict, and the way back."""
