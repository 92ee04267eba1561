"""Changes as Kafka records: Flink CDC's Debezium JSON and Canal JSON.

- ``records``: topic, key, partition and headers of a change.
- ``debezium``, ``canal``: its value.
- ``connect``: schemas and values of Kafka Connect, for Debezium JSON that brings its schema along.
"""
