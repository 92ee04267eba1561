from __future__ import annotations

import subprocess
import sys
from concurrent import futures
from threading import Event

import pytest

from kafkastream.kafka.background import in_background


def test_error_is_raised_where_the_result_is_asked_for() -> None:
    def call() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        in_background(call, "test").result(60)


def test_call_that_does_not_return_holds_nobody_up() -> None:
    returns = Event()
    outcome = in_background(returns.wait, "test")
    with pytest.raises((TimeoutError, futures.TimeoutError)):
        outcome.result(0.01)
    returns.set()
    assert outcome.result(60)


def test_call_that_never_returns_does_not_keep_the_program_from_ending() -> None:
    program = """
from threading import Event
from kafkastream.kafka.background import in_background
in_background(Event().wait, "test")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
