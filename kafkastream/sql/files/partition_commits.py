"""The time at which a partition of a table in files is committed, by the watermark or by the clock."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.date_pattern import DatePattern, zone_of

__all__ = ["PartitionCommit", "PartitionTime"]

_DATE: Final = r"(\d{1,10})-(\d{1,2})-(\d{1,2})"
_DEFAULT: Final = re.compile(rf"{_DATE}(?: (\d{{1,2}}):(\d{{1,2}}):(\d{{1,2}})(\.\d{{1,9}})?)?", re.ASCII)
_MONTHS: Final = 12
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


@final
@attrs.frozen(kw_only=True)
class PartitionTime:
    """Extractor of the time of a partition from its values (Flink's ``DefaultPartTimeExtractor``).

    Args:
        columns: Names of the partition columns.
        pattern: Text of a time in which ``$name`` is the value of a column; None for the value of the first column.
        formatter: Pattern of that text; None for Flink's ``yyyy-MM-dd HH:mm:ss``, whose time of day may be missing.
        zone: Time zone of the time, as in Java.
        default_name: Value that represents NULL and an empty text.

    Example:
        >>> time = PartitionTime(columns=("dt", "hm"), pattern="$dt $hm:00")
        >>> time.of(("1970-01-01", "00:01"))
        60000
    """

    columns: tuple[str, ...]
    pattern: str | None = None
    formatter: str | None = None
    zone: str = "UTC"
    default_name: str = "__DEFAULT_PARTITION__"

    @property
    def read(self) -> tuple[str, ...]:
        """Return the columns whose values are read."""
        if self.pattern is None:
            return self.columns[:1]
        return tuple(name for name in self.columns if f"${name}" in self.pattern)

    def of(self, values: Sequence[Any]) -> int:
        """Return the time of a partition, in ms since 1970.

        Args:
            values: Values of the partition columns.

        Raises:
            DefinitionError: The values are not a time.
        """
        texts = [("" if value is None else str(value)) or self.default_name for value in values]
        text = f"${self.columns[0]}" if self.pattern is None else self.pattern
        for name, value in zip(self.columns, texts, strict=True):
            text = text.replace(f"${name}", value)
        try:
            local = _default_time(text) if self.formatter is None else DatePattern(self.formatter).parse(text)
            return (local.replace(tzinfo=zone_of(self.zone)) - _EPOCH) // datetime.timedelta(milliseconds=1)
        except (ValueError, OverflowError) as error:
            raise DefinitionError(
                f"the time of partition {'/'.join(map('='.join, zip(self.columns, texts, strict=True)))} cannot be "
                f"read from {text!r}: {error}",
                now="Give 'partition.time-extractor.timestamp-pattern' so that it makes a text such as "
                "2026-03-01 10:00:00, or the pattern of the text in 'partition.time-extractor.timestamp-formatter'.",
            ) from None


def _default_time(text: str) -> datetime.datetime:
    """Read a date with or without a time of day; numbers that are too large carry over, as in Java's lenient mode."""
    found = _DEFAULT.fullmatch(text)
    if found is None:
        raise ValueError("it is neither a date, yyyy-MM-dd, nor a time, yyyy-MM-dd HH:mm:ss")
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    years, months = divmod(month - 1, _MONTHS)
    first = datetime.datetime(year + years, months + 1, 1)  # noqa: DTZ001 - a wall clock
    micros = int((found[7] or ".0")[1:7].ljust(6, "0"))
    return first + datetime.timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second, microseconds=micros)


@final
@attrs.frozen(kw_only=True)
class PartitionCommit:
    """Moment at which partitions are committed, and operation that waits for it.

    Args:
        delay_ms: Delay after the time of a partition, or after its first row, in ms.
        time: Extractor of the time that the watermark must pass; None to wait for the clock.
    """

    delay_ms: int
    time: PartitionTime | None
