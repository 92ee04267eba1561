"""Parallelism and maximum parallelism of operators."""

from __future__ import annotations

from kafkastream.errors import DefinitionError

__all__ = ["checked_max_parallelism", "checked_parallelism", "default_max_parallelism"]

_LEAST_OF_DEFAULT = 128
_MOST = 32_768


def checked_parallelism(parallelism: int) -> int:
    """Return ``parallelism`` if Flink would accept it.

    Raises:
        DefinitionError: ``parallelism`` is not positive.
    """
    if parallelism < 1:
        raise DefinitionError(f"parallelism {parallelism} is less than 1", now="Give 1 or more.")
    return parallelism


def checked_max_parallelism(max_parallelism: int) -> int:
    """Return ``max_parallelism`` if Flink would accept it.

    Raises:
        DefinitionError: ``max_parallelism`` is out of Flink's range.
    """
    if not 1 <= max_parallelism <= _MOST:
        raise DefinitionError(
            f"maximum parallelism {max_parallelism} is out of bounds", now=f"Give a number from 1 to {_MOST}."
        )
    return max_parallelism


def default_max_parallelism(parallelism: int) -> int:
    """Return Flink's default for a parallelism: 1.5 times as much, rounded up to a power of 2, within bounds.

    Follows ``KeyGroupRangeAssignment.computeDefaultMaxParallelism``.

    Example:
        >>> [default_max_parallelism(parallelism) for parallelism in (1, 100, 200, 30_000)]
        [128, 256, 512, 32768]
    """
    half_more = parallelism + parallelism // 2
    return min(max(1 << (half_more - 1).bit_length(), _LEAST_OF_DEFAULT), _MOST)
