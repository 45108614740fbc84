# The compiled kernels have the types of their definitions.
from jointbayes._kernels.bridge import best_parents as best_parents
from jointbayes._kernels.counting import count_pairs as count_pairs
from jointbayes._kernels.counting import count_singles as count_singles
