"""Which arcs: optimal trees and branchings of weight matrices."""

from jointbayes.structure.branching import maximum_branching
from jointbayes.structure.trees import maximum_spanning_tree, reroot

__all__ = ["maximum_branching", "maximum_spanning_tree", "reroot"]
