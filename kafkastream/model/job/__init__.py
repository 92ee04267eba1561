"""Settings of a job by Flink's keys, and what becomes of it."""
