"""Families of calls and values, for both engines: nothing here imports Flink, Spark or kafkastream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["NO_ROW", "ZONE", "Family", "expressions", "family"]

ZONE = "Europe/Berlin"
"""Time zone of the session, which has DST."""

NO_ROW = "no row"
"""Value of an aggregate of a group whose rows have all gone."""


@dataclass(frozen=True)
class Family:
    """Expressions over the columns of a table.

    Args:
        name: Name of the table.
        columns: Name and type of each column.
        rows: Values as Flink's JSON format reads them.
        expressions: Expressions; each makes a cell with each row.
        by: Column by which aggregates are grouped; empty for calls of functions.
        source: What aggregates are computed of, with ``{table}``: the table, or a query whose rows change.
        time: Column with the event time by which rows are in windows; empty without windows.
        parallelism: Number of subtasks here; the record of Flink is made with one.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    expressions: tuple[str, ...]
    by: str = ""
    source: str = "{table}"
    time: str = ""
    parallelism: str = "2"

    @property
    def declared(self) -> str:
        """The columns in CREATE TABLE."""
        watermark = f", WATERMARK FOR `{self.time}` AS `{self.time}`" if self.time else ""
        return ", ".join(f"`{name}` {kind}" for name, kind in self.columns) + watermark

    @property
    def groups(self) -> tuple[Any, ...]:
        """Values of the column for groups, in the order of their first rows."""
        at = [name for name, _ in self.columns].index(self.by)
        return tuple(dict.fromkeys(row[at] for row in self.rows))

    def query(self, *selected: str, group: str | None = None) -> str:
        """A query of aggregates, behind the column of the group; of all groups, or of one."""
        source = self.source.format(table=f"`{self.name}`")
        where = "" if group is None else f" WHERE {self.by} = '{group}'"
        windows = ", window_start, window_end" if self.time else ""
        return f"SELECT {', '.join((self.by, *selected))} FROM {source} AS t{where} GROUP BY {self.by}{windows}"

    @property
    def results(self) -> int:
        """Number of values that each expression has."""
        return len(self.groups if self.by else self.rows)


def expressions(text: str) -> tuple[str, ...]:
    """The lines of a text, each an expression."""
    return tuple(dict.fromkeys(line for line in text.strip().splitlines() if line))


def family(name: str, columns: str, rows: Sequence[Sequence[Any]], *calls: str, by: str = "", **more: str) -> Family:
    """A family with columns ``name TYPE; name TYPE``, and the lines of ``calls``."""
    named = tuple((one.split(" ", 1)[0], one.split(" ", 1)[1]) for one in columns.split("; "))
    assert all(len(row) == len(named) for row in rows), name
    return Family(name, named, tuple(map(tuple, rows)), expressions("\n".join(calls)), by, **more)
