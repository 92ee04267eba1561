"""A job's identity, at PyFlink's path."""

from kafkastream.spec.job import JobID

__all__ = ["JobID"]
