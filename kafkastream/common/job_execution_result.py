"""What remains of a finished job, at PyFlink's path."""

from kafkastream.spec.job import JobExecutionResult

__all__ = ["JobExecutionResult"]
