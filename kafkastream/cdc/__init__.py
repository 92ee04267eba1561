"""Change data capture: tables, their changes and schemas, in plain Python; neither Spark nor a client of Kafka's.

Where to begin:

- ``tables``: the identity and the schema of a table.
- ``changes``: changes of a table's rows, and changes of its schema.
- ``document``: from YAML to a pipeline; ``spec``: a pipeline as a frozen value, with the declarations of all options.
- ``graph``: from a pipeline to a job graph; ``node`` and ``processing``: what that holds between source and sink.

Records to changes:

- ``reader``: from Kafka's records to changes, and to the schemas that records show; ``formats`` has a reader for each format.
- ``table_rows`` and ``row_rules``: the rows of one table, and the rules by which JSON is rows.
- ``rows``, ``values``, ``times`` and ``fixed_types``: classes of rows and their JSON, and the values in them.
- ``schema_finder`` and ``inference``: the schemas that JSON shows; ``errors``: why a record gives no changes.
- ``captured``: which columns of a record are read.

Schemas:

- ``merge``: how schemas widen.
- ``book``: the schemas of all tables, and how the sink's tables come after those of the records.
- ``moving``: another sink than before.

Rules:

- ``patterns`` and ``routing``: which tables a rule means, and where they go; ``table_rules``: what rules do to schemas.
- ``projection``, ``transforms`` and ``functions``: rules with expressions, planned as Flink SQL.

Changes to sinks:

- ``fitting``: rows of one schema fitted to another.
- ``sinks``: the protocol of a sink of tables; ``folding``: changes that a writer holds.
- ``writing``: changes as Kafka records; ``event_text``: changes for eyes.

``kafkastream.pipeline`` is the door that users see, ``kafkastream.spark.cdc`` the engine that runs pipelines.
"""
