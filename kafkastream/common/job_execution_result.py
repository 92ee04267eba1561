"""``JobExecutionResult``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.job.job_result import JobExecutionResult, JobID

__all__ = [
    "JobExecutionResult",
    "JobID",
]
