"""Where a job stands, at PyFlink's path."""

from kafkastream.spec.job import JobStatus

__all__ = ["JobStatus"]
