"""Compiles the expressions of Flink SQL: nodes of sqlglot become typed expressions of ``kafkastream.sql.plan``."""
