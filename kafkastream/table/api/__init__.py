"""Expressions and operations of the Table API, which are written as Flink SQL and planned as any query."""
