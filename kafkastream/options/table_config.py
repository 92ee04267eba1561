"""SQL options: Flink's keys for the execution of queries and for its SQL client."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, choice, millis_of_duration, positive, text

__all__ = [
    "DML_SYNC",
    "IDLE_TIMEOUT",
    "LOCAL_TIME_ZONE",
    "MOST_RESULT_ROWS",
    "NOT_NULL_ENFORCER",
    "RESULT_MODE",
    "STATE_TTL",
    "TABLE_OPTIONS",
    "TYPE_LENGTH_ENFORCER",
]

LOCAL_TIME_ZONE: Final = Option[str](
    key="table.local-time-zone",
    parse=text,
    default="default",
    doc="Session time zone, in which TIMESTAMP_LTZ is converted to text and local time, such as `Europe/Berlin`; "
    "`default` is the machine's.",
)
STATE_TTL: Final = Option[int](
    key="table.exec.state.ttl",
    parse=millis_of_duration,
    default=0,
    doc="Time after which unchanged state of a key may be dropped; 0 for never.",
)
IDLE_TIMEOUT: Final = Option[int](
    key="table.exec.source.idle-timeout",
    parse=millis_of_duration,
    default=0,
    doc="Time without records after which a partition is idle and no longer holds back the watermark; 0 for never.",
)
NOT_NULL_ENFORCER: Final = Option[str](
    key="table.exec.sink.not-null-enforcer",
    parse=choice("ERROR", "DROP"),
    default="ERROR",
    doc="Handling of NULL in a sink's NOT NULL column: `ERROR` fails the job, `DROP` drops the row.",
)
TYPE_LENGTH_ENFORCER: Final = Option[str](
    key="table.exec.sink.type-length-enforcer",
    parse=choice("IGNORE"),
    default="IGNORE",
    doc="Handling of text longer than a sink's column: `IGNORE` writes it unchanged.",
)
DML_SYNC: Final = Option[bool](
    key="table.dml-sync",
    parse=boolean,
    default=False,
    doc="Whether INSERT waits for the end of its job.",
)
RESULT_MODE: Final = Option[str](
    key="sql-client.execution.result-mode",
    parse=choice("TABLE", "CHANGELOG", "TABLEAU"),
    default="TABLE",
    doc="How the shell of `kafkastream sql` shows the rows of queries: `TABLE` as a table that changes in place, "
    "`CHANGELOG` and `TABLEAU` every change as a line. Without a terminal, every change is a line.",
)
MOST_RESULT_ROWS: Final = Option[int](
    key="sql-client.execution.max-table-result.rows",
    parse=positive,
    default=1_000_000,
    doc="Maximum number of rows that the shell keeps of a query in the result mode `TABLE`; the oldest are dropped.",
)
TABLE_OPTIONS: Final[tuple[Option[Any], ...]] = (
    LOCAL_TIME_ZONE,
    STATE_TTL,
    IDLE_TIMEOUT,
    NOT_NULL_ENFORCER,
    TYPE_LENGTH_ENFORCER,
    DML_SYNC,
    RESULT_MODE,
    MOST_RESULT_ROWS,
)
"""All options of SQL."""
