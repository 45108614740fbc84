"""Database: rows that stay where they are, and are asked by SQL.

A relation of DuckDB or a table of Ibis, which may be a query of its own, is named in the SQL that
is put to it; what comes back are groups with their counts, as Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jointbayes.errors import CostError, ParameterError, require
from jointbayes.scale.batch import Part
from jointbayes.table.wording import shown

__all__ = ["Database", "database_of", "number", "quoted", "value_of"]

ROWS = "jointbayes_rows"
"""What the rows are called in SQL."""

COUNT = "jointbayes_n"
"""What the number of rows of a group is called."""

SUM = "jointbayes_sum_{}"
"""What other numbers of a group are called."""


@dataclass(frozen=True, eq=False)
class Database:
    """Rows in a database.

    Parameters
    ----------
    table
        A relation of DuckDB or a table of Ibis.
    engine
        ``"duckdb"`` or ``"ibis"``.
    """

    table: Any
    engine: str

    @cached_property
    def types(self) -> Any:
        """The names of the columns and their types, as Arrow's."""
        if self.engine == "ibis":
            return self.table.schema().to_pyarrow()
        return self._relation(f"SELECT * FROM {ROWS} LIMIT 0").schema

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.types.names)

    def ask(self, sql: str, answer: Mapping[str, str | None]) -> Any:
        """Return the answer to a query as an Arrow table.

        Parameters
        ----------
        sql
            A SELECT from `ROWS`.
        answer
            The columns of the answer, and their types; None: that of the column here.
        """
        if self.engine != "ibis":
            return self._relation(sql)
        own = self.table.schema()
        schema = {name: kind or own[name] for name, kind in answer.items()}
        whole = f"WITH {ROWS} AS ({self._written}) {sql}"
        return self.table.get_backend().sql(whole, schema=schema).to_pyarrow()

    def _relation(self, sql: str) -> Any:
        return self.table.query(ROWS, sql).to_arrow_table()

    @cached_property
    def _written(self) -> str:
        """The table of Ibis in the SQL of its engine."""
        ibis = require("ibis", extra="scale", purpose="tables of Ibis")
        return str(ibis.to_sql(self.table))

    def groups(
        self, columns: Mapping[str, str | None], most: int, sums: Mapping[str, str] | None = None
    ) -> Any:
        """Return the groups of rows that agree in some columns, and how many rows each has.

        Parameters
        ----------
        columns
            What they agree in: a column by its name, or SQL of a whole number of that name.
        most
            How many groups there may be; more are refused.
        sums
            SQL of numbers that are to be known of each group, by name.
        """
        more = {} if sums is None else sums
        written = [
            quoted(name) if sql is None else f"{sql} AS {quoted(name)}"
            for name, sql in columns.items()
        ]
        written += [f"{sql} AS {name}" for name, sql in more.items()]
        by = ", ".join(str(i + 1) for i in range(len(columns)))
        found = self.ask(
            f"SELECT {', '.join(written)}, count(*) AS {COUNT} FROM {ROWS} "
            f"GROUP BY {by} LIMIT {most + 1}",
            {
                **{name: sql and "int64" for name, sql in columns.items()},
                **dict.fromkeys(more, "float64"),
                COUNT: "int64",
            },
        )
        if found.num_rows > most:
            what = shown(list(columns)[-1])
            raise CostError(
                f"{what} has more than {most:,} groups of rows, too many to leave the database; "
                "leave it out or round it in the query, or raise max_cells="
            )
        return found

    def part(self, found: Any) -> Part:
        """Return groups as rows."""
        return Part(found, "the database")


def database_of(source: Any) -> Database:
    """Return the database that a source is; refuse what is not one.

    >>> database_of([1])
    Traceback (most recent call last):
    ...
    jointbayes.errors.ParameterError: count='in_database' is for relations of DuckDB and tables of \
Ibis; source is of type list, so leave count as it is
    """
    engine = type(source).__module__.partition(".")[0].lstrip("_")
    if engine == "duckdb" and hasattr(source, "query"):
        return Database(source, "duckdb")
    if engine == "ibis" and hasattr(source, "get_backend"):
        return Database(source, "ibis")
    raise ParameterError(
        "count='in_database' is for relations of DuckDB and tables of Ibis; source is of type "
        f"{type(source).__name__}, so leave count as it is"
    )


def quoted(name: str) -> str:
    """Return a name of a column as SQL has it.

    >>> quoted("wind"), len(quoted('5" pipe'))
    ('"wind"', 10)
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def number(value: float) -> str:
    """Return a number as SQL that reads it to the last bit.

    >>> number(0.1)
    "CAST('0.1' AS DOUBLE)"
    """
    return f"CAST('{float(value)!r}' AS DOUBLE)"


def value_of(name: str) -> str:
    """Return SQL of the numbers of a column, null where there is none.

    >>> print(value_of("wind"))
    NULLIF(CAST("wind" AS DOUBLE), CAST('nan' AS DOUBLE))
    """
    return f"NULLIF(CAST({quoted(name)} AS DOUBLE), {number(float('nan'))})"
