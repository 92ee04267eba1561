"""Apache Flink's Kafka connectors and DataStream API, in Python, on Spark."""
