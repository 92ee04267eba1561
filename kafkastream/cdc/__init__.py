"""Change data capture: tables, their changes and schemas, in plain Python, without Spark or a Kafka client.

Where to begin:

- ``tables``: identity and schema of a table.
- ``changes``: changes of a table's rows, and of its schema.
- ``document``: from YAML to a pipeline; ``spec``: a pipeline as a frozen value, with the declarations of all options.
- ``graph``: from a pipeline to a job graph; ``node`` and ``processing``: the operator between source and sink.

Records to changes:

- ``reader``: from Kafka records to changes and to inferred schemas; ``formats`` has a reader for each format.
- ``table_rows`` and ``row_rules``: rows of one table, and the rules that map JSON to rows.
- ``rows``, ``values``, ``times`` and ``fixed_types``: classes of rows, their JSON, and conversion of values.
- ``schema_finder`` and ``inference``: schemas inferred from JSON; ``errors``: reasons why a record gives no changes.
- ``captured``: the columns of Spark's Kafka source that are read.

Schemas:

- ``merge``: widening of schemas.
- ``book``: schemas of all tables, and the evolution of the sink's tables.
- ``moving``: creation of the tables in another sink.

Rules:

- ``patterns`` and ``routing``: tables that a rule selects, and their targets; ``table_rules``: effect of rules on
schemas.
- ``projection``, ``transforms`` and ``functions``: rules with expressions, planned as Flink SQL.

Changes to sinks:

- ``fitting``: rows of one schema converted to another.
- ``sinks``: protocol of a sink of tables; ``folding``: changes buffered by a writer.
- ``writing``: changes as Kafka records; ``event_text``: changes as text.

``kafkastream.pipeline`` is the public API, ``kafkastream.spark.cdc`` the engine that runs pipelines.
"""
