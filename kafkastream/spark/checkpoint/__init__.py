"""A job's checkpoint folder: whose it is, what lies in it, and whether a changed program can go on with it.

Begin with ``reader``: our small files, and how Spark's logs of offsets and commits are read; ``folder`` writes, too.

- ``record`` is the identity of a job: its name, and each query's sources, sinks and operators with state, in ``job.json``.
- ``matching`` compares a program with that record: it continues where both mean the same, and is refused otherwise.
- ``identity`` makes both sides of that comparison, and writes the new record; ``operators`` compares what state depends on.
- ``stored`` reads folders without Spark.
- ``owner`` keeps a second start of a running job out of its folder.

Imported by the engine and by ``kafkastream checkpoint``; nothing here starts a query.
"""

from kafkastream.spark.checkpoint.folder import CheckpointFolder, OffsetRange, QueryState, slug

__all__ = ["CheckpointFolder", "OffsetRange", "QueryState", "slug"]
