"""Which arcs: optimal trees, branchings, class graphs and parent sets."""

from jointbayes.structure.branching import maximum_branching
from jointbayes.structure.class_graphs import (
    ClassGraph,
    forest_augmented,
    forest_by_root,
    naive_by_root,
    naive_classes,
)
from jointbayes.structure.drawn_branchings import draw_branchings
from jointbayes.structure.parent_sets import Bridge, best_parent_sets, learn_bridge
from jointbayes.structure.trees import maximum_spanning_tree, reroot

__all__ = [
    "Bridge",
    "ClassGraph",
    "best_parent_sets",
    "draw_branchings",
    "forest_augmented",
    "forest_by_root",
    "learn_bridge",
    "maximum_branching",
    "maximum_spanning_tree",
    "naive_by_root",
    "naive_classes",
    "reroot",
]
