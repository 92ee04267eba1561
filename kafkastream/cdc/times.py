"""Normalization of dates and times in rows: one text form for each type."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Final, final
from zoneinfo import ZoneInfo

import attrs

from kafkastream.cdc.errors import MisfitError
from kafkastream.sql.types import DataType, Kind

__all__ = ["TimeCheck", "time_check"]

_LEAP_YEAR: Final = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAY: Final = (
    r"(?!0000)(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    rf"|02-(?:0[1-9]|1\d|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
"""Pattern of existing days; several times faster than parsing."""
_MINUTES: Final = r"(?:[01]\d|2[0-3]):[0-5]\d"
_DAY_LENGTH: Final = len("2024-05-01")
_NO_SECONDS_LENGTH: Final = len("2024-05-01T12:30")


@final
@attrs.frozen
class TimeCheck:
    """Converts a text to the text form of a temporal type; raises ``MisfitError`` if the type cannot hold it.

    Args:
        type: Temporal type.
        is_usual: Matches texts that have the form already.
        completed: Converts texts of other forms; None for those that the type cannot hold.
    """

    type: DataType
    is_usual: Callable[[str], re.Match[str] | None]
    completed: Callable[[str], str | None]

    def __call__(self, text: str) -> str:
        """Return the text in the form of the type."""
        found = text if self.is_usual(text) is not None else self.completed(text)
        if found is None:
            raise MisfitError(f"{text[:100]!r} is not of type {self.type}")
        return found


def time_check(type_: DataType, time_zone: str = "UTC") -> TimeCheck:
    """Return the function that converts texts to the text form of a temporal type.

    Texts of other forms, days that do not exist, and more fractional digits than the precision are misfits.

    Args:
        type_: DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ.
        time_zone: Time zone of texts without one in TIMESTAMP_LTZ columns.

    Example:
        >>> check = time_check(DataType.of(Kind.TIMESTAMP, 3))
        >>> check("2024-05-01T12:30:00.5"), check("2024-05-01")
        ('2024-05-01 12:30:00.5', '2024-05-01 00:00:00')
        >>> time_check(DataType.of(Kind.TIMESTAMP_LTZ, 3), "Europe/Berlin")("2024-05-01 12:30:00")
        '2024-05-01 10:30:00Z'
    """
    digits = type_.size or 0
    seconds = r":[0-5]\d" + (rf"(?:\.\d{{1,{digits}}})?" if digits else "")
    match type_.kind:
        case Kind.DATE:
            return TimeCheck(type_, _matching(_DAY), _nothing)
        case Kind.TIME:
            return TimeCheck(type_, _matching(_MINUTES + seconds), _nothing)
        case Kind.TIMESTAMP:
            return _timestamp(type_, seconds)
        case _:
            return _local_timestamp(type_, seconds, time_zone)


def _matching(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern, re.ASCII).fullmatch


def _nothing(_: str) -> None:
    return None


def _timestamp(type_: DataType, seconds: str) -> TimeCheck:
    other = _matching(rf"{_DAY}(?:T{_MINUTES}(?:{seconds})?)?")
    return TimeCheck(
        type_,
        _matching(rf"{_DAY} {_MINUTES}{seconds}"),
        lambda text: None if other(text) is None else _with_time(text),
    )


def _with_time(text: str) -> str:
    """Return a timestamp with a space instead of ``T``, and with missing time of day or seconds added."""
    if len(text) == _DAY_LENGTH:
        return f"{text} 00:00:00"
    return text.replace("T", " ", 1) + (":00" if len(text) == _NO_SECONDS_LENGTH else "")


def _local_timestamp(type_: DataType, seconds: str, time_zone: str) -> TimeCheck:
    other = _matching(rf"{_DAY}T{_MINUTES}(?:{seconds})?Z")
    local = _timestamp(type_, seconds)
    zone = None if time_zone == "UTC" else ZoneInfo(time_zone)

    def completed(text: str) -> str | None:
        if other(text) is not None:
            return f"{_with_time(text[:-1])}Z"
        found = local(text)
        return f"{found if zone is None else _in_utc(found, zone)}Z"

    return TimeCheck(type_, _matching(rf"{_DAY} {_MINUTES}{seconds}Z"), completed)


def _in_utc(local: str, zone: ZoneInfo) -> str:
    """Convert a local timestamp to UTC, with its fractional digits unchanged."""
    seconds, point, fraction = local.partition(".")
    try:
        moment = datetime.datetime.fromisoformat(seconds).replace(tzinfo=zone).astimezone(datetime.timezone.utc)
    except OverflowError as error:
        raise MisfitError(f"{local!r} is out of range in UTC") from error
    return f"{moment.replace(tzinfo=None).isoformat(sep=' ')}{point}{fraction}"
