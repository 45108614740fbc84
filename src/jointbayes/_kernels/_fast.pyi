# The compiled kernels have the types of their definitions.
from jointbayes._kernels.averaging import parent_joints as parent_joints
from jointbayes._kernels.bridge import best_parents as best_parents
from jointbayes._kernels.counting import count_families as count_families
from jointbayes._kernels.counting import count_pairs as count_pairs
from jointbayes._kernels.counting import count_singles as count_singles
from jointbayes._kernels.counting import pair_information as pair_information
from jointbayes._kernels.counting import to_columns as to_columns
from jointbayes._kernels.cuts import digitize as digitize
from jointbayes._kernels.cuts import histogram as histogram
from jointbayes._kernels.cuts import mdl_cuts as mdl_cuts
from jointbayes._kernels.pairs import parse_sparse as parse_sparse
from jointbayes._kernels.pairs import parse_svmlight as parse_svmlight
from jointbayes._kernels.parsing import parse_dense as parse_dense
from jointbayes._kernels.permutations import permute_columns as permute_columns
from jointbayes._kernels.trees import expert_log_likelihood as expert_log_likelihood
from jointbayes._kernels.trees import expert_trees as expert_trees
from jointbayes._kernels.trees import local_parents as local_parents
