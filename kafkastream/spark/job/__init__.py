"""Starts and supervises jobs: the engine behind an environment and a job client.

Begin with ``engine``: a job graph becomes a job with one query for each connected part of it.

- ``compiled_query`` is such a part, ready to start once; ``plan_compiler`` chooses its ``query_plan``: ``copy_plan``
  (Spark alone), ``chain_plan``, ``table_plan``, ``keyed_plan``, ``pipeline_plan``. ``micro_batches`` runs their tasks,
  and ``report_handler`` handles the tasks' reports.
- ``running_job`` watches and stops the queries; ``query_runner`` starts a part and restarts it by the job's
  ``restarts``; ``running_query`` is one start, ``query_progress`` its offsets, which ``group_commits`` commits.
- ``exactly_once`` and ``written_markers`` compare the sinks' markers with the checkpoint before a start.
- ``job_metrics`` and ``job_lines`` show progress to the user; ``program_end`` awaits or stops jobs at a program's end.
"""
