"""Compiles expressions of Flink SQL from sqlglot's nodes to typed expressions of ``kafkastream.sql.plan``."""
