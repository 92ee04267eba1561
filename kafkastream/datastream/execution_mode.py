"""The execution mode, at PyFlink's path."""

from kafkastream.datastream.environment import RuntimeExecutionMode

__all__ = ["RuntimeExecutionMode"]
