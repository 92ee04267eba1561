"""``TimerService``, at PyFlink's path."""

from kafkastream.model.functions.process_functions import TimerService

__all__ = ["TimerService"]
