"""Text forms of dates and times in Flink's formats."""

from __future__ import annotations

import datetime
import re
from typing import Final

from kafkastream.sql.types import DataType, Kind

__all__ = ["CLOCK", "DAY", "clock", "time_type"]

DAY: Final = r"\d{4}-\d\d-\d\d"
CLOCK: Final = r"\d\d:\d\d:\d\d(\.\d{1,9})?"
_SHORT_CLOCK: Final = r"\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
_MILLIS: Final = 3
_DAY_LENGTH: Final = len("2024-05-01")


def clock(separator: str) -> str:
    """Return the regular expression of a timestamp's time; by ISO 8601, after ``T``, seconds are optional."""
    return _SHORT_CLOCK if separator == "T" else CLOCK


def time_type(text: str, separator: str) -> DataType | None:
    """Return the type as which formats read a text; None if it is neither a date nor a timestamp.

    A timestamp has at least milliseconds, as event time has, and more digits if the text has.

    Args:
        text: The text.
        separator: Character between date and time.

    Example:
        >>> str(time_type("2024-05-01 12:30:00Z", " ")), str(time_type("2024-05-01T12:30", "T"))
        ('TIMESTAMP_LTZ(3)', 'TIMESTAMP(3)')
    """
    found = re.fullmatch(rf"{DAY}({separator}{clock(separator)}(?P<zone>Z?))?", text, re.ASCII)
    if found is None or not _is_real(text):
        return None
    if len(text) == _DAY_LENGTH:
        return DataType.of(Kind.DATE)
    digits = len(text.removesuffix("Z").partition(".")[2])
    return DataType.of(Kind.TIMESTAMP_LTZ if found["zone"] else Kind.TIMESTAMP, max(_MILLIS, digits))


def _is_real(text: str) -> bool:
    """Return whether the date and time of a text exist."""
    try:
        year, month, day, *time = map(int, re.findall(r"\d+", text.partition(".")[0]))
        hour, minute, second = (*time, 0, 0, 0)[:3]
        datetime.datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - only looked at
    except ValueError:
        return False
    return True
