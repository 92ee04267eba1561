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
    doc="What to do when the job fails: `none`, `fixed-delay`, `failure-rate` or `exponential-delay`.",
    deprecated_keys=("restart-strategy",),
)
FIXED_DELAY_ATTEMPTS: Final = Option[int](
    key="restart-strategy.fixed-delay.attempts",
    parse=integer,
    default=1,
    doc="How often the job is started again before it has failed.",
)
FIXED_DELAY_DELAY: Final = Option[int](
    key="restart-strategy.fixed-delay.delay",
    parse=millis_of_duration,
    default=1_000,
    doc="How long to wait before each restart; in ms unless it has a unit.",
)
FAILURE_RATE_MAX: Final = Option[int](
    key="restart-strategy.failure-rate.max-failures-per-interval",
    parse=integer,
    default=1,
    doc="How many restarts there may be within the interval; one more failure, and the job has failed.",
)
FAILURE_RATE_INTERVAL: Final = Option[int](
    key="restart-strategy.failure-rate.failure-rate-interval",
    parse=millis_of_duration,
    default=60_000,
    doc="The interval in which failures are counted; in ms unless it has a unit.",
)
FAILURE_RATE_DELAY: Final = Option[int](
    key="restart-strategy.failure-rate.delay",
    parse=millis_of_duration,
    default=1_000,
    doc="How long to wait before each restart; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_INITIAL: Final = Option[int](
    key="restart-strategy.exponential-delay.initial-backoff",
    parse=millis_of_duration,
    default=1_000,
    doc="How long to wait before the first restart; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_MAX: Final = Option[int](
    key="restart-strategy.exponential-delay.max-backoff",
    parse=millis_of_duration,
    default=60_000,
    doc="How long to wait at most; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_MULTIPLIER: Final = Option[float](
    key="restart-strategy.exponential-delay.backoff-multiplier",
    parse=floating,
    default=1.5,
    doc="How many times as long to wait after each further failure.",
)
EXPONENTIAL_DELAY_RESET: Final = Option[int](
    key="restart-strategy.exponential-delay.reset-backoff-threshold",
    parse=millis_of_duration,
    default=3_600_000,
    doc="How long the job must run without a failure for the next one to count as the first; in ms unless it has a unit.",
)
EXPONENTIAL_DELAY_JITTER: Final = Option[float](
    key="restart-strategy.exponential-delay.jitter-factor",
    parse=floating,
    default=0.1,
    doc="Up to which part of itself the wait is made longer or shorter, at random.",
)
EXPONENTIAL_DELAY_ATTEMPTS: Final = Option[int](
    key="restart-strategy.exponential-delay.attempts-before-reset-backoff",
    parse=integer,
    default=2**31 - 1,
    doc="How many restarts there may be before the wait is reset; without end if not given.",
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
