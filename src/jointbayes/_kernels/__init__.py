"""The hot loops: compiled where the extension is there, else their numpy definitions.

Every kernel has a definition in Python beside its C++ file, with the same name, signature and
answer. ``JOINTBAYES_KERNELS=reference`` chooses the definitions. Results do not depend on
it, nor on the number of threads.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

__all__ = [
    "COMPILED",
    "add_leaves",
    "add_terms",
    "best_parents",
    "best_vectors",
    "chain_all",
    "chain_best",
    "chain_log_prob",
    "chain_sums",
    "chain_walk",
    "count_families",
    "count_pairs",
    "count_singles",
    "digitize",
    "eliminate_maxima",
    "expert_log_likelihood",
    "expert_trees",
    "forest_votes",
    "grow_forest",
    "grow_joint_forest",
    "histogram",
    "joint_forest_leaves",
    "local_parents",
    "mdl_cuts",
    "nearest_by_products",
    "nearest_rows",
    "pair_information",
    "parent_joints",
    "parse_dense",
    "parse_sparse",
    "parse_svmlight",
    "permute_columns",
    "settled_beliefs",
    "sum_orders_by_label",
    "sum_orders_of_all_sets",
    "sum_orders_of_best_set",
    "sum_orders_of_sets",
    "to_columns",
    "tree_log_likelihood",
]

COMPILED = (
    os.environ.get("JOINTBAYES_KERNELS") != "reference"
    and find_spec(f"{__name__}._fast") is not None
)

if COMPILED:
    from jointbayes._kernels._fast import (
        add_leaves,
        add_terms,
        best_parents,
        best_vectors,
        chain_all,
        chain_best,
        chain_log_prob,
        chain_sums,
        chain_walk,
        count_families,
        count_pairs,
        count_singles,
        digitize,
        eliminate_maxima,
        expert_log_likelihood,
        expert_trees,
        forest_votes,
        grow_forest,
        grow_joint_forest,
        histogram,
        joint_forest_leaves,
        local_parents,
        mdl_cuts,
        nearest_by_products,
        nearest_rows,
        pair_information,
        parent_joints,
        parse_dense,
        parse_sparse,
        parse_svmlight,
        permute_columns,
        settled_beliefs,
        sum_orders_by_label,
        sum_orders_of_all_sets,
        sum_orders_of_best_set,
        sum_orders_of_sets,
        to_columns,
        tree_log_likelihood,
    )
else:
    from jointbayes._kernels.averaging import parent_joints
    from jointbayes._kernels.beliefs import settled_beliefs
    from jointbayes._kernels.bridge import best_parents
    from jointbayes._kernels.chains import (
        chain_all,
        chain_best,
        chain_log_prob,
        chain_sums,
        chain_walk,
    )
    from jointbayes._kernels.counting import count_pairs, count_singles
    from jointbayes._kernels.cuts import digitize, mdl_cuts
    from jointbayes._kernels.families import count_families
    from jointbayes._kernels.forest import forest_votes, grow_forest
    from jointbayes._kernels.gathering import add_terms
    from jointbayes._kernels.histograms import histogram
    from jointbayes._kernels.information import pair_information
    from jointbayes._kernels.joint_forest import (
        add_leaves,
        grow_joint_forest,
        joint_forest_leaves,
    )
    from jointbayes._kernels.maxima import eliminate_maxima
    from jointbayes._kernels.nearest import nearest_by_products, nearest_rows
    from jointbayes._kernels.orders import (
        sum_orders_by_label,
        sum_orders_of_all_sets,
        sum_orders_of_best_set,
        sum_orders_of_sets,
    )
    from jointbayes._kernels.parsing import parse_dense
    from jointbayes._kernels.permutations import permute_columns
    from jointbayes._kernels.solver import best_vectors
    from jointbayes._kernels.sparse_rows import parse_sparse, parse_svmlight
    from jointbayes._kernels.transposing import to_columns
    from jointbayes._kernels.trees import (
        expert_log_likelihood,
        expert_trees,
        local_parents,
        tree_log_likelihood,
    )
