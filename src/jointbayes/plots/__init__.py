"""Plots: what is drawn as data first, then as SVG (`as_svg`) or with matplotlib (`draw`)."""

from jointbayes.plots.bars import Bar, bars
from jointbayes.plots.canvas import draw
from jointbayes.plots.drawing import Drawing, as_svg
from jointbayes.plots.label_graph import factor_graph, label_graph
from jointbayes.plots.label_tree import label_tree
from jointbayes.plots.marks import PALETTE
from jointbayes.plots.planes import (
    agreement,
    coverage_curves,
    learning_curves,
    reliability_curves,
    scatter,
    size_curves,
    time_against_score,
)
from jointbayes.plots.ranks import rank_diagram

__all__ = [
    "PALETTE",
    "Bar",
    "Drawing",
    "agreement",
    "as_svg",
    "bars",
    "coverage_curves",
    "draw",
    "factor_graph",
    "label_graph",
    "label_tree",
    "learning_curves",
    "rank_diagram",
    "reliability_curves",
    "scatter",
    "size_curves",
    "time_against_score",
]
