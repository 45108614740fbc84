"""Writing: how a file is written, as far as it does not say so itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jointbayes.datasets.local import DATES, DECIMALS
from jointbayes.errors import ParameterError
from jointbayes.table.wording import shown

__all__ = ["Writing"]


@dataclass(frozen=True)
class Writing:
    """The options of `load_dataset` that concern how text is written; all but one delimited text.

    >>> Writing(dates="ydm")
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: dates='ydm' is not known; choose one of auto, dmy, mdy, ymd,
    none
    """

    header: str | Sequence[str] = "auto"
    delimiter: str = "auto"
    decimal: str = "auto"
    dates: str = "auto"
    missing: Sequence[str] = ("?", "NA", "N/A", "NaN", "nan")
    encoding: str = "auto"

    def __post_init__(self) -> None:
        given = (("decimal", self.decimal, DECIMALS), ("dates", self.dates, DATES))
        for name, value, known in given:
            if value not in known:
                raise ParameterError(
                    f"{name}={shown(value)} is not known; choose one of {', '.join(known)}"
                )
