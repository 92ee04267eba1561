"""Options of the connector ``filesystem``."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final, TypeVar

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.date_pattern import DatePattern, zone_of
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, bytes_of_memory, enum_member, millis_of_duration, text

__all__ = ["FILE_FORMAT", "PARTITION_DEFAULT_NAME", "PATH", "READING", "WRITING", "CommitTrigger"]

T = TypeVar("T")
_MB: Final = 1024 * 1024


class CommitTrigger(enum.Enum):
    """Trigger that commits a partition (``sink.partition-commit.trigger``)."""

    PROCESS_TIME = "process-time"
    PARTITION_TIME = "partition-time"


class CommitPolicy(enum.Enum):
    """Action that commits a partition."""

    SUCCESS_FILE = "success-file"
    METASTORE = "metastore"
    CUSTOM = "custom"


def _only(parse: Callable[[str], T], allowed: T, now: str) -> Callable[[str], T]:
    """Return a parser that only accepts ``allowed``."""

    def parsed(value: str) -> T:
        found = parse(value)
        if found != allowed:
            raise UnsupportedFeatureError(f"{value!r} is not supported here", now=now)
        return found

    return parsed


def _zone(value: str) -> str:
    zone_of(value)
    return value


def _date_pattern(value: str) -> str:
    return DatePattern(value).pattern


PATH: Final = Option[str | None](
    key="path", parse=text, default=None, doc="Directory of the files: a path or `file:` URL that all workers share."
)
FILE_FORMAT: Final = Option[str | None](
    key="format", parse=text, default=None, doc="Format of the files: `json`, `csv`, `parquet` or `raw`."
)
PARTITION_DEFAULT_NAME: Final = Option[str](
    key="partition.default-name",
    parse=text,
    default="__DEFAULT_PARTITION__",
    doc="Partition value in directory names that represents NULL and an empty string.",
)
MONITOR_INTERVAL: Final = Option[str | None](
    key="source.monitor-interval",
    parse=_only(text, "", "Leave it out: a table in files is bounded. Write unbounded data to a topic."),
    default=None,
    doc="Interval of looking for new files. Refused: a source of files is bounded.",
)
PATH_PATTERN: Final = Option[str | None](
    key="source.path.regex-pattern",
    parse=_only(text, "", "Name the directory that holds just the files to read; hidden ones are left out anyway."),
    default=None,
    doc="Regular expression for the files to read. Refused.",
)
REPORT_STATISTICS: Final = Option[str](
    key="source.report-statistics", parse=text, default="ALL", doc="Statistics for Flink's planner. No effect."
)
FILE_SIZE: Final = Option[int](
    key="sink.rolling-policy.file-size",
    parse=bytes_of_memory,
    default=128 * _MB,
    doc="Size, in bytes, above which a part file ends before its micro-batch does.",
)
ROLLOVER_INTERVAL: Final = Option[int](
    key="sink.rolling-policy.rollover-interval",
    parse=millis_of_duration,
    default=30 * 60_000,
    doc="Maximum time for which a part file is open. No effect: it ends with its micro-batch.",
)
INACTIVITY_INTERVAL: Final = Option[int](
    key="sink.rolling-policy.inactivity-interval",
    parse=millis_of_duration,
    default=30 * 60_000,
    doc=("Maximum time for which nothing is written to a part file. No effect: it ends with its micro-batch."),
)
CHECK_INTERVAL: Final = Option[int](
    key="sink.rolling-policy.check-interval",
    parse=millis_of_duration,
    default=60_000,
    doc="Interval of checking the other two intervals. No effect.",
)
SHUFFLE: Final = Option[bool](
    key="sink.shuffle-by-partition.enable",
    parse=boolean,
    default=False,
    doc="Whether one task writes all rows of a partition. No effect.",
)
COMMIT_TRIGGER: Final = Option[CommitTrigger](
    key="sink.partition-commit.trigger",
    parse=enum_member(CommitTrigger),
    default=CommitTrigger.PROCESS_TIME,
    doc=(
        "Time at which a partition is complete: `process-time`, with each micro-batch that writes to it, or a delay "
        "after its first row; `partition-time`, when the watermark has passed the time of the partition and the delay."
    ),
)
COMMIT_DELAY: Final = Option[int](
    key="sink.partition-commit.delay",
    parse=millis_of_duration,
    default=0,
    doc="Delay before a partition is complete, such as `1 h` for a partition of an hour, whose time is its begin.",
)
WATERMARK_ZONE: Final = Option[str](
    key="sink.partition-commit.watermark-time-zone",
    parse=_zone,
    default="UTC",
    doc=(
        "Time zone of the time of partitions: `UTC` if the watermark is that of a TIMESTAMP column, the session's if it "
        "is that of a TIMESTAMP_LTZ column."
    ),
)
TIME_EXTRACTOR: Final = Option[str](
    key="partition.time-extractor.kind",
    parse=_only(text, "default", "Leave it out, and write the time into the partition columns."),
    default="default",
    doc="Extractor of the time of a partition: `default`. `custom` is refused.",
)
TIME_PATTERN: Final = Option[str | None](
    key="partition.time-extractor.timestamp-pattern",
    parse=text,
    default=None,
    doc=(
        "Text with the time of a partition, in which `$name` is the value of a partition column, such as "
        "`$day $hour:00:00`. By default the value of the first column."
    ),
)
TIME_FORMATTER: Final = Option[str | None](
    key="partition.time-extractor.timestamp-formatter",
    parse=_date_pattern,
    default=None,
    doc=(
        "Pattern of that text, in Java's letters, such as `yyyyMMdd`. By default `yyyy-MM-dd HH:mm:ss`, or a date alone."
    ),
)
COMMIT_POLICY: Final = Option[CommitPolicy | None](
    key="sink.partition-commit.policy.kind",
    parse=_only(enum_member(CommitPolicy), CommitPolicy.SUCCESS_FILE, "Use 'success-file'."),
    default=None,
    doc=(
        "Action when a partition is complete: `success-file` adds an empty file. `metastore` and `custom` are refused."
    ),
)
SUCCESS_FILE: Final = Option[str](
    key="sink.partition-commit.success-file.name",
    parse=text,
    default="_SUCCESS",
    doc="Name of the file that `success-file` adds.",
)
AUTO_COMPACTION: Final = Option[bool](
    key="auto-compaction",
    parse=_only(boolean, False, "Leave it out: a longer checkpointing interval makes larger files."),
    default=False,
    doc="Whether small files are compacted. `true` is refused.",
)
READING: Final = (MONITOR_INTERVAL, PATH_PATTERN, REPORT_STATISTICS)
WRITING: Final = (
    FILE_SIZE,
    ROLLOVER_INTERVAL,
    INACTIVITY_INTERVAL,
    CHECK_INTERVAL,
    SHUFFLE,
    COMMIT_TRIGGER,
    COMMIT_DELAY,
    WATERMARK_ZONE,
    TIME_EXTRACTOR,
    TIME_PATTERN,
    TIME_FORMATTER,
    COMMIT_POLICY,
    SUCCESS_FILE,
    AUTO_COMPACTION,
)
