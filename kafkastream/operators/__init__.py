"""Flink's operators with state, in plain Python; Spark runs them, one bucket of keys at a time."""
