"""Operators of Flink SQL: aggregates, joins, deduplication and top-N of rows with kinds.

Begin with ``table_operator``, their base, and ``table_operator_factory``; the engine imports this package.
"""
