"""Text as Java reads it: numbers and booleans as by its ``parse…`` methods, other values by a pattern."""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal, InvalidOperation

from kafkastream.model.formats.malformed import record_limits
from kafkastream.options.records import MAX_DIGITS

__all__ = [
    "bounded_decimal",
    "bounded_whole",
    "count_digits",
    "java_boolean",
    "java_decimal",
    "java_floating",
    "java_whole",
    "scaled_decimal",
    "trimmed",
    "whole_match",
]

_BLANKS = "".join(map(chr, range(0x21)))
_EXACT = Context(prec=100_000)
_DIGITS_PER_BIT = math.log10(2)
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_FLOATING = re.compile(r"([+-]?)(?:(NaN)|(Infinity)|((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)", re.ASCII)


def trimmed(text: str) -> str:
    """Return the text without blanks and control characters around it (``String.trim``)."""
    return text.strip(_BLANKS)


def whole_match(pattern: re.Pattern[str], text: str, what: str) -> re.Match[str]:
    """Return the match of a whole text.

    Args:
        pattern: Pattern of valid texts.
        text: Text to read.
        what: Name of the expected kind of value, for the error.

    Raises:
        ValueError: The text does not match.
    """
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is not a {what}")
    return found


def java_whole(text: str) -> int:
    """Return a whole number.

    Raises:
        ValueError: The text is none.

    Example:
        >>> java_whole("+12")
        12
    """
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"{text[:100]!r} is not a whole number")
    return bounded_whole(text)


def bounded_whole(text: str) -> int:
    """Return a whole number of at most the digits that a record may have: Python's time grows with their square.

    Raises:
        ValueError: There are more.
    """
    _check_text(text)
    return int(text)


def java_decimal(text: str) -> Decimal:
    """Return a decimal number with the digits that the text has.

    Raises:
        ValueError: The text is none.

    Example:
        >>> java_decimal("1.10")
        Decimal('1.10')
    """
    if _DECIMAL.fullmatch(text) is None:
        raise ValueError(f"{text[:100]!r} is not a decimal number")
    return bounded_decimal(text)


def bounded_decimal(text: str) -> Decimal:
    """Return a decimal number of at most the digits that a record may have, with the zeros of its exponent.

    Args:
        text: Digits, with a point or an exponent or both.

    Raises:
        ValueError: There are more.
    """
    if len(text) <= record_limits().digits and "e" not in text and "E" not in text:
        return Decimal(text)
    _check_text(text)
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the exponent of {text[:100]} is out of range") from None
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    _check_digits(max(number.adjusted() + 1, -exponent))
    return number


def scaled_decimal(unscaled: int, scale: int) -> Decimal:
    """Return an unscaled integer with its scale, which has at most the digits that a record may have.

    Raises:
        ValueError: There are more.
    """
    _check_digits(math.ceil(unscaled.bit_length() * _DIGITS_PER_BIT))
    _check_digits(abs(scale))
    return Decimal(unscaled).scaleb(-scale, _EXACT)


def count_digits(text: str) -> int:
    """Return the number of digits of a number's text, those of its exponent included, as Jackson counts them."""
    return sum(map(str.isdecimal, text))


def _check_text(text: str) -> None:
    if len(text) > record_limits().digits:
        _check_digits(count_digits(text))


def _check_digits(count: int) -> None:
    if count > record_limits().digits:
        raise ValueError(f"a number of {count} digits, more than the {record_limits().digits} of {MAX_DIGITS.key}")


def java_floating(text: str) -> float:
    """Return a floating-point number of 64 bits.

    Differs from Java: hexadecimal ones are refused.

    Raises:
        ValueError: The text is none.

    Example:
        >>> java_floating("1.5f"), java_floating("-Infinity")
        (1.5, -inf)
    """
    found = _FLOATING.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is not a number")
    sign, not_a_number, infinity, digits = found.groups()
    return float(sign + (not_a_number or infinity or digits))


def java_boolean(text: str) -> bool:
    """True for "true" in any case, false for all else."""
    return text.lower() == "true"
