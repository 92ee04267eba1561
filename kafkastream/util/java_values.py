"""Java's operations on numbers and texts where Python's give another result; programs made by ``kafkastream port`` use them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Duration
from kafkastream.options.parsers import millis_of_duration

__all__ = [
    "java_compare",
    "java_duration_ms",
    "java_hash",
    "java_header",
    "java_matches",
    "java_max",
    "java_min",
    "java_properties",
    "java_quotient",
    "java_remainder",
    "java_replace_all",
    "java_rounded",
    "java_split",
    "java_text",
    "java_zoned_text",
]


_WIDE = Context(prec=1100)
"""As many digits as a double can have."""


def java_quotient(dividend: int, divisor: int) -> int:
    """Divide whole numbers, rounding towards zero.

    Args:
        dividend: Number that is divided.
        divisor: Number to divide by.

    Raises:
        ZeroDivisionError: The divisor is 0.

    Example:
        >>> java_quotient(-7, 2), -7 // 2
        (-3, -4)
    """
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def java_remainder(dividend: float, divisor: float) -> Any:
    """Return the remainder of a division, with the sign of the dividend.

    Args:
        dividend: Number that is divided.
        divisor: Number to divide by.

    Raises:
        ZeroDivisionError: Both are whole numbers, and the divisor is 0.
        ValueError: The divisor is 0.0.

    Example:
        >>> java_remainder(-7, 2), -7 % 2
        (-1, 1)
    """
    if isinstance(dividend, int) and isinstance(divisor, int):
        return dividend - divisor * java_quotient(dividend, divisor)
    return math.fmod(dividend, divisor)


def java_rounded(value: float | Decimal, digits: int) -> Decimal:
    """Return a number rounded as ``String.format`` does: its shortest decimal digits, with halves away from zero.

    Args:
        value: Number.
        digits: Digits after the point.

    Example:
        >>> f"{java_rounded(1.005, 2):.2f}, {1.005:.2f}"
        '1.01, 1.00'
    """
    number = value if isinstance(value, Decimal) else Decimal(repr(value))
    return number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, _WIDE) if number.is_finite() else number


def java_compare(one: Any, other: Any) -> int:
    """Return a negative number, 0 or a positive number, as ``compareTo`` does.

    Args:
        one: Number or text.
        other: Number or text, compared with ``one``.

    Returns:
        Below 0 if ``one`` is less, 0 if both are equal, above 0 if ``one`` is greater.

    Example:
        >>> java_compare(1, 2), java_compare("b", "a")
        (-1, 1)
    """
    return int(one > other) - int(one < other)


def java_duration_ms(text: str) -> int:
    """Return the milliseconds of a duration as Flink's options have it.

    Args:
        text: Number with a unit, such as ``10 s``; without one, milliseconds.

    Raises:
        ValueError: The text is not a duration.

    Example:
        >>> java_duration_ms("10 s"), java_duration_ms("5min"), java_duration_ms("250")
        (10000, 300000, 250)
    """
    return millis_of_duration(text)


def java_max(values: Iterable[Any]) -> Any:
    """Return the greatest of the values that are not None, as ``ObjectUtils.max`` does; None if there is none.

    Example:
        >>> java_max([1, None, 3]), java_max([None])
        (3, None)
    """
    return max((one for one in values if one is not None), default=None)


def java_min(values: Iterable[Any]) -> Any:
    """Return the least of the values that are not None, as ``ObjectUtils.min`` does; None if there is none.

    Example:
        >>> java_min([1, None, 3]), java_min([None])
        (1, None)
    """
    return min((one for one in values if one is not None), default=None)


def java_hash(value: str) -> int:
    """Return the hash code of ``value``, a text.

    Example:
        >>> java_hash("hello")
        99162322
    """
    code = 0
    for unit in memoryview(value.encode("utf-16-le")).cast("H"):
        code = (31 * code + unit) & 0xFFFFFFFF
    return code - (1 << 32) if code >= 1 << 31 else code


def java_header(headers: Sequence[tuple[str, bytes | None]], name: str) -> Any:
    """Return the last header of a name, as ``lastHeader`` does; None if there is none.

    Args:
        headers: Headers of a record.
        name: Name of the header.

    Example:
        >>> java_header([("from", b"shop"), ("from", b"store")], "from"), java_header([], "from")
        (('from', b'store'), None)
    """
    return next((one for one in reversed(headers) if one[0] == name), None)


def java_text(value: object) -> str:
    """Return a value as Java prints it: ``true``, ``null``, ``1.0E7``, ``(a,1)``, ``[1, 2]``, ``{a=1}``.

    A time of UTC is printed as an ``Instant``, one without a zone as a ``LocalDateTime``.

    Example:
        >>> java_text(None), java_text(True), java_text(12345678.9), java_text(("a", 1.0)), java_text({"a": [1, 2]})
        ('null', 'true', '1.23456789E7', '(a,1.0)', '{a=[1, 2]}')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _floating_text(value)
    if isinstance(value, tuple) and type(value) is tuple:
        return f"({','.join(map(java_text, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{java_text(key)}={java_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, set, frozenset)):
        return f"[{', '.join(map(java_text, value))}]"
    if isinstance(value, Row):
        return f"{value.get_row_kind()}[{', '.join(map(java_text, value))}]"
    if isinstance(value, Duration):
        return _duration_text(value.to_nanos())
    return _time_text(value) if isinstance(value, datetime) else str(value)


