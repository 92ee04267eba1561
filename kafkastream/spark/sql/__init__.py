"""Rows of tables on Spark: formats, user-defined functions, and rows between Spark and stateful operators."""
