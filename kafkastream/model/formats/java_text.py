"""Text as Java reads it: numbers and booleans as by its ``parse…`` methods, other values by a pattern."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["java_boolean", "java_decimal", "java_floating", "java_whole", "trimmed", "whole_match"]

_BLANKS = "".join(map(chr, range(0x21)))
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FLOATING = re.compile(r"([+-]?)(?:(NaN)|(Infinity)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)", re.ASCII)


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
        raise ValueError(f"{text!r} is not a whole number")
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
        raise ValueError(f"{text!r} is not a decimal number")
    return Decimal(text)


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
        raise ValueError(f"{text!r} is not a number")
    sign, not_a_number, infinity, digits = found.groups()
    return float(sign + (not_a_number or infinity or digits))


def java_boolean(text: str) -> bool:
    """True for "true" in any case, false for all else."""
    return text.lower() == "true"
