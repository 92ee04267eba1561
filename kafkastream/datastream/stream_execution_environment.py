"""The environment, at PyFlink's path."""

from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["StreamExecutionEnvironment"]
