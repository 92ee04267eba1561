"""The clocks of timers, at PyFlink's path."""

from kafkastream.spec.process_functions import TimeDomain

__all__ = ["TimeDomain"]
