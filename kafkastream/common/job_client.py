"""The handle to a running job, at PyFlink's path."""

from kafkastream.spec.job import JobClient

__all__ = ["JobClient"]
