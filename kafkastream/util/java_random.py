"""``JavaRandom``: the random numbers that Java's ``Random`` gives for a seed, for programs made by ``kafkastream port``."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from typing import Final, final

__all__ = ["JavaRandom"]

_MASK: Final = (1 << 48) - 1
_FACTOR: Final = 0x5DEECE66D
"""Of the generator that https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/Random.html defines."""


@final
class JavaRandom:
    """Generator of random numbers, which are those of Java's for the same seed.

    Args:
        seed: Seed; without one, the numbers differ with each run.

    Example:
        >>> numbers = JavaRandom(42)
        >>> numbers.next_int(10), numbers.next_int(10), numbers.next_boolean()
        (0, 3, True)
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = ((secrets.randbits(48) if seed is None else seed) ^ _FACTOR) & _MASK
        self._spare: float | None = None

    def next_int(self, origin: int | None = None, bound: int | None = None) -> int:
        """Return a whole number of 32 bits; with one argument, one from 0 up to it; with two, one between them.

        Args:
            origin: Least number; with one argument, the number above the greatest.
            bound: Number above the greatest.
        """
        if origin is None:
            return self._signed(32)
        if bound is None:
            return self._below(origin)
        return origin + _within(lambda: self._signed(32) & 0xFFFFFFFF, bound - origin, 31)

    def next_long(self, origin: int | None = None, bound: int | None = None) -> int:
        """Return a whole number of 64 bits; with one argument, one from 0 up to it; with two, one between them.

        Args:
            origin: Least number; with one argument, the number above the greatest.
            bound: Number above the greatest.
        """
        if origin is None:
            number = ((self._signed(32) << 32) + self._signed(32)) & 0xFFFFFFFFFFFFFFFF
            return number - (1 << 64) if number >= 1 << 63 else number
        least, most = (origin, bound) if bound is not None else (0, origin)
        return least + _within(lambda: self.next_long() & 0xFFFFFFFFFFFFFFFF, most - least, 63)

    def next_boolean(self) -> bool:
        """Return a truth value."""
        return self._bits(1) != 0

    def next_float(self) -> float:
        """Return a number from 0 up to 1, of 24 bits."""
        return self._bits(24) / (1 << 24)

    def next_double(self, origin: float = 0.0, bound: float = 1.0) -> float:
        """Return a number from 0 up to 1, or between two numbers.

        Args:
            origin: Least number.
            bound: Number above the greatest.
        """
        number = ((self._bits(26) << 27) + self._bits(27)) * 2.0**-53
        scaled = number * (bound - origin) + origin
        return scaled if scaled < bound else math.nextafter(bound, origin)

    def next_gaussian(self) -> float:
        """Return a normally distributed number, with the mean 0 and the standard deviation 1."""
        if self._spare is not None:
            number, self._spare = self._spare, None
            return number
        while True:
            one, other = 2 * self.next_double() - 1, 2 * self.next_double() - 1
            square = one * one + other * other
            if 0 < square < 1:
                factor = math.sqrt(-2 * math.log(square) / square)
                self._spare = other * factor
                return one * factor

    def _bits(self, count: int) -> int:
        self._seed = (self._seed * _FACTOR + 0xB) & _MASK
        return self._seed >> (48 - count)

    def _signed(self, count: int) -> int:
        bits = self._bits(count)
        return bits - (1 << count) if bits >= 1 << (count - 1) else bits

    def _below(self, bound: int) -> int:
        if bound <= 0:
            raise ValueError("bound must be positive")
        if bound & (bound - 1) == 0:
            return (bound * self._bits(31)) >> 31
        while True:
            bits = self._bits(31)
            number = bits % bound
            if bits - number + bound - 1 < 1 << 31:  # otherwise Java's sum overflows, and it takes the next number
                return number


def _within(draw: Callable[[], int], size: int, bits: int) -> int:
    """Return a number from 0 up to ``size``, by Java's rule for a range."""
    if size <= 0:
        raise ValueError("bound must be greater than origin")
    number = draw()
    if size & (size - 1) == 0:
        return number & (size - 1)
    while True:
        half = number >> 1
        rest = half % size
        if half + size - 1 - rest < 1 << bits:
            return rest
        number = draw()
