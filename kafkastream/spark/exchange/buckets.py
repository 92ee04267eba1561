"""Labels of buckets: numbers that Spark shuffles to different partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from kafkastream.errors import JobError
from kafkastream.spark.internals.partitioning import partition_of

__all__ = ["bucket_labels", "shared_task"]


def bucket_labels(buckets: int) -> tuple[int, ...]:
    """Return a label for each partition of a shuffle: the least number that Spark's hash sends to that partition.

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


def shared_task(label: int, first: int | None, labels: Sequence[int]) -> JobError | None:
    """Return the error of a bucket that shares a task with another one; None if it does not.

    Labels are chosen so that Spark gives each bucket a partition, and thus a task, of its own. If Spark changed its
    hash, buckets would silently share tasks while other tasks stay idle. The task's own partition number does not show it:
    after a union it counts the partitions of all inputs.

    Args:
        label: Label of a bucket in this task.
        first: Label of the task's first bucket; None if this is the first.
        labels: Labels of all buckets.
    """
    if first in (None, label):
        return None
    return JobError(
        f"Spark has shuffled buckets {labels.index(first)} and {labels.index(label)} to one partition: it partitions by "
        "another hash than kafkastream expects",
        where=f"stateful stage of {len(labels)} buckets",
        now="Use a version of Spark that this version of kafkastream was tested with, and report it as a bug.",
    )
