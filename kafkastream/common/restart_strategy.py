"""Restart strategies, at PyFlink's path."""

from kafkastream.spec.restart import RestartStrategies, RestartStrategyConfiguration

__all__ = ["RestartStrategies", "RestartStrategyConfiguration"]
