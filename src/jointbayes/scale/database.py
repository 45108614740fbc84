"""Database: rows that stay where they are, and are asked by SQL.

A relation of DuckDB or a table of Ibis, which may be a query of its own, is named in the SQL that
is put to it; what comes back are groups with their counts, as Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jointbayes.errors import CostError, ParameterError
from jointbayes.scale.batch import Part, column_names
from jointbayes.table.wording import shown

__all__ = ["Database", "database_of", "number", "quoted", "value_of"]

ROWS = "jointbayes_rows"
"""What the rows are called in SQL."""

COUNT = "jointbayes_n"
"""What the number of rows of a group is called."""


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

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(map(str, column_names(self.table) if self.engine == "duckdb" else self._names))

    @property
    def _names(self) -> Sequence[Any]:
        return list(self.table.schema().names)

    def ask(self, sql: str) -> Any:
        """Return the answer to a query as an Arrow table."""
        if self.engine == "ibis":
            return self.table.alias(ROWS).sql(sql, dialect="duckdb").to_pyarrow()
        answer = self.table.query(ROWS, sql)
        return answer.to_arrow_table() if hasattr(answer, "to_arrow_table") else answer.arrow()

    def groups(self, columns: Sequence[str], most: int, sums: Sequence[str] = ()) -> Any:
        """Return the groups of rows that agree in some columns, and how many rows each has.

        Parameters
        ----------
        columns
            SQL of what they agree in; the groups have it as their first columns.
        most
            How many groups there may be; more are refused.
        sums
            SQL of what else is to be known of each group.
        """
        wanted = ", ".join([*columns, *sums, f"count(*) AS {COUNT}"])
        by = ", ".join(str(i + 1) for i in range(len(columns)))
        sql = f"SELECT {wanted} FROM {ROWS} GROUP BY {by} LIMIT {most + 1}"
        found = self.ask(sql)
        if found.num_rows > most:
            what = shown(found.schema.names[len(columns) - 1])
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
    if engine == "ibis" and hasattr(source, "alias"):
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
