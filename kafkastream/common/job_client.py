"""``JobClient``, at PyFlink's path."""

from __future__ import annotations

from concurrent.futures import Future as CompletableFuture

from kafkastream.model.job.job_result import JobClient, JobExecutionResult, JobID, JobStatus

__all__ = [
    "CompletableFuture",
    "JobClient",
    "JobExecutionResult",
    "JobID",
    "JobStatus",
]
