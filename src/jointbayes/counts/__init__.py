"""Counts: all that is ever learned from data. Counts of two data sets add.

`count` makes the table of any family of variables; `count_singles` and `count_pairs` make the two
tables the classifiers with one class variable live on, in one piece each; `pair_information` goes
on from pairs to what they tell about each other without keeping the counts.
"""

from jointbayes.counts.by_class import (
    PairCounts,
    SingleCounts,
    count_pairs,
    count_singles,
    count_singles_by_target,
    pair_information,
)
from jointbayes.counts.families import Counts, Family, count

__all__ = [
    "Counts",
    "Family",
    "PairCounts",
    "SingleCounts",
    "count",
    "count_pairs",
    "count_singles",
    "count_singles_by_target",
    "pair_information",
]
