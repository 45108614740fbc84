import numpy as np
import pytest

from jointbayes.errors import StructureError
from jointbayes.graph import Dag
from jointbayes.network import Network, families_of


def test_features_come_before_targets_and_parents_before_the_variable():
    dag = Dag(((), (0,), (0, 1, 3), (1,)))
    assert families_of(dag, n_targets=2) == ((0,), (0, 1), (3, 2, 0, 1), (3, 1))


def test_a_table_of_another_shape_is_refused():
    dag = Dag(((), (0,)))
    with pytest.raises(StructureError, match=r"variable 1 has the shape \(2, 3\).*needs \(3, 2\)"):
        Network(dag, (2, 3), (np.zeros(2), np.zeros((2, 3))))
