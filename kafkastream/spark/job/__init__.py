"""Starts jobs and keeps them: the engine's side of an environment and of a job client.

Begin with ``engine``: a job graph becomes one query for each connected part of it. ``running_job`` starts, watches and
stops them; ``query_runner`` begins one again by the job's ``restarts``; ``query_progress`` tells what was read, ``report_handler``
does what tasks report, ``job_metrics``
and ``job_lines`` what a user sees of it; ``exactly_once`` ends what an earlier run has left open.
"""
