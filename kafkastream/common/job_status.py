"""``JobStatus``, at PyFlink's path."""

from kafkastream.model.job.job_result import JobStatus

__all__ = ["JobStatus"]
