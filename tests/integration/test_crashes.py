"""Workers that end inside a function: the error names the operator, the record and how the worker has ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from kafkastream.common import Types
from kafkastream.errors import KafkastreamError, UserFunctionError, WorkerCrashedError

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read


def exits(value: str) -> str:
    if value == "bad":
        os._exit(3)
    return value


def is_killed(value: str) -> str:
    if value == "bad":
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def segfaults(value: str) -> str:
    if value == "bad":
        ctypes.string_at(0)
    return value


def exits_in_order(value: str) -> str:
    return sys.exit("no more") if value == "bad" else value


def interrupts(value: str) -> str:
    if value == "bad":
        raise KeyboardInterrupt
    return value


def is_closed(value: str) -> str:
    if value == "bad":
        raise GeneratorExit
    return value


def counts_or_exits(one: tuple[str, int], other: tuple[str, int]) -> tuple[str, int]:
    if one[0] == "bad":
        os._exit(0)
    return one[0], one[1] + other[1]


def failure(read: Read, parts: Parts, topic: str, function: Callable[[Any], Any]) -> KafkastreamError:
    parts.kafka.produce(topic, ["fine", "fine", "bad", "fine"])
    stream = read(parts.bounded(topic)).map(function, Types.STRING()).name("parse")
    with pytest.raises(KafkastreamError) as raised:
        list(stream.execute_and_collect("crash"))
    return raised.value


@pytest.mark.parametrize(
    ("function", "ended"),
    [(exits, "exited with status 3"), (is_killed, "was killed by SIGKILL"), (segfaults, "was killed by SIGSEGV")],
)
def test_worker_that_ends_is_told_with_operator_and_record(
    read: Read, parts: Parts, topic: str, function: Callable[[str], str], ended: str
) -> None:
    error = failure(read, parts, topic, function)
    assert type(error) is WorkerCrashedError
    assert error.what == f"a Python worker {ended} in operator 'parse'"
    assert error.where == f"job 'crash', topic {topic}, partition 0, offset 2; element 'bad'"
    assert ("out of memory" in error.now) is (function is is_killed)
    assert ("in segfaults" in error.now) is (function is segfaults)


@pytest.mark.parametrize(
    ("function", "said"),
    [(exits_in_order, "SystemExit: no more"), (interrupts, "KeyboardInterrupt: "), (is_closed, "GeneratorExit: ")],
)
def test_what_is_no_error_but_an_end_is_the_functions_failure(
    read: Read, parts: Parts, topic: str, function: Callable[[str], NoReturn], said: str
) -> None:
    error = failure(read, parts, topic, function)
    assert type(error) is UserFunctionError
    assert error.what == f"the function of operator 'parse' raised {said}"
    assert error.where == f"topic {topic}, partition 0, offset 2; element 'bad'"


def test_worker_of_a_keyed_operator_that_ends_is_told_with_its_key(read: Read, parts: Parts, topic: str) -> None:
    parts.kafka.produce(topic, ["fine", "bad", "fine", "bad"])
    pairs = read(parts.bounded(topic)).map(lambda value: (value, 1))
    with pytest.raises(WorkerCrashedError) as raised:
        list(pairs.key_by(lambda pair: pair[0]).reduce(counts_or_exits).name("sum").execute_and_collect("crash"))
    assert raised.value.what == "a Python worker exited with status 0 in operator 'sum'"
    assert raised.value.where == "job 'crash', key 'bad'; element ('bad', 1)"
