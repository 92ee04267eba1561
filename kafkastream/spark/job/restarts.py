"""Decides whether and when a failed job is restarted, by its restart strategy."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol, final

from kafkastream.errors import (
    DefinitionError,
    KafkastreamError,
    SparkLostError,
    UnsupportedFeatureError,
)
from kafkastream.model.job.restart_strategies import (
    ExponentialDelayRestart,
    FailureRateRestart,
    FixedDelayRestart,
    RestartStrategyConfiguration,
)

__all__ = ["Patience", "Restarts"]

_ENDLESS_MS = 1e15
_TRIES = 10
_LONGEST_PAUSE_S = 30.0
_HOPELESS = (DefinitionError, UnsupportedFeatureError, SparkLostError)
"""Errors that a restart cannot cure: the job's definition is wrong, or Spark's JVM is gone."""


@final
class Restarts:
    """Decides about each failure; shared by all parts of a job, as in Flink.

    Args:
        strategy: Restart strategy of the job.
        clock_ms: Returns the time in ms; only differences count.

    Attributes:
        count: Number of restarts so far.
    """

    def __init__(
        self,
        strategy: RestartStrategyConfiguration,
        clock_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self.count = 0
        self._clock_ms = clock_ms
        self._waits = _waits_of(strategy)

    def wait_ms(self, error: KafkastreamError) -> int | None:
        """Return the backoff before the restart after a failure, in ms; None if the job has failed for good."""
        if self._waits is None or isinstance(error, _HOPELESS):
            return None
        wait = self._waits.after_failure(self._clock_ms())
        self.count += wait is not None
        return wait


@final
class Patience:
    """Retries, at growing intervals, when one of Spark's Python workers has not started in time.

    Spark gives the workers on the driver 10 seconds, and has no setting for that
    (``PythonWorkerFactory.createSimpleWorker``); on a busy machine they need longer. These retries do not count as
    restarts of the job's strategy.

    Example:
        >>> patience = Patience()
        >>> [patience.wait_s(progressed=False) for _ in range(11)]
        [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0, 30.0, 30.0, None]

    Attributes:
        tries: Number of retries since the part last made progress.
    """

    def __init__(self) -> None:
        self.tries = 0

    def wait_s(self, *, progressed: bool) -> float | None:
        """Return the seconds before the next retry; None after too many without progress."""
        self.tries = 1 if progressed else self.tries + 1
        return None if self.tries > _TRIES else min(2.0 ** (self.tries - 1), _LONGEST_PAUSE_S)


class _Waits(Protocol):
    """Backoff after each failure (Flink's RestartBackoffTimeStrategy)."""

    def after_failure(self, now: int) -> int | None:
        """Backoff in ms, or None for no more restarts."""


def _waits_of(strategy: RestartStrategyConfiguration) -> _Waits | None:
    match strategy:
        case FixedDelayRestart():
            return _FixedDelay(strategy)
        case FailureRateRestart():
            return _FailureRate(strategy)
        case ExponentialDelayRestart():
            return _ExponentialDelay(strategy)
        case _:
            return None


@final
class _FixedDelay:
    def __init__(self, strategy: FixedDelayRestart) -> None:
        self._strategy = strategy
        self._left = strategy.restart_attempts

    def after_failure(self, now: int) -> int | None:
        self._left -= 1
        return None if self._left < 0 else self._strategy.delay_ms


@final
class _FailureRate:
    def __init__(self, strategy: FailureRateRestart) -> None:
        self._strategy = strategy
        self._failures: deque[int] = deque(maxlen=strategy.max_failure_rate + 1)

    def after_failure(self, now: int) -> int | None:
        self._failures.append(now)
        is_full = len(self._failures) == self._failures.maxlen
        too_often = is_full and now - self._failures[0] <= self._strategy.interval_ms
        return None if too_often else self._strategy.delay_ms


@final
class _ExponentialDelay:
    def __init__(self, strategy: ExponentialDelayRestart) -> None:
        self._strategy = strategy
        self._attempts = 0
        self._backoff = 0.0
        self._next: int | None = None

    def after_failure(self, now: int) -> int | None:
        if self._next is not None and now <= self._next:  # another part fails while one waits: both restart together
            return self._next - now
        if self._next is None or now - self._next >= self._strategy.reset_ms:
            self._attempts, self._backoff = 0, float(self._strategy.initial_ms)
        wait = self._wait()
        self._next = now + wait
        self._attempts += 1
        self._backoff = min(self._backoff * self._strategy.multiplier, _ENDLESS_MS)
        return None if self._attempts > self._strategy.attempts else wait

    def _wait(self) -> int:
        jitter = random.uniform(-1, 1) * self._strategy.jitter  # noqa: S311 - no secret
        return round(max(self._strategy.initial_ms, min(self._backoff * (1 + jitter), self._strategy.max_ms)))
