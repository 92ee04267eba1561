"""Change data capture: tables, their changes and their schemas, in plain Python; neither Spark nor a client of Kafka's.

Where to begin:

- ``tables``: the identity and the schema of a table.
- ``changes``: changes of a table's rows, and changes of its schema.

``kafkastream.pipeline`` is the door that users see, ``kafkastream.spark.cdc`` the engine that runs pipelines.
"""
