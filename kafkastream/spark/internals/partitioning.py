"""Hash partitioning: to which partition Spark shuffles the rows of a key."""

from __future__ import annotations

from typing import Final

__all__ = ["partition_of"]

_SEED: Final = 42
_INT: Final = 0xFFFFFFFF


def partition_of(key: int, partitions: int) -> int:
    """Return the partition to which Spark shuffles the rows whose key is a column of INT.

    ``HashPartitioning`` takes ``Murmur3Hash`` with seed 42, and of that ``pmod``:
    https://github.com/apache/spark/blob/v4.2.1/sql/catalyst/src/main/scala/org/apache/spark/sql/catalyst/plans/physical/partitioning.scala

    Args:
        key: A whole number of 32 bits.
        partitions: Number of partitions.

    Example:
        >>> [partition_of(key, 4) for key in range(5)]
        [3, 3, 2, 3, 2]
    """
    return _murmur3(key) % partitions


def _murmur3(number: int) -> int:
    """Return the hash of a number's 4 bytes, as a Java int.

    https://github.com/apache/spark/blob/v4.2.1/common/unsafe/src/main/java/org/apache/spark/unsafe/hash/Murmur3_x86_32.java
    """
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
