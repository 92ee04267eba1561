"""Queries of Flink SQL: what they ask for, as relations whose expressions Spark can compute."""
