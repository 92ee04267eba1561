"""A job's checkpoint folder: whose it is, what lies in it, and whether a changed program can go on with it.

Begin with ``folder``: the files beside Spark's own checkpoint, and how Spark's logs of offsets and commits are read.

- ``record`` is the identity of a job: its name, and each query's sources, sinks and operators with state, in ``job.json``.
- ``matching`` compares a program with that record: it continues where both mean the same, and is refused otherwise.
- ``owner`` keeps a second start of a running job out of its folder.

Imported by the engine and by ``kafkastream checkpoint``; nothing here starts a query.
"""

from kafkastream.spark.checkpoint.folder import CheckpointFolder, Extent, QueryState, slug

__all__ = ["CheckpointFolder", "Extent", "QueryState", "slug"]
