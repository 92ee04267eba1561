"""Time columns and time zones: conversion between wall-clock times and instants, in ms."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from kafkastream.errors import DefinitionError
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.sql.plan.operations import TimeAttribute

__all__ = ["domain_of", "instant_of", "local_of", "time_ms"]

_UTC: Final = datetime.timezone.utc
_EPOCH: Final = datetime.datetime(1970, 1, 1)  # noqa: DTZ001  # a wall clock's
_MILLI: Final = datetime.timedelta(milliseconds=1)
_HOUR_MS: Final = 3_600_000


def time_ms(micros: int | None) -> int:
    """Return a time column's value in ms.

    Raises:
        DefinitionError: ``micros`` is NULL.
    """
    if micros is None:
        raise DefinitionError(
            "RowTime field should not be null, please convert it to a non-null long value.",
            now="Filter the rows without a time (WHERE ... IS NOT NULL), or give them one.",
        )
    return micros // 1_000


def domain_of(time: TimeAttribute) -> TimeDomain:
    """Return the time domain of the timers for a time attribute."""
    return TimeDomain.EVENT_TIME if time is TimeAttribute.EVENT else TimeDomain.PROCESSING_TIME


def instant_of(zone: str) -> Callable[[int], int]:
    """Return the conversion from a zone's wall clock to instants, in ms (Flink's
    ``TimeWindowUtil.toEpochMillsForTimer``).

    At a change of daylight saving time, a wall-clock time that occurs twice means the later instant, and a skipped one the
    instant of the change.

    Example:
        >>> instant_of("UTC")(1_000), instant_of("Asia/Shanghai")(28_800_000)
        (1000, 0)
    """
    if zone == "UTC":
        return _identity
    rules = ZoneInfo(zone)

    def instant(local: int) -> int:
        wall_clock = _EPOCH + local * _MILLI
        first, second = (_since_epoch(wall_clock.replace(tzinfo=rules, fold=fold)) for fold in (0, 1))
        return first - first % _HOUR_MS if second < first else second

    return instant


def local_of(zone: str) -> Callable[[int], int]:
    """Return the conversion from instants to a zone's wall clock, in ms.

    Example:
        >>> local_of("Asia/Shanghai")(0)
        28800000
    """
    if zone == "UTC":
        return _identity
    rules = ZoneInfo(zone)

    def local(instant: int) -> int:
        wall_clock = (_EPOCH.replace(tzinfo=_UTC) + instant * _MILLI).astimezone(rules)
        return (wall_clock.replace(tzinfo=None) - _EPOCH) // _MILLI

    return local


def _since_epoch(wall_clock: datetime.datetime) -> int:
    return (wall_clock.astimezone(_UTC).replace(tzinfo=None) - _EPOCH) // _MILLI


def _identity(time: int) -> int:
    return time