def java_zoned_text(value: datetime | None, zone: str | None = None) -> str:
    """Return a date and time with its zone as ``ZonedDateTime`` prints it: without seconds that are 0.

    Args:
        value: Date and time.
        zone: Zone to convert it to, by name; ``Z`` for UTC as an offset.

    Example:
        >>> from datetime import timezone
        >>> java_zoned_text(datetime(2024, 5, 1, 10, tzinfo=timezone.utc))
        '2024-05-01T10:00Z'
    """
    if value is None:
        return "null"
    if zone is not None:
        value = value.astimezone(timezone.utc if zone == "Z" else ZoneInfo(zone))
    minutes = (value.utcoffset() or timedelta(0)) // timedelta(minutes=1)
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}" if minutes else "Z"
    region = f"[{value.tzinfo.key}]" if isinstance(value.tzinfo, ZoneInfo) else ""
    return f"{_local_text(value, shortest=True)}{offset}{region}"


def _duration_text(nanos: int) -> str:
    """Text by ``java.time.Duration.toString``, such as ``PT2H30M`` and ``PT-0.5S``."""
    sign = "-" if nanos < 0 else ""
    seconds, fraction = divmod(abs(nanos), 1_000_000_000)
    hours, minutes = divmod(seconds // 60, 60)
    text = "".join(f"{sign}{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
    if seconds % 60 or fraction or not text:
        digits = f".{fraction:09d}".rstrip("0") if fraction else ""
        text += f"{sign}{seconds % 60}{digits}S"
    return f"PT{text}"


def _time_text(value: datetime) -> str:
    """Text of an ``Instant`` for a time of UTC, of a ``LocalDateTime`` without a zone, else of a ``ZonedDateTime``."""
    if value.tzinfo is None:
        return _local_text(value, shortest=True)
    return f"{_local_text(value, shortest=False)}Z" if value.tzname() == "UTC" else java_zoned_text(value)


def _local_text(value: datetime, *, shortest: bool) -> str:
    is_short = shortest and not value.second and not value.microsecond
    precision = "minutes" if is_short else "microseconds" if value.microsecond % 1000 else "milliseconds"
    if not is_short and not value.microsecond:
        precision = "seconds"
    return value.replace(tzinfo=None).isoformat(timespec=precision)


def _floating_text(value: float) -> str:
    """Text by ``Double.toString``: scientific notation below 1e-3 and from 1e7 on."""
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else f"{plain}.0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{exponent + len(text) - 1}"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)  # Java's \w, \d and \s are those of ASCII


def java_split(text: str, pattern: str, limit: int = 0) -> list[str]:
    r"""Split a text at the matches of a pattern, without empty texts at the end.

    Args:
        text: Text.
        pattern: Regular expression.
        limit: Most parts; 0 for all but empty ones at the end, a negative number for all.

    Example:
        >>> java_split("a,b,,", ","), java_split("to be, or", r"\W+"), java_split("", ",")
        (['a', 'b'], ['to', 'be', 'or'], [''])
    """
    parts: list[str] = []
    start = 0
    for found in _compiled(pattern).finditer(text):
        if found.end() == 0 or (found.start() == found.end() == len(text)):
            continue  # Java takes no empty match at the start, nor one at the end
        if limit > 0 and len(parts) == limit - 1:
            break
        parts.append(text[start : found.start()])
        start = found.end()
    parts.append(text[start:])
    while limit == 0 and len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts if parts != [""] or not text or limit else []


def java_matches(text: str, pattern: str) -> bool:
    r"""Return whether a pattern matches the whole text.

    Args:
        text: Text.
        pattern: Regular expression.

    Example:
        >>> java_matches("2024", r"\d{4}"), java_matches("in 2024", r"\d{4}")
        (True, False)
    """
    return _compiled(pattern).fullmatch(text) is not None


def java_replace_all(text: str, pattern: str, replacement: str) -> str:
    r"""Replace all matches of a pattern; ``$1`` in the replacement is a group.

    Args:
        text: Text.
        pattern: Regular expression.
        replacement: Text for each match, with ``$1`` or ``${name}`` for a group.

    Example:
        >>> java_replace_all("a1b22", r"(\d+)", "<$1>")
        'a<1>b<22>'
    """
    template = re.sub(r"\\([^\d])|\$(\d)|\$\{(\w+)\}", _group, replacement.replace("\\\\", "\\\\\\\\"))
    return _compiled(pattern).sub(template, text)


def _group(found: re.Match[str]) -> str:
    escaped, number, name = found.groups()
    return re.escape(escaped) if escaped else rf"\g<{number or name}>"


def java_properties(lines: Iterable[str]) -> dict[str, str]:
    r"""Read the lines of a properties file.

    Example:
        >>> java_properties(["# servers", "bootstrap.servers = localhost:9092", "group.id: shop"])
        {'bootstrap.servers': 'localhost:9092', 'group.id': 'shop'}
    """
    found: dict[str, str] = {}
    pending = ""
    for line in lines:
        text = pending + line.strip()
        pending = ""
        if not text or text[0] in "#!":
            continue
        if text.endswith("\\") and not text.endswith("\\\\"):
            pending = text[:-1]
            continue
        key, value = re.fullmatch(r"((?:\\.|[^\\=:\s])+)\s*[=:\s]?\s*(.*)", text).groups()  # type: ignore[union-attr]  # text is not empty
        found[re.sub(r"\\(.)", r"\1", key)] = re.sub(r"\\(.)", _escape, value)
    return found


def _escape(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}.get(found[1], found[1])
