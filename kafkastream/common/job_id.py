"""``JobID``, at PyFlink's path."""

from kafkastream.model.job.job_result import JobID

__all__ = ["JobID"]
