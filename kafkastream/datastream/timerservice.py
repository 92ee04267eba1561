"""Timers, at PyFlink's path."""

from kafkastream.spec.process_functions import TimerService

__all__ = ["TimerService"]
