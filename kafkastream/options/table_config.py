"""SQL options: Flink's keys for the execution of queries and for its SQL client."""

from __future__ import annotations

from typing import Any, Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, choice, millis_of_duration, text

__all__ = [
    "DML_SYNC",
    "IDLE_TIMEOUT",
    "LOCAL_TIME_ZONE",
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
    doc="The time zone of TIMESTAMP_LTZ as text and as wall-clock time, such as `Europe/Berlin`; the machine's if `default`.",
)
STATE_TTL: Final = Option[int](
    key="table.exec.state.ttl",
    parse=millis_of_duration,
    default=0,
    doc="After how long without a change a key's state may be forgotten; never, if 0.",
)
IDLE_TIMEOUT: Final = Option[int](
    key="table.exec.source.idle-timeout",
    parse=millis_of_duration,
    default=0,
    doc="After how long without a record a partition holds back no watermark; never, if 0.",
)
NOT_NULL_ENFORCER: Final = Option[str](
    key="table.exec.sink.not-null-enforcer",
    parse=choice("ERROR", "DROP"),
    default="ERROR",
    doc="What NULL in a NOT NULL column of a sink does: `ERROR` fails the job, `DROP` leaves the row out.",
)
TYPE_LENGTH_ENFORCER: Final = Option[str](
    key="table.exec.sink.type-length-enforcer",
    parse=choice("IGNORE"),
    default="IGNORE",
    doc="What a text longer than its column does: it is written as it is.",
)
DML_SYNC: Final = Option[bool](
    key="table.dml-sync",
    parse=boolean,
    default=False,
    doc="Whether INSERT waits for its job's end.",
)
RESULT_MODE: Final = Option[str](
    key="sql-client.execution.result-mode",
    parse=choice("TABLE", "CHANGELOG", "TABLEAU"),
    default="TABLEAU",
    doc="How the SQL client shows rows. No effect: always as a table with a column for the kind of each row.",
)
TABLE_OPTIONS: Final[tuple[Option[Any], ...]] = (
    LOCAL_TIME_ZONE,
    STATE_TTL,
    IDLE_TIMEOUT,
    NOT_NULL_ENFORCER,
    TYPE_LENGTH_ENFORCER,
    DML_SYNC,
    RESULT_MODE,
)
"""All of them."""
