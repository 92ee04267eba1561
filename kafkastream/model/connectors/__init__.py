"""Sources and sinks: Kafka, files and PostgreSQL, with Flink's defaults and rules."""
