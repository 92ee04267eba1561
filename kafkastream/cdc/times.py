"""Dates and times of rows: texts in one form per type, made of the forms that formats read."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from kafkastream.cdc.errors import MisfitError
from kafkastream.sql.types import DataType, Kind

__all__ = ["IS_TIME", "time_checker"]

IS_TIME: Final = frozenset({Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ})

_LEAP_YEAR: Final = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DAY: Final = (
    r"(?!0000)(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    rf"|02-(?:0[1-9]|1\d|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
"""A day that exists: exact, since a regular expression is several times faster than parsing."""
_MINUTES: Final = r"(?:[01]\d|2[0-3]):[0-5]\d"
_DAY_LENGTH: Final = len("2024-05-01")
_NO_SECONDS_LENGTH: Final = len("2024-05-01T12:30")


def time_checker(type_: DataType, time_zone: str = "UTC") -> Callable[[str], str]:
    """Return the function that gives a text the one form of a temporal type.

    It raises ``MisfitError`` for a text that the type does not hold: another form, a day that does not exist, more digits than
    the precision.

    Args:
        type_: DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ.
        time_zone: The zone of texts without one under TIMESTAMP_LTZ.

    Example:
        >>> check = time_checker(DataType.of(Kind.TIMESTAMP, 3))
        >>> check("2024-05-01T12:30:00.5"), check("2024-05-01")
        ('2024-05-01 12:30:00.5', '2024-05-01 00:00:00')
        >>> time_checker(DataType.of(Kind.TIMESTAMP_LTZ, 3), "Europe/Berlin")("2024-05-01 12:30:00")
        '2024-05-01 10:30:00Z'
    """
    seconds = rf":[0-5]\d{_fraction(type_.size or 0)}"
    match type_.kind:
        case Kind.DATE:
            return _only(type_, _DAY)
        case Kind.TIME:
            return _only(type_, _MINUTES + seconds)
        case Kind.TIMESTAMP:
            return _timestamp(type_, seconds)
        case _:
            return _local_timestamp(type_, seconds, time_zone)


def _fraction(digits: int) -> str:
    return rf"(?:\.\d{{1,{digits}}})?" if digits else ""


def _misfit(type_: DataType, text: str) -> MisfitError:
    return MisfitError(f"{text[:100]!r} is no {type_}")


def _only(type_: DataType, pattern: str) -> Callable[[str], str]:
    matches = re.compile(pattern, re.ASCII).fullmatch

    def check(text: str) -> str:
        if matches(text) is None:
            raise _misfit(type_, text)
        return text

    return check


def _timestamp(type_: DataType, seconds: str) -> Callable[[str], str]:
    usual = re.compile(rf"{_DAY} {_MINUTES}{seconds}", re.ASCII).fullmatch
    other = re.compile(rf"{_DAY}(?:T{_MINUTES}(?:{seconds})?)?", re.ASCII).fullmatch

    def check(text: str) -> str:
        if usual(text) is not None:
            return text
        if other(text) is None:
            raise _misfit(type_, text)
        return _completed(text)

    return check


def _completed(text: str) -> str:
    """Return a timestamp with a blank in place of ``T``, and the time of day or the seconds that it lacks."""
    if len(text) == _DAY_LENGTH:
        return f"{text} 00:00:00"
    return text.replace("T", " ", 1) + (":00" if len(text) == _NO_SECONDS_LENGTH else "")


def _local_timestamp(type_: DataType, seconds: str, time_zone: str) -> Callable[[str], str]:
    usual = re.compile(rf"{_DAY} {_MINUTES}{seconds}Z", re.ASCII).fullmatch
    other = re.compile(rf"{_DAY}T{_MINUTES}(?:{seconds})?Z", re.ASCII).fullmatch
    without_zone = _timestamp(type_, seconds)
    zone = None if time_zone == "UTC" else ZoneInfo(time_zone)

    def check(text: str) -> str:
        if usual(text) is not None:
            return text
        if other(text) is not None:
            return _completed(text[:-1]) + "Z"
        local = without_zone(text)
        return f"{local if zone is None else _in_utc(local, zone)}Z"

    return check


def _in_utc(local: str, zone: ZoneInfo) -> str:
    """Return a timestamp of a time zone in UTC; the digits behind the second stay as they are."""
    seconds, point, fraction = local.partition(".")
    try:
        moment = datetime.datetime.fromisoformat(seconds).replace(tzinfo=zone).astimezone(datetime.timezone.utc)
    except OverflowError as error:
        raise MisfitError(f"{local!r} is out of range in UTC") from error
    return f"{moment.replace(tzinfo=None).isoformat(sep=' ')}{point}{fraction}"
