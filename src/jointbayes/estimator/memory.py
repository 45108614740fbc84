"""Memory: a request that it cannot hold is refused with a sentence, whoever noticed."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from jointbayes.budgets import physical_memory
from jointbayes.errors import CostError

__all__ = ["Memory"]


class Memory:
    """While it is entered, a MemoryError says who asked for what, and how much there is.

    >>> from jointbayes import TAN
    >>> with Memory(TAN(), "fit", [[1, 2]]):
    ...     raise MemoryError("Unable to allocate 9 GiB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    jointbayes.errors.CostError: TAN.fit of 1 row needs more memory than the ... GiB that there \
    are (Unable to allocate 9 GiB); give fewer rows at a time, fewer columns, or fewer values
    """

    def __init__(self, model: Any, verb: str, X: Any) -> None:
        self.model, self.verb, self.X = model, verb, X

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None or not issubclass(kind, MemoryError):
            return
        reason = str(error)
        told = f" ({reason})" if "allocate" in reason else ""  # kernels do not know how much
        raise CostError(
            f"{type(self.model).__name__}.{self.verb} of {_size(self.X)} needs more memory than "
            f"the {physical_memory() / 2**30:,.1f} GiB that there are{told}; give fewer rows at a "
            "time, fewer columns, or fewer values"
        ) from error


def _size(X: Any) -> str:
    shape: Any = getattr(X, "shape", None) or (len(X) if hasattr(X, "__len__") else 0,)
    rows = f"{shape[0]:,} row{'' if shape[0] == 1 else 's'}"
    return f"{rows} × {shape[1]:,} columns" if len(shape) > 1 else rows
