"""Labels of buckets: numbers that Spark shuffles to different partitions."""

from __future__ import annotations

from itertools import count

from kafkastream.spark.internals.partitioning import partition_of

__all__ = ["bucket_labels"]


def bucket_labels(buckets: int) -> tuple[int, ...]:
    """Return a label for each partition of a shuffle to as many partitions: the least that Spark sends there.

    Example:
        >>> bucket_labels(2)
        (2, 0)
    """
    found: dict[int, int] = {}
    for label in count():
        found.setdefault(partition_of(label, buckets), label)
        if len(found) == buckets:
            return tuple(found[bucket] for bucket in range(buckets))
    raise AssertionError
