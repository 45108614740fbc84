"""Any engine, any size: models of rows that do not fit in memory, or lie on many machines.

Counts add, so whoever has the rows counts them: this process, part by part, or Dask and Spark where
their rows are. `fit` gives the model of all rows at once, `predict` answers part by part, and
`describe` says what the rows hold.
"""

from jointbayes.scale.answering import predict
from jointbayes.scale.describing import describe
from jointbayes.scale.learning import fit

__all__ = ["describe", "fit", "predict"]
