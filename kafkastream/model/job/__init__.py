"""Configuration of a job by Flink's keys, restart strategies, and results of running and finished jobs."""
