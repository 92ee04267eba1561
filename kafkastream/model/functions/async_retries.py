"""Retry strategies of asynchronous functions, and the predicates that decide which outcomes are retried."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError

__all__ = [
    "NO_RETRY_STRATEGY",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "ExponentialBackoffDelayRetryStrategy",
    "FixedDelayRetryStrategy",
    "NoRetryStrategy",
    "RetryPredicate",
]

OUT = TypeVar("OUT", default=Any)

ResultPredicate = Callable[[list[OUT]], bool]
ExceptionPredicate = Callable[[Exception], bool]


class AsyncRetryPredicate(ABC, Generic[OUT]):
    """Decides from the outcome of an invocation whether to retry it."""

    @abstractmethod
    def result_predicate(self) -> ResultPredicate[OUT] | None:
        """Return a function that is true for results to retry on, or None to accept every result."""

    @abstractmethod
    def exception_predicate(self) -> ExceptionPredicate | None:
        """Return a function that is true for exceptions to retry on, or None to retry on no exception."""


class AsyncRetryStrategy(ABC, Generic[OUT]):
    """Decides about retries of an invocation, and their delay.

    One object serves all elements of an operator, several of them at a time, so keep no state of a single element in
    it.
    """

    @abstractmethod
    def can_retry(self, current_attempts: int) -> bool:
        """Return whether another attempt may follow after ``current_attempts`` of them."""

    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return the delay before the next attempt, in ms.

        Args:
            current_attempts: Number of attempts so far; 1 before the first retry.
        """

    @abstractmethod
    def get_retry_predicate(self) -> AsyncRetryPredicate[OUT]:
        """Return the predicate that decides which outcomes are retried."""

    @staticmethod
    def no_restart() -> AsyncRetryStrategy[Any]:
        """Return the strategy that never retries."""
        return NO_RETRY_STRATEGY

    noRestart = no_restart

    @staticmethod
    def fixed_delay(
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: ResultPredicate[OUT] | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> FixedDelayRetryStrategy[OUT]:
        """Return a strategy that waits equally long before each retry.

        Args:
            max_attempts: Largest number of retries.
            backoff_time_millis: Delay before each retry, in ms.
            result_predicate: True for results to retry on; None accepts every result.
            exception_predicate: True for exceptions to retry on; None retries on none.
        """
        return FixedDelayRetryStrategy(max_attempts, backoff_time_millis, result_predicate, exception_predicate)

    fixedDelay = fixed_delay

    @staticmethod
    def exponential_backoff(
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: ResultPredicate[OUT] | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> ExponentialBackoffDelayRetryStrategy[OUT]:
        """Return a strategy whose delay grows with each retry.

        Args:
            max_attempts: Largest number of retries.
            initial_delay: Delay before the first retry, in ms.
            max_retry_delay: Upper limit of the delays, in ms.
            multiplier: Factor between one delay and the next.
            result_predicate: True for results to retry on; None accepts every result.
            exception_predicate: True for exceptions to retry on; None retries on none.
        """
        return ExponentialBackoffDelayRetryStrategy(
            max_attempts, initial_delay, max_retry_delay, multiplier, result_predicate, exception_predicate
        )

    exponentialBackoff = exponential_backoff


@final
@attrs.frozen
class RetryPredicate(AsyncRetryPredicate[OUT]):
    """Predicate made of two functions, each of which may be None."""

    _result_predicate: ResultPredicate[OUT] | None = attrs.field()
    _exception_predicate: ExceptionPredicate | None = attrs.field()

    @_result_predicate.validator
    @_exception_predicate.validator
    def _check_function(self, attribute: attrs.Attribute[Any], given: object) -> None:
        if given is not None and not callable(given):
            raise DefinitionError(f"{attribute.alias} must be a function or None, not {given!r}")

    def result_predicate(self) -> ResultPredicate[OUT] | None:
        """Return the function that is true for results to retry on."""
        return self._result_predicate

    def exception_predicate(self) -> ExceptionPredicate | None:
        """Return the function that is true for exceptions to retry on."""
        return self._exception_predicate


class NoRetryStrategy(AsyncRetryStrategy[OUT]):
    """Strategy that never retries."""

    def can_retry(self, current_attempts: int) -> bool:
        """Return False."""
        return False

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return -1, as Flink does; no retry follows."""
        return -1

    def get_retry_predicate(self) -> AsyncRetryPredicate[OUT]:
        """Return a predicate that accepts every outcome."""
        return RetryPredicate(None, None)


class _LimitedRetries(AsyncRetryStrategy[OUT]):
    """Base of strategies that retry at most ``max_attempts`` times; the first attempt does not count."""

    def __init__(
        self,
        max_attempts: int,
        result_predicate: ResultPredicate[OUT] | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> None:
        self._max_attempts = _positive("max_attempts", max_attempts)
        self._predicate = RetryPredicate(result_predicate, exception_predicate)

    def can_retry(self, current_attempts: int) -> bool:
        """Return whether fewer retries were made than are allowed."""
        return current_attempts <= self._max_attempts

    def get_retry_predicate(self) -> AsyncRetryPredicate[OUT]:
        """Return the predicate made of the two functions."""
        return self._predicate


class FixedDelayRetryStrategy(_LimitedRetries[OUT]):
    """Strategy that waits equally long before each retry."""

    def __init__(
        self,
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: ResultPredicate[OUT] | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> None:
        super().__init__(max_attempts, result_predicate, exception_predicate)
        self._backoff_time_millis = _positive("backoff_time_millis", backoff_time_millis)

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return the delay."""
        return self._backoff_time_millis


class ExponentialBackoffDelayRetryStrategy(_LimitedRetries[OUT]):
    """Strategy that waits ``initial_delay`` before the first retry, and ``multiplier`` times as long before each
    further one.

    Same as in Flink: ``max_retry_delay`` limits all delays but the first.
    Differs from PyFlink: each element has delays of its own, where PyFlink's elements move on one shared delay.
    """

    def __init__(
        self,
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: ResultPredicate[OUT] | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> None:
        super().__init__(max_attempts, result_predicate, exception_predicate)
        self._initial_delay = _positive("initial_delay", initial_delay)
        self._max_retry_delay = _positive("max_retry_delay", max_retry_delay)
        self._multiplier = _positive("multiplier", multiplier, int, float)

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return the delay before the retry that follows this attempt.

        Example:
            >>> strategy = ExponentialBackoffDelayRetryStrategy(5, 10, 100, 3.0, None, None)
            >>> [strategy.get_backoff_time_millis(attempt) for attempt in (1, 2, 3, 4)]
            [10, 30, 90, 100]
        """
        delay = self._initial_delay
        for _ in range(1, current_attempts):
            delay = int(min(delay * self._multiplier, self._max_retry_delay))
        return delay


NO_RETRY_STRATEGY: Final[AsyncRetryStrategy[Any]] = NoRetryStrategy()

Number = TypeVar("Number", int, float)


def _positive(what: str, given: Number, *kinds: type) -> Number:
    if isinstance(given, bool) or not isinstance(given, kinds or (int,)) or not given > 0:
        raise DefinitionError(f"{what} must be a number greater than 0, not {given!r}")
    return given
