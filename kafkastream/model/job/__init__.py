"""Configuration of a job by Flink's keys, restart strategies, and results of running and finished jobs.

Begin with ``configuration``, the keys and values that a program sets, and ``job_settings``, what a job reads of them when it
starts. ``execution_config`` and ``configuration_view`` are typed methods over the same keys; ``restart_strategies`` says
whether a failed job starts again; ``job_result`` has the identity, status and results of a job.

Imported by the doors and by the engine.
"""
