"""Change data capture: tables, their changes and schemas, in plain Python; neither Spark nor a client of Kafka's.

Where to begin:

- ``tables``: the identity and the schema of a table.
- ``changes``: changes of a table's rows, and changes of its schema.
- ``reader``: from Kafka's records to changes, and to the schemas that records show.
- ``rows``: classes of rows, and their JSON.
- ``merge``: how schemas widen.
- ``spec``: a pipeline as a frozen value, with the declarations of all options.
- ``document``: from YAML to such a value.
- ``patterns`` and ``routing``: which tables a rule means, and where they go.

``kafkastream.pipeline`` is the door that users see, ``kafkastream.spark.cdc`` the engine that runs pipelines.
"""
