"""Data sets from files: ARFF, CSV, TSV, Parquet, svmlight, plain or packed."""

from jointbayes.datasets.dataset import Dataset
from jointbayes.datasets.load import load_dataset

__all__ = ["Dataset", "load_dataset"]
