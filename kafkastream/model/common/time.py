"""Durations and instants."""

from __future__ import annotations

import datetime
import operator
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError

__all__ = [
    "Duration",
    "Instant",
    "Time",
    "as_timestamp",
    "machine_time_zone",
    "millis_of",
    "wall_clock",
    "wall_clock_ms",
]

_NANOS_PER_MILLI: Final = 1_000_000
_NANOS_PER_SECOND: Final = 1_000 * _NANOS_PER_MILLI
_SECONDS_PER: Final = {"minutes": 60, "hours": 3_600, "days": 86_400}


def _whole(value: int, where: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise DefinitionError(
            f"{where} takes a whole number, not {value!r}", now="Use a smaller unit for a fraction, or Duration.of."
        ) from None


@final
@attrs.frozen(order=True, repr=False)
class Duration:
    """Length of time, exact to the nanosecond, negative allowed (Java: ``java.time.Duration``).

    Same as PyFlink's; ``Duration.of`` takes Python's ``timedelta`` as well.

    Example:
        >>> Duration.of_minutes(2).to_millis()
        120000
        >>> Duration.of_seconds(1) > Duration.of_millis(999)
        True
    """

    ZERO: ClassVar[Duration]

    nanoseconds: int

    @staticmethod
    def of(delta: datetime.timedelta) -> Duration:
        """Return the duration of ``delta``."""
        return Duration(delta // datetime.timedelta(microseconds=1) * 1_000)

    @staticmethod
    def of_days(days: int) -> Duration:
        """Return a duration of ``days`` of 24 hours."""
        return Duration.of_seconds(_whole(days, "Duration.of_days") * _SECONDS_PER["days"])

    ofDays = of_days

    @staticmethod
    def of_hours(hours: int) -> Duration:
        """Return a duration of ``hours``."""
        return Duration.of_seconds(_whole(hours, "Duration.of_hours") * _SECONDS_PER["hours"])

    ofHours = of_hours

    @staticmethod
    def of_minutes(minutes: int) -> Duration:
        """Return a duration of ``minutes``."""
        return Duration.of_seconds(_whole(minutes, "Duration.of_minutes") * _SECONDS_PER["minutes"])

    ofMinutes = of_minutes

    @staticmethod
    def of_seconds(seconds: int) -> Duration:
        """Return a duration of ``seconds``."""
        return Duration(_whole(seconds, "Duration.of_seconds") * _NANOS_PER_SECOND)

    ofSeconds = of_seconds

    @staticmethod
    def of_millis(millis: int) -> Duration:
        """Return a duration of ``millis`` milliseconds."""
        return Duration(_whole(millis, "Duration.of_millis") * _NANOS_PER_MILLI)

    ofMillis = of_millis

    @staticmethod
    def of_nanos(nanos: int) -> Duration:
        """Return a duration of ``nanos`` nanoseconds."""
        return Duration(_whole(nanos, "Duration.of_nanos"))

    ofNanos = of_nanos

    def to_millis(self) -> int:
        """Return the length in whole milliseconds, rounded down as in Java."""
        millis = abs(self.nanoseconds) // _NANOS_PER_MILLI
        return millis if self.nanoseconds >= 0 else -millis

    toMillis = to_millis

    def to_nanos(self) -> int:
        """Return the length in nanoseconds."""
        return self.nanoseconds

    toNanos = to_nanos

    def __repr__(self) -> str:
        millis, rest = divmod(self.nanoseconds, _NANOS_PER_MILLI)
        return f"Duration.of_nanos({self.nanoseconds})" if rest else f"Duration.of_millis({millis})"


Duration.ZERO = Duration(0)


@final
@attrs.frozen
class Time:
    """Length of a window, or time to live of a state, in milliseconds.

    Example:
        >>> Time.minutes(1).to_milliseconds()
        60000
        >>> print(Time.seconds(5))
        5000 ms
    """

    _milliseconds: int

    @staticmethod
    def milliseconds(milliseconds: int) -> Time:
        """Return a time of ``milliseconds``."""
        return Time(_whole(milliseconds, "Time.milliseconds"))

    @staticmethod
    def seconds(seconds: int) -> Time:
        """Return a time of ``seconds``."""
        return Time(_whole(seconds, "Time.seconds") * 1_000)

    @staticmethod
    def minutes(minutes: int) -> Time:
        """Return a time of ``minutes``."""
        return Time.seconds(_whole(minutes, "Time.minutes") * _SECONDS_PER["minutes"])

    @staticmethod
    def hours(hours: int) -> Time:
        """Return a time of ``hours``."""
        return Time.seconds(_whole(hours, "Time.hours") * _SECONDS_PER["hours"])

    @staticmethod
    def days(days: int) -> Time:
        """Return a time of ``days`` of 24 hours."""
        return Time.seconds(_whole(days, "Time.days") * _SECONDS_PER["days"])

    def to_milliseconds(self) -> int:
        """Return the length in milliseconds."""
        return self._milliseconds

    toMilliseconds = to_milliseconds

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"


@final
@attrs.frozen(order=True, repr=False)
class Instant:
    """Point in time: seconds since the epoch (1970-01-01T00:00Z), and nanoseconds (0 to 999,999,999) after that second.

    Example:
        >>> Instant.of_epoch_milli(1_500)
        Instant<1, 500000000>
        >>> Instant(1, 500_000_000).to_epoch_milli()
        1500
    """

    seconds: int
    nanos: int

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """Return the instant ``epoch_milli`` milliseconds after (or, if negative, before) the epoch."""
        seconds, millis = divmod(epoch_milli, 1_000)
        return Instant(seconds, millis * _NANOS_PER_MILLI)

    ofEpochMilli = of_epoch_milli

    def to_epoch_milli(self) -> int:
        """Return whole milliseconds since the epoch."""
        return self.seconds * 1_000 + self.nanos // _NANOS_PER_MILLI

    toEpochMilli = to_epoch_milli

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"


def millis_of(what: str, length: Time | Duration) -> int:
    """Return a length of time in whole ms.

    Args:
        what: Subject of the error message.
        length: The length.

    Raises:
        DefinitionError: ``length`` is neither a ``Time`` nor a ``Duration``.

    Example:
        >>> millis_of("gap", Time.seconds(5)), millis_of("gap", Duration.of_seconds(5))
        (5000, 5000)
    """
    if isinstance(length, Time):
        return length.to_milliseconds()
    if isinstance(length, Duration):
        return length.to_millis()
    raise DefinitionError(
        f"{what} must be a Time or a Duration, not {length!r}", now="Write Time.seconds(…) or the like."
    )


def as_timestamp(what: str, given: object) -> int:
    """Return a timestamp in ms, checked to be a Java ``long``; negative before the epoch.

    Args:
        what: Subject of the error message.
        given: An integer of any type.

    Raises:
        DefinitionError: ``given`` is not an integer, or needs more than 64 bits.

    Example:
        >>> as_timestamp("a timer", -5)
        -5
        >>> as_timestamp("a timer", 1.5)
        Traceback (most recent call last):
        kafkastream.errors.DefinitionError: [invalid-definition] a timer is a whole number of ms that fits into 64 bits, not 1.5
    """
    try:
        millis = operator.index(given)  # type: ignore[arg-type]  # which is what is tried here
    except TypeError:
        millis = None
    if millis is None or not -(2**63) <= millis < 2**63:
        raise DefinitionError(f"{what} is a whole number of ms that fits into 64 bits, not {given!r}")
    return millis


def wall_clock_ms() -> int:
    """Return the wall clock, in ms since the epoch."""
    return _CLOCKS[-1]()


@contextmanager
def wall_clock(clock: Callable[[], int]) -> Iterator[None]:
    """Let ``wall_clock_ms`` return the time of another clock within a ``with`` block, in all threads."""
    _CLOCKS.append(clock)
    try:
        yield
    finally:
        _CLOCKS.remove(clock)


_CLOCKS: Final[list[Callable[[], int]]] = [lambda: time.time_ns() // _NANOS_PER_MILLI]


def machine_time_zone() -> str:
    """Return the name of this machine's time zone: a fixed UTC offset would be wrong in the other half of the year."""
    if "TZ" in os.environ:
        return os.environ["TZ"].lstrip(":") or "UTC"
    path = os.path.realpath("/etc/localtime")
    _, found, name = path.partition("zoneinfo/")
    return name if found else "UTC"
