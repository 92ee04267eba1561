"""Restart strategies: whether, how often and after which delay a failed job is started again."""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.time import Duration, Time, millis_of
from kafkastream.model.job.configuration import Configuration
from kafkastream.options import restarts as options
from kafkastream.options.option import Option

__all__ = [
    "ExponentialDelayRestart",
    "FailureRateRestart",
    "FallbackRestart",
    "FixedDelayRestart",
    "NoRestart",
    "RestartStrategies",
    "RestartStrategyConfiguration",
    "restart_strategy_of",
]

Length: TypeAlias = int | datetime.timedelta | Time | Duration
"""Length of time; an integer is in ms."""


def _at_least(least: int) -> Callable[[Any, attrs.Attribute[int], int], None]:
    def check(strategy: object, field: attrs.Attribute[int], value: int) -> None:
        if value < least:
            raise DefinitionError(
                f"{field.name} = {value} is less than {least}", where=type(strategy).__name__, now="Give more."
            )

    return check


@attrs.frozen
class RestartStrategyConfiguration(ABC):
    """Restart strategy; made with ``RestartStrategies``."""

    kind: ClassVar[str | None] = None
    settings: ClassVar[tuple[Option[Any], ...]] = ()
    """Keys of Flink's configuration for the fields, in their order."""

    @abstractmethod
    def get_description(self) -> str:
        """Return the strategy in a sentence, as Flink's web interface shows it."""

    def set_in(self, configuration: Configuration) -> None:
        """Write the strategy into a configuration, by Flink's keys."""
        for key in options.RESTART_STRATEGY.keys:
            configuration.remove_config(key)
        if self.kind is not None:
            configuration.set(options.RESTART_STRATEGY, self.kind)
        for option, value in zip(self.settings, attrs.astuple(self), strict=True):
            configuration.set(option, value)


@final
@attrs.frozen
class FallbackRestart(RestartStrategyConfiguration):
    """Default strategy: a failed job ends with its error."""

    def get_description(self) -> str:
        """Return the strategy in a sentence."""
        return "Cluster level default restart strategy"

    getDescription = get_description


@final
@attrs.frozen
class NoRestart(RestartStrategyConfiguration):
    """Strategy without restarts: a failed job ends with its error."""

    kind = "none"

    def get_description(self) -> str:
        """Return the strategy in a sentence."""
        return "Restart deactivated."

    getDescription = get_description


@final
@attrs.frozen
class FixedDelayRestart(RestartStrategyConfiguration):
    """Strategy with a limited number of restarts, each after the same delay (in ms)."""

    restart_attempts: int = attrs.field(validator=_at_least(0))
    delay_ms: int = attrs.field(validator=_at_least(0))

    kind = "fixed-delay"
    settings = (options.FIXED_DELAY_ATTEMPTS, options.FIXED_DELAY_DELAY)

    def get_restart_attempts(self) -> int:
        """Return the largest number of restarts."""
        return self.restart_attempts

    getRestartAttempts = get_restart_attempts

    def get_delay_between_attempts_interval(self) -> datetime.timedelta:
        """Return the delay before each restart."""
        return datetime.timedelta(milliseconds=self.delay_ms)

    getDelayBetweenAttemptsInterval = get_delay_between_attempts_interval

    def get_description(self) -> str:
        """Return the strategy in a sentence."""
        return f"Restart with fixed delay ({self.delay_ms} ms). #{self.restart_attempts} restart attempts."

    getDescription = get_description


@final
@attrs.frozen
class FailureRateRestart(RestartStrategyConfiguration):
    """Strategy that restarts unless the job has failed too often within an interval; times are in ms."""

    max_failure_rate: int = attrs.field(validator=_at_least(1))
    interval_ms: int = attrs.field(validator=_at_least(1))
    delay_ms: int = attrs.field(validator=_at_least(0))

    kind = "failure-rate"
    settings = (options.FAILURE_RATE_MAX, options.FAILURE_RATE_INTERVAL, options.FAILURE_RATE_DELAY)

    def get_max_failure_rate(self) -> int:
        """Return the largest number of restarts within the interval."""
        return self.max_failure_rate

    getMaxFailureRate = get_max_failure_rate

    def get_failure_interval(self) -> datetime.timedelta:
        """Return the interval in which failures are counted."""
        return datetime.timedelta(milliseconds=self.interval_ms)

    getFailureInterval = get_failure_interval

    def get_delay_between_attempts_interval(self) -> datetime.timedelta:
        """Return the delay before each restart."""
        return datetime.timedelta(milliseconds=self.delay_ms)

    getDelayBetweenAttemptsInterval = get_delay_between_attempts_interval

    def get_description(self) -> str:
        """Return the strategy in a sentence."""
        return (
            f"Failure rate restart with maximum of {self.max_failure_rate} failures within interval "
            f"{self.interval_ms} ms and fixed delay {self.delay_ms} ms."
        )

    getDescription = get_description


