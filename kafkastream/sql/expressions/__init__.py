"""Flink SQL's expressions and functions as Spark SQL that gives the same values."""
