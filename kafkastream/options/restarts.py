"""Restart strategy options, under Flink's keys."""

from __future__ import annotations

from typing import Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import choice, floating, integer, millis_of_duration

__all__ = [
    "EXPONENTIAL_DELAY_ATTEMPTS",
    "EXPONENTIAL_DELAY_INITIAL",
    "EXPONENTIAL_DELAY_JITTER",
    "EXPONENTIAL_DELAY_MAX",
    "EXPONENTIAL_DELAY_MULTIPLIER",
    "EXPONENTIAL_DELAY_RESET",
    "FAILURE_RATE_DELAY",
    "FAILURE_RATE_INTERVAL",
    "FAILURE_RATE_MAX",
    "FIXED_DELAY_ATTEMPTS",
    "FIXED_DELAY_DELAY",
    "RESTART_OPTIONS",
    "RESTART_STRATEGY",
]

RESTART_STRATEGY: Final = Option[str | None](
    key="restart-strategy.type",
    parse=choice(
        "none",
        "fixed-delay",
        "failure-rate",
        "exponential-delay",
        aliases={
            "off": "none",
            "disable": "none",
            "fixeddelay": "fixed-delay",
            "failurerate": "failure-rate",
            "exponentialdelay": "exponential-delay",
        },
    ),
    default=None,
    doc="Restart strategy of a failed job: `none`, `fixed-delay`, `failure-rate` or `exponential-delay`.",
    deprecated_keys=("restart-strategy",),
)
FIXED_DELAY_ATTEMPTS: Final = Option[int](
    key="restart-strategy.fixed-delay.attempts",
    parse=integer,
    default=1,
    doc="Number of restarts before the job fails.",
)
FIXED_DELAY_DELAY: Final = Option[int](
    key="restart-strategy.fixed-delay.delay",
    parse=millis_of_duration,
    default=1_000,
    doc="Delay before each restart; in ms unless it has a unit.",
)
FAILURE_RATE_MAX: Final = Option[int](
    key="restart-strategy.failure-rate.max-failures-per-interval",
    parse=integer,
    default=1,
    doc="Maximum number of restarts within the interval; the next failure fails the job.",
)
FAILURE_RATE_INTERVAL: Final = Option[int](
    key="restart-strategy.failure-rate.failure-rate-interval",
    parse=millis_of_duration,
    default=60_000,
    doc="Interval in which failures are counted; in ms unless it has a unit.",
)
FAILURE_RATE_DELAY: Final = Option[int](
    key="restart-strategy.failure-rate.delay",
    parse=millis_of_duration,
    default=1_000,
    doc="Delay before each restart; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_INITIAL: Final = Option[int](
    key="restart-strategy.exponential-delay.initial-backoff",
    parse=millis_of_duration,
    default=1_000,
    doc="Delay before the first restart; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_MAX: Final = Option[int](
    key="restart-strategy.exponential-delay.max-backoff",
    parse=millis_of_duration,
    default=60_000,
    doc="Maximum delay; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_MULTIPLIER: Final = Option[float](
    key="restart-strategy.exponential-delay.backoff-multiplier",
    parse=floating,
    default=1.5,
    doc="Factor by which the delay grows with each failure.",
)
EXPONENTIAL_DELAY_RESET: Final = Option[int](
    key="restart-strategy.exponential-delay.reset-backoff-threshold",
    parse=millis_of_duration,
    default=3_600_000,
    doc="Time without a failure after which the delay is reset to its initial value; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_JITTER: Final = Option[float](
    key="restart-strategy.exponential-delay.jitter-factor",
    parse=floating,
    default=0.1,
    doc="Maximum random change of the delay, as a fraction of it.",
)
EXPONENTIAL_DELAY_ATTEMPTS: Final = Option[int](
    key="restart-strategy.exponential-delay.attempts-before-reset-backoff",
    parse=integer,
    default=2**31 - 1,
    doc="Maximum number of restarts before the delay is reset; by default, no limit.",
)

RESTART_OPTIONS: Final = (
    RESTART_STRATEGY,
    FIXED_DELAY_ATTEMPTS,
    FIXED_DELAY_DELAY,
    FAILURE_RATE_MAX,
    FAILURE_RATE_INTERVAL,
    FAILURE_RATE_DELAY,
    EXPONENTIAL_DELAY_INITIAL,
    EXPONENTIAL_DELAY_MAX,
    EXPONENTIAL_DELAY_MULTIPLIER,
    EXPONENTIAL_DELAY_RESET,
    EXPONENTIAL_DELAY_JITTER,
    EXPONENTIAL_DELAY_ATTEMPTS,
)
