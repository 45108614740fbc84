# The compiled kernels have the types of their definitions.
from jointbayes._kernels.bridge import best_parents as best_parents
from jointbayes._kernels.counting import count_pairs as count_pairs
from jointbayes._kernels.counting import count_singles as count_singles
from jointbayes._kernels.parsing import parse_dense as parse_dense
from jointbayes._kernels.parsing import parse_sparse as parse_sparse
from jointbayes._kernels.parsing import parse_svmlight as parse_svmlight
