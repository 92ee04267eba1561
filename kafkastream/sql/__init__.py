"""Flink SQL: types, tables, statements, options of connectors and formats, plans of queries; independent of Spark."""
