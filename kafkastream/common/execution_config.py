"""``ExecutionConfig``, at PyFlink's path."""

from kafkastream.model.job.execution_config import ExecutionConfig

__all__ = ["ExecutionConfig"]
