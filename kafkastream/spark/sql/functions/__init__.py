"""User-defined functions in Spark expressions, from Arrow columns to an Arrow column."""
