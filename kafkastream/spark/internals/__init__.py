"""Undocumented names of pyspark, py4j and Spark's JVM, each in one function with a link to Spark's source.

Nothing else in this package touches such a name: a new version of Spark can break these modules and no others.
``tests/smoke/probes.py`` calls each function on the oldest and on the newest Spark that ``pyproject.toml`` allows.

- ``jvm`` is the gateway, the JVM behind it, its class path and its active session.
- ``running_spark`` says whether Spark runs, without importing it.
- ``queries`` asks a running query, and replaces the offset reader of its Kafka source.
- ``python`` is the Python side of workers: types of Arrow, functions, the daemon.
- ``pickles`` pickles what workers read and what state keeps.
- ``state_server`` is the server that tasks with state ask for it.
- ``partitioning`` is the hash by which Spark shuffles.
- ``checkpoints`` reads the files that Spark keeps of a query.
- ``conditions`` reads error conditions.
- ``texts`` has the messages that tell what no condition tells.

Imported by all rooms of the engine; imports none of them.
"""
