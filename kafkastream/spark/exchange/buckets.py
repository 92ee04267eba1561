"""Labels of buckets: numbers that Spark shuffles to different partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from pyspark import TaskContext

from kafkastream.errors import JobError
from kafkastream.spark.internals.partitioning import partition_of

__all__ = ["bucket_labels", "bucket_of_task"]


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


def bucket_of_task(label: int, labels: Sequence[int]) -> int:
    """Return the bucket whose label has come to the running task.

    Labels are chosen so that Spark gives each bucket a partition, and thus a task, of its own. With another hash than the
    one that they are chosen by, buckets would share tasks without a word, and others stand idle.

    Args:
        label: The label.
        labels: Labels of all buckets.

    Raises:
        JobError: Spark has sent the bucket to the partition of another one.
    """
    bucket = labels.index(label)
    task = TaskContext.get()
    if task is not None and task.partitionId() != bucket:
        raise JobError(
            f"Spark has shuffled bucket {bucket} to partition {task.partitionId()}: it partitions by another hash than "
            "kafkastream expects",
            where=f"stateful stage of {len(labels)} buckets",
            now="Use a version of Spark that this version of kafkastream was tested with, and report it as a bug.",
        )
    return bucket
