"""Rows on their way between Spark, keyed operators and sinks: their serialized form, and the tasks that take them."""
