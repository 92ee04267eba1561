"""Arithmetic of aggregate functions on each SQL type, with Java's results."""

from __future__ import annotations

import decimal
import math
import struct
from abc import ABC, abstractmethod
from decimal import Decimal
from typing import Any, Final, final

from kafkastream.sql.types import DataType, Kind

__all__ = ["Arithmetic", "arithmetic"]

_BITS: Final = {Kind.TINYINT: 8, Kind.SMALLINT: 16, Kind.INT: 32}
_LONG: Final = 64
_MOST_DIGITS: Final = 38
_EXACT: Final = decimal.Context(prec=200, rounding=decimal.ROUND_HALF_UP, traps=[])
_DIVIDING: Final = decimal.Context(prec=_MOST_DIGITS, rounding=decimal.ROUND_HALF_UP, traps=[])


class Arithmetic(ABC):
    """Arithmetic on the numbers of a type.

    Attributes:
        zero: Zero of the type.
    """

    zero: Any = 0

    def plus(self, left: Any, right: Any) -> Any:
        """Return the sum, which may still be too large for the type."""
        return left + right

    def minus(self, left: Any, right: Any) -> Any:
        """Return the difference."""
        return left - right

    def times(self, left: Any, right: Any) -> Any:
        """Return the product."""
        return left * right

    @abstractmethod
    def fitting(self, total: Any) -> Any:
        """Return a sum as a value of the type."""

    def summed(self, total: Any) -> Any:
        """Return a sum for further arithmetic: wrapped to the bits of an integer type."""
        return total

    def quotient(self, total: Any, count: int) -> Any:
        """Return a quotient, which may still be too large for the type."""
        return self.divided(total, count)

    @abstractmethod
    def divided(self, total: Any, count: int) -> Any:
        """Return a quotient as a value of the type."""

    @abstractmethod
    def root(self, square: Any) -> Any:
        """Return a square root as a value of the type."""


@final
class _Integer(Arithmetic):
    """Integers of a fixed number of bits: overflow wraps around, division truncates."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def times(self, left: int, right: int) -> int:
        return _wrap_around(left * right, self._bits)

    def fitting(self, total: int) -> int:
        return _wrap_around(total, self._bits)

    def summed(self, total: int) -> int:
        return self.fitting(total)

    def quotient(self, total: int, count: int) -> int:
        dividend = _wrap_around(total, _LONG)
        quotient = abs(dividend) // abs(count)
        return quotient if (dividend < 0) is (count < 0) else -quotient

    def divided(self, total: int, count: int) -> int:
        return self.fitting(self.quotient(total, count))

    def root(self, square: int) -> int:
        return math.isqrt(max(square, 0))


class _Double(Arithmetic):
    zero = 0.0

    def fitting(self, total: float) -> float:
        return total

    def divided(self, total: float, count: int) -> float:
        return self.fitting(total / count)

    def root(self, square: float) -> float:
        return self.fitting(math.sqrt(square)) if square >= 0 else math.nan


@final
class _Float(_Double):
    """32-bit floating-point numbers: each sum is rounded."""

    def plus(self, left: float, right: float) -> float:
        return self.fitting(left + right)

    def minus(self, left: float, right: float) -> float:
        return self.fitting(left - right)

    def times(self, left: float, right: float) -> float:
        return self.fitting(left * right)

    def fitting(self, total: float) -> float:
        try:
            rounded: float = struct.unpack("f", struct.pack("f", total))[0]
        except OverflowError:
            return math.copysign(math.inf, total)
        return rounded


@final
class _Decimal(Arithmetic):
    """Exact numbers with a precision and a scale; NULL for a result that needs a higher precision."""

    zero = Decimal(0)

    def __init__(self, precision: int, scale: int) -> None:
        self._precision = precision
        self._unit = Decimal(1).scaleb(-scale)

    def plus(self, left: Decimal, right: Decimal) -> Decimal:
        return _EXACT.add(left, right)

    def minus(self, left: Decimal, right: Decimal) -> Decimal:
        return _EXACT.subtract(left, right)

    def times(self, left: Decimal, right: Decimal) -> Decimal:
        return _EXACT.multiply(left, right)

    def fitting(self, total: Decimal) -> Decimal | None:
        rounded = _EXACT.quantize(total, self._unit)
        return rounded if len(rounded.as_tuple().digits) <= self._precision else None

    def divided(self, total: Decimal, count: int) -> Decimal | None:
        return self.fitting(_DIVIDING.divide(total, Decimal(count)))

    def root(self, square: Decimal | None) -> Decimal | None:
        return None if square is None else self.fitting(_DIVIDING.sqrt(max(square, Decimal(0))))


def arithmetic(type_: DataType) -> Arithmetic:
    """Return the arithmetic of a type.

    Example:
        >>> tiny = arithmetic(DataType.of(Kind.TINYINT))
        >>> tiny.fitting(100 + 100), tiny.divided(-7, 2)
        (-56, -3)
        >>> arithmetic(DataType.of(Kind.DECIMAL, 38, 6)).divided(Decimal("2.00"), 3)
        Decimal('0.666667')
    """
    match type_.kind:
        case Kind.DECIMAL:
            return _Decimal(type_.size or _MOST_DIGITS, type_.scale or 0)
        case Kind.FLOAT:
            return _Float()
        case Kind.DOUBLE:
            return _Double()
        case kind:
            return _Integer(_BITS.get(kind, _LONG))


def _wrap_around(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half
