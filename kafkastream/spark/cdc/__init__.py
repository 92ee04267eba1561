"""The engine of YAML pipelines: records to changes, changes to a sink, schemas that follow the records.

The driver's side:

- ``plan``: what a start would find and make. (``spark.job.pipelines`` starts pipelines.)
- ``query``: runs a micro-batch; widens the schemas if records do not fit them.
- ``starting``: the first schemas, from DDL or from the newest records.
- ``tasks``: operator chains under the current schemas: one, or two if a transform rule has expressions.
- ``transforms``: Spark expressions between those two chains.
- ``appliers``: apply schema changes to the sink's tables.

A worker's side:

- ``decoder`` and ``row_changes``: read changes until a record does not fit, then look for schemas in the rest.
- ``messages``: hand changes over from the first chain to the second.
- ``table_sink``: transactions of sinks of tables. ``dirty_data``: records that cannot be read, in the log.

Sinks: ``postgres_sink``, and ``delta_sink`` with ``frame_sink``; a module registers its classes with ``sink_operator``,
``metadata_applier`` and ``sink_steps``. ``spark.worker.change_router`` routes changes to the sink's tables.
"""
