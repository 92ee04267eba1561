"""Literals of numbers and times, by Flink's limits."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from typing import Final

from kafkastream.sql.plan.expression import Literal
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.types import DataType, Kind

__all__ = ["full_time_text", "number_literal"]

_MOST_LONG: Final = 2**63
_NUMBER: Final = re.compile(r"\d*\.?\d*(?:[eE][+-]?\d+)?")
_DATE: Final = r" *(\d{1,4})-(\d{1,2})-(\d{1,2})"
_CLOCK: Final = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d*)?"
_SHAPES: Final[Mapping[Kind, tuple[re.Pattern[str], str]]] = {
    Kind.DATE: (re.compile(_DATE), "yyyy-MM-dd"),
    Kind.TIME: (re.compile(_CLOCK), "HH:mm:ss"),
    Kind.TIMESTAMP: (re.compile(rf"{_DATE}(?: {_CLOCK})?"), "yyyy-MM-dd HH:mm:ss"),
}
"""Shapes of the texts in literals of times, and the formats that errors show."""


def number_literal(number: str, *, negative: bool = False) -> Literal:
    """Return the literal of a number without a sign.

    Args:
        number: Digits, perhaps with a point and an exponent.
        negative: Whether a minus precedes it.

    Raises:
        CallError: The number is out of range.

    Example:
        >>> str(number_literal("1.50").type)
        'DECIMAL(3, 2) NOT NULL'
    """
    if not _NUMBER.fullmatch(number):
        raise CallError(f"'{number}' is not a number.", "Write an exponent such as 1E3.")
    if "E" in number.upper():
        if math.isinf(float(number)):
            raise CallError(f"Numeric literal '{number}' out of range", "Write a number that a DOUBLE has.")
        return Literal(number, DataType.of(Kind.DOUBLE).not_null())
    whole, _, fraction = number.partition(".")
    # Calcite's validator takes decimals whose digits make a 64-bit number: SqlValidatorImpl.validateLiteral
    if int(whole + fraction) >= _MOST_LONG + negative:
        raise CallError(f"Numeric literal '{number}' out of range", f"Write CAST('{number}' AS DECIMAL(38, 9)).")
    if not fraction:
        return Literal.whole(int(whole))
    return Literal(number, DataType.of(Kind.DECIMAL, len(whole + fraction), len(fraction)).not_null())


def full_time_text(kind: Kind, text: str) -> str:
    """Return the text in a literal of DATE, TIME or TIMESTAMP, with all digits.

    Raises:
        CallError: The text is not such a time.

    Example:
        >>> full_time_text(Kind.TIMESTAMP, "2024-1-1 1:2:3.50")
        '2024-01-01 01:02:03.50'
    """
    shape, shown = _SHAPES[kind]
    found = shape.fullmatch(text)
    if found is None or not _is_real(kind, [int(one or 0) for one in found.groups() if "." not in (one or "")]):
        raise CallError(f"Illegal {kind.value} literal '{text}': not in format '{shown}'", "Write it in this format.")
    whole, point, fraction = _with_year(kind, text.lstrip(" ")).partition(".")
    return re.sub(r"\d+", lambda digits: digits[0].zfill(2), whole) + point + fraction


def _with_year(kind: Kind, text: str) -> str:
    return text if kind is Kind.TIME else text.rjust(len(text) + 4 - text.index("-"), "0")


def _is_real(kind: Kind, numbers: list[int]) -> bool:
    date = (2000, 1, 1) if kind is Kind.TIME else numbers[:3]
    clock = numbers if kind is Kind.TIME else numbers[3:]
    try:
        dt.datetime(*date, *clock[:3])  # noqa: DTZ001 - a local time
    except ValueError:
        return False
    return True
