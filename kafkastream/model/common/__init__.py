"""Types, rows, times and the functions that users implement first: Flink's ``common``."""
