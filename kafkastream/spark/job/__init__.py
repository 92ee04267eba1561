"""Starts jobs and keeps them: the engine's side of an environment and of a job client.

Begin with ``engine``: a job graph becomes a job with one query for each connected part of it.

- ``compiled_query`` is such a part, ready to start once; ``plan_compiler`` chooses the ``query_plan`` that moves its records:
  ``copy_plan`` (Spark alone), ``chain_plan``, ``table_plan``, ``keyed_plan``, ``pipeline_plan``. ``micro_batches`` runs their
  tasks, and ``report_handler`` does what these report.
- ``running_job`` watches and stops; ``query_runner`` starts a part, again by the job's ``restarts``; ``running_query`` is one
  start, and ``query_progress`` what it has read, which ``group_commits`` commits.
- ``exactly_once`` and ``written_markers`` compare sinks with the checkpoint before a start.
- ``job_metrics`` and ``job_lines`` are what a user sees; ``program_end`` is what becomes of jobs when the program ends.
"""
