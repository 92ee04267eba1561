"""``TimeDomain`` of timers: event time or processing time, at PyFlink's path."""

from kafkastream.model.functions.process_functions import TimeDomain

__all__ = ["TimeDomain"]
