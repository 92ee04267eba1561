"""Calls of users' writers and committers, repeated by the retry strategy of their sink."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any, TypeVar

from kafkastream.cdc.sinks import SinkError
from kafkastream.errors import KafkastreamError, UserFunctionError
from kafkastream.model.common.call_errors import own_traceback, said
from kafkastream.model.functions.async_retries import AsyncRetryStrategy

__all__ = ["retried"]

T = TypeVar("T")


def retried(call: Callable[[], T], strategy: AsyncRetryStrategy[Any], name: str, where: str = "") -> T:
    """Call a function again, after the strategy's delay, as long as the strategy accepts its error.

    Args:
        call: The function.
        strategy: The strategy.
        name: Name of the call, for errors.
        where: Description of its arguments, for errors.

    Raises:
        SinkError: The strategy allows no further attempt.
        UserFunctionError: The function raised an error that the strategy does not accept.
    """
    accepts = strategy.get_retry_predicate().exception_predicate()
    for attempts in itertools.count(1):
        try:
            return call()
        except KafkastreamError:
            raise
        except BaseException as error:  # also sys.exit, which would end the worker
            if accepts is None or not isinstance(error, Exception) or not accepts(error):
                raise UserFunctionError(
                    f"{name} raised {said(error)}", where=where, now=own_traceback(error)
                ) from error
            if not strategy.can_retry(attempts):
                raise SinkError(
                    f"{name} failed {attempts} times, the last time by {said(error)}", where=where
                ) from error
            time.sleep(strategy.get_backoff_time_millis(attempts) / 1000)
    raise AssertionError("unreachable")