@final
@attrs.frozen
class ExponentialDelayRestart(RestartStrategyConfiguration):
    """Strategy whose delay grows with each restart; times are in ms.

    Args:
        initial_ms: First delay.
        max_ms: Longest delay.
        multiplier: Factor between one delay and the next.
        reset_ms: Time without a failure after which the delay is reset to the first.
        jitter: Fraction of the delay by which it is made longer or shorter, at random.
        attempts: Largest number of restarts before the delay is reset.
    """

    initial_ms: int = attrs.field(validator=_at_least(1))
    max_ms: int
    multiplier: float
    reset_ms: int = attrs.field(validator=_at_least(1))
    jitter: float
    attempts: int = attrs.field(default=options.EXPONENTIAL_DELAY_ATTEMPTS.default, validator=_at_least(1))

    kind = "exponential-delay"
    settings = (
        options.EXPONENTIAL_DELAY_INITIAL,
        options.EXPONENTIAL_DELAY_MAX,
        options.EXPONENTIAL_DELAY_MULTIPLIER,
        options.EXPONENTIAL_DELAY_RESET,
        options.EXPONENTIAL_DELAY_JITTER,
        options.EXPONENTIAL_DELAY_ATTEMPTS,
    )

    def __attrs_post_init__(self) -> None:
        if self.max_ms < self.initial_ms or self.multiplier <= 1 or not 0 <= self.jitter <= 1:
            raise DefinitionError(
                f"waiting {self.initial_ms} ms at first and {self.max_ms} ms at most, {self.multiplier:g} times as long "
                f"each time, with a jitter of {self.jitter:g}, is not a valid exponential delay",
                where=type(self).__name__,
                now="The maximum must not be less than the first, the multiplier more than 1, the jitter from 0 to 1.",
            )

    def get_description(self) -> str:
        """Return the strategy in a sentence."""
        return (
            f"Restart with exponential delay: starting at {self.initial_ms} ms, increasing by {self.multiplier:f}, "
            f"with maximum {self.max_ms} ms. Delay resets after {self.reset_ms} ms with jitter {self.jitter:f}"
        )

    getDescription = get_description


@final
@checked_methods
class RestartStrategies:
    """Factory of restart strategies, for ``set_restart_strategy``; times are in ms, or a ``timedelta``, ``Time`` or
    ``Duration``.

    Example:
        >>> RestartStrategies.fixed_delay_restart(3, 10_000).get_description()
        'Restart with fixed delay (10000 ms). #3 restart attempts.'
    """

    NoRestartStrategyConfiguration = NoRestart
    FallbackRestartStrategyConfiguration = FallbackRestart
    FixedDelayRestartStrategyConfiguration = FixedDelayRestart
    FailureRateRestartStrategyConfiguration = FailureRateRestart
    ExponentialDelayRestartStrategyConfiguration = ExponentialDelayRestart

    @staticmethod
    def no_restart() -> NoRestart:
        """Return the strategy without restarts."""
        return NoRestart()

    noRestart = no_restart

    @staticmethod
    def fall_back_restart() -> FallbackRestart:
        """Return the default strategy.

        Differs from Flink: there is no cluster whose strategy would apply; a failed job ends with its error.
        """
        return FallbackRestart()

    fallBackRestart = fall_back_restart

    @staticmethod
    def fixed_delay_restart(restart_attempts: int, delay_between_attempts: Length) -> FixedDelayRestart:
        """Return a strategy that restarts a limited number of times, with the same delay each time.

        Args:
            restart_attempts: Largest number of restarts.
            delay_between_attempts: Delay before each restart.
        """
        return FixedDelayRestart(restart_attempts, _millis("delay_between_attempts", delay_between_attempts))

    fixedDelayRestart = fixed_delay_restart

    @staticmethod
    def failure_rate_restart(failure_rate: int, failure_interval: Length, delay_interval: Length) -> FailureRateRestart:
        """Return a strategy that restarts unless the job fails too often.

        Args:
            failure_rate: Largest number of restarts within the interval.
            failure_interval: Interval in which failures are counted.
            delay_interval: Delay before each restart.
        """
        return FailureRateRestart(
            failure_rate, _millis("failure_interval", failure_interval), _millis("delay_interval", delay_interval)
        )

    failureRateRestart = failure_rate_restart

    @staticmethod
    def exponential_delay_restart(
        initial_backoff: Length,
        max_backoff: Length,
        backoff_multiplier: float,
        reset_backoff_threshold: Length,
        jitter_factor: float,
    ) -> ExponentialDelayRestart:
        """Return a strategy whose delay grows with each restart; PyFlink lacks it.

        Args:
            initial_backoff: First delay.
            max_backoff: Longest delay.
            backoff_multiplier: Factor between one delay and the next.
            reset_backoff_threshold: Time without a failure after which the delay is reset to the first.
            jitter_factor: Fraction of the delay by which it is made longer or shorter, at random.
        """
        return ExponentialDelayRestart(
            _millis("initial_backoff", initial_backoff),
            _millis("max_backoff", max_backoff),
            backoff_multiplier,
            _millis("reset_backoff_threshold", reset_backoff_threshold),
            jitter_factor,
        )

    exponentialDelayRestart = exponential_delay_restart


_KINDS: dict[str | None, type[RestartStrategyConfiguration]] = {
    kind.kind: kind
    for kind in (
        FallbackRestart,
        NoRestart,
        FixedDelayRestart,
        FailureRateRestart,
        ExponentialDelayRestart,
    )
}


def restart_strategy_of(configuration: Configuration) -> RestartStrategyConfiguration:
    """Return the strategy that a configuration asks for.

    Raises:
        DefinitionError: A value cannot be read, or does not fit.

    Example:
        >>> restart_strategy_of(Configuration().set_string("restart-strategy.type", "fixed-delay"))
        FixedDelayRestart(restart_attempts=1, delay_ms=1000)
    """
    kind = _KINDS[configuration.get(options.RESTART_STRATEGY)]
    return kind(*map(configuration.get, kind.settings))


def _millis(what: str, length: Length) -> int:
    match length:
        case int():
            return length
        case datetime.timedelta():
            return Duration.of(length).to_millis()
        case _:
            return millis_of(what, length)
