"""Operators of Flink SQL: aggregates, joins, deduplication and top-N of rows with kinds."""
