"""Rows of tables on Spark: their formats, their functions, and rows beside operators with state."""
