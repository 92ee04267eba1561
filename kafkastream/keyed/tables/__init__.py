"""Flink SQL's keyed operators: what the operations of ``kafkastream.sql.query.operations`` do to rows."""
