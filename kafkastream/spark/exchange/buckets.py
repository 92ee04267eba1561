"""The labels of buckets: numbers that Spark shuffles to different partitions."""

from __future__ import annotations

from itertools import count

__all__ = ["bucket_labels"]

_SEED = 42
_INT = 0xFFFFFFFF


def bucket_labels(buckets: int) -> tuple[int, ...]:
    """One for each partition of a shuffle to as many: the least that Spark sends there.

    Example:
        >>> bucket_labels(2)
        (2, 0)
    """
    found: dict[int, int] = {}
    for label in count():
        found.setdefault(_hash_of(label) % buckets, label)
        if len(found) == buckets:
            return tuple(found[bucket] for bucket in range(buckets))
    raise AssertionError


def _hash_of(number: int) -> int:
    """What Spark's hash partitioning makes of an int (Murmur3Hash): murmur3 of its 4 bytes."""
    mixed = _rotated(number * 0xCC9E2D51, 15) * 0x1B873593
    mixed = _rotated(_SEED ^ (mixed & _INT), 13) * 5 + 0xE6546B64
    mixed = (mixed & _INT) ^ 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _INT
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _INT
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotated(number: int, bits: int) -> int:
    number &= _INT
    return (number << bits | number >> (32 - bits)) & _INT
