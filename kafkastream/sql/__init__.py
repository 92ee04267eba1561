"""Flink SQL as the user writes it: types, tables, statements and the options of connectors; nothing here knows Spark."""
