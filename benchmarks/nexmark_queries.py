"""The statements of ``nexmark.sql``, for kafkastream and for PyFlink.

Only the standard library is imported here, since PyFlink's Python runs it, too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["STATEMENTS", "Query", "count_char", "events_table", "files_table", "queries", "side_input_table", "views"]

STATEMENTS = tuple(
    statement.strip()
    for statement in re.sub(r"^--.*\n", "", Path(__file__).with_name("nexmark.sql").read_text(), flags=re.M).split(
        ";\n"
    )
    if statement.strip()
)
_SINK = re.compile(r"CREATE TABLE nexmark_(q\d+) \((.*?)\n\) ", re.DOTALL)
_INSERT = "INSERT INTO nexmark_{}\n"


class Query(NamedTuple):
    """A query of the benchmark.

    Attributes:
        name: Its name, such as ``q0``.
        columns: Columns of its sink.
        select: Text of the query.
    """

    name: str
    columns: str
    select: str

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(re.split(r", (?!\d)", self.columns))


def events_table(options: str, name: str = "events") -> str:
    """Return the statement that declares the events.

    Args:
        options: Content of WITH.
        name: Name of the table.
    """
    declared = next(one for one in STATEMENTS if one.startswith("CREATE TABLE events"))
    columns = declared.removeprefix("CREATE TABLE events").rpartition(") WITH (")[0]
    return f"CREATE TABLE {name}{columns}) WITH ({options})"


def side_input_table(path: str) -> str:
    """Return the statement that declares the side input of q13, a file of keys and values."""
    return (
        "CREATE TABLE side_input (key BIGINT, `value` STRING) "
        f"WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')"
    )


def files_table(path: str) -> str:
    """Return the statement that declares the files of q10, ``nexmark_q10``, in a directory."""
    return next(one for one in STATEMENTS if one.startswith("CREATE TABLE nexmark_q10")).replace("${path}", path)


def views() -> tuple[str, ...]:
    """Return the statements that create views."""
    return tuple(one for one in STATEMENTS if one.startswith("CREATE VIEW"))


def queries() -> tuple[Query, ...]:
    """Return the queries in their order."""
    sinks = [found.groups() for one in STATEMENTS if (found := _SINK.match(one))]
    return tuple(Query(name, " ".join(columns.split()), _select(name)) for name, columns in sinks)


def count_char(text: str, char: str) -> int:
    """Count a character, as the function of q14 does."""
    return text.count(char)


def _select(name: str) -> str:
    insert = _INSERT.format(name)
    return next(one for one in STATEMENTS if one.startswith(insert)).removeprefix(insert)
