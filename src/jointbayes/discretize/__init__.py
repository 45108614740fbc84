"""Cut numbers into intervals: by class entropy, at quantiles, in equal widths, at the median."""

from jointbayes.discretize.transformers import MDL, Median, Quantile, Width

__all__ = ["MDL", "Median", "Quantile", "Width"]
