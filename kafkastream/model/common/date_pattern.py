"""Date patterns of Java's ``DateTimeFormatter`` and time zones of Java's ``ZoneId``."""

from __future__ import annotations

import datetime
import re
from typing import Final, final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import attrs

from kafkastream.errors import DefinitionError

__all__ = ["DatePattern", "zone_of"]

_TOKEN: Final = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+")
_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?(?:([+-])(\d{1,2})(?::?(\d\d))?)?")
_FIELDS: Final = {"y": "year", "u": "year", "M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}
_WIDTH: Final = 2


@final
@attrs.frozen
class DatePattern:
    """Formatter of dates and times by a pattern of year, month, day, hour, minute and second.

    Raises:
        DefinitionError: The pattern contains other letters.

    Example:
        >>> DatePattern("yyyy-MM-dd--HH").format(datetime.datetime(2026, 3, 1, 7))
        '2026-03-01--07'
        >>> DatePattern("yy/M'. month'").format(datetime.datetime(2026, 3, 1))
        '26/3. month'
    """

    pattern: str

    def __attrs_post_init__(self) -> None:
        tokens = [match[0] for match in _TOKEN.finditer(self.pattern)]
        unknown = [token for token in tokens if token[0].isalpha() and not _is_number(token)]
        if unknown or "".join(tokens) != self.pattern:
            raise DefinitionError(
                f"{unknown[0] if unknown else chr(39)!r} of the date pattern {self.pattern!r} is not supported",
                now="Of Java's letters, yyyy, yy, MM, dd, HH, mm and ss work; put other text in single quotes.",
            )

    def format(self, time: datetime.datetime) -> str:
        """Return the text of a time."""
        return "".join(_written(match[0], time) for match in _TOKEN.finditer(self.pattern))

    def parse(self, text: str) -> datetime.datetime:
        """Read a date, and the time of day if the pattern has an hour; midnight otherwise.

        Raises:
            ValueError: The text does not match the pattern, or the pattern lacks a part of the date.

        Example:
            >>> DatePattern("yyyyMMdd'T'HH").parse("20260301T07"), DatePattern("d.M.yy").parse("1.3.26")
            (datetime.datetime(2026, 3, 1, 7, 0), datetime.datetime(2026, 3, 1, 0, 0))
        """
        found = re.fullmatch("".join(_read_by(match[0]) for match in _TOKEN.finditer(self.pattern)), text, re.ASCII)
        if found is None:
            raise ValueError(f"{text!r} does not match the date pattern {self.pattern!r}")
        fields = {name: int(digits) for name, digits in found.groupdict().items()}
        if "century" in fields:
            fields["year"] = 2000 + fields.pop("century")
        if missing := sorted({"year", "month", "day"} - fields.keys()):
            raise ValueError(f"the date pattern {self.pattern!r} has no {missing[0]}")
        hour, minute, second = (fields.get(name, 0) if "hour" in fields else 0 for name in ("hour", "minute", "second"))
        day = datetime.date(fields["year"], fields["month"], fields["day"])
        return datetime.datetime.combine(day, datetime.time(hour, minute, second))


def _is_number(token: str) -> bool:
    """Return whether a token of letters is a number of a date; Java writes three letters of a month as its name."""
    return token[0] in _FIELDS and (len(token) <= _WIDTH or token[0] in "yu")


def _written(token: str, time: datetime.datetime) -> str:
    if token[0] == "'":
        return token[1:-1].replace("''", "'") or "'"
    if token[0] not in _FIELDS:
        return token
    number = getattr(time, _FIELDS[token[0]])
    if token in ("yy", "uu"):
        number %= 100
    return f"{number:0{len(token)}}"


def _read_by(token: str) -> str:
    """Return the regular expression of a token; numbers are named groups."""
    if token[0] == "'":
        return re.escape(token[1:-1].replace("''", "'") or "'")
    if token[0] not in _FIELDS:
        return re.escape(token)
    if token in ("yy", "uu"):
        return r"(?P<century>\d\d)"
    digits = f"{{{len(token)}}}" if len(token) > 1 else "+"
    return rf"(?P<{_FIELDS[token[0]]}>\d{digits})"


def zone_of(name: str) -> datetime.tzinfo:
    """Return a time zone by its name in Java: a region, or a distance from UTC.

    Raises:
        DefinitionError: There is no such zone.

    Example:
        >>> zone_of("GMT-08:00"), zone_of("Europe/Berlin")
        (datetime.timezone(datetime.timedelta(days=-1, seconds=57600)), zoneinfo.ZoneInfo(key='Europe/Berlin'))
    """
    offset = None if name == "" else _OFFSET.fullmatch("+00" if name == "Z" else name)
    if offset is not None:
        minutes = 60 * int(offset[2] or 0) + int(offset[3] or 0)
        return datetime.timezone(datetime.timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DefinitionError(
            f"there is no time zone {name!r}", now="Name a region, such as America/Los_Angeles, or GMT-08:00."
        ) from None
