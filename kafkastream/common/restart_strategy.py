"""``RestartStrategies``, at PyFlink's path."""

from kafkastream.model.job.restart_strategies import RestartStrategies, RestartStrategyConfiguration

__all__ = ["RestartStrategies", "RestartStrategyConfiguration"]
