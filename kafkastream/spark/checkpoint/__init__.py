"""A job's checkpoint folder: its owner, its content, and whether a changed program can continue from it.

Begin with ``reader``: our small files, and how Spark's logs of offsets and commits are read; ``folder`` also writes.

- ``record`` is the identity of a job: its name, and each query's sources, sinks and operators with state, in ``job.json``.
- ``matching`` maps the program's sources to that record, or refuses the program if it cannot.
- ``identity`` makes both sides of that comparison and writes the new record; ``operators`` does so for keyed state.
- ``stored`` reads folders without Spark.
- ``owner`` refuses a second start of a running job.

The engine and ``kafkastream checkpoint`` import it; nothing here starts a query.
"""
