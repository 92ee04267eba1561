"""Ctrl-C ends a program, but in an interactive session only the statement or cell, at once or when the JVM has answered."""

from __future__ import annotations

import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafkastream.spark.session.signals import end_by, interrupt_held_back, interruptible, stop_signals


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_is_the_exit_code_of_a_program(number: int, code: int) -> None:
    with pytest.raises(SystemExit) as ended:
        end_by(number)
    assert ended.value.code == code


def test_ctrl_c_does_not_end_an_interactive_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    with pytest.raises(KeyboardInterrupt):
        end_by(signal.SIGINT)
    with pytest.raises(SystemExit):
        end_by(signal.SIGTERM)


def test_handler_of_others_is_left_out_while_rows_are_awaited() -> None:
    calls: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: calls.append(number))
    try:
        with pytest.raises(KeyboardInterrupt), interruptible():
            signal.raise_signal(signal.SIGINT)
        assert calls == []
        signal.raise_signal(signal.SIGINT)
        assert calls == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_second_signal_raises_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter([True, False])
    with stop_signals(lambda: next(answers)) as seen:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert seen == [signal.SIGINT]
    assert "Ctrl-C again stops at once" in capsys.readouterr().err


@pytest.mark.parametrize(("times", "steps"), [(1, ["the end"]), (2, [])])
def test_first_ctrl_c_is_held_back_to_the_end(times: int, steps: list[str]) -> None:
    taken: list[str] = []

    def interrupted() -> None:
        with interrupt_held_back():
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            taken.append("the end")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (taken, signal.getsignal(signal.SIGINT)) == (steps, before)


def test_handlers_stay_in_other_threads() -> None:
    before = signal.getsignal(signal.SIGINT)

    def handlers() -> list[object]:
        assert threading.current_thread() is not threading.main_thread()
        with interruptible():
            return [signal.getsignal(signal.SIGINT)]

    with ThreadPoolExecutor() as pool:
        assert pool.submit(handlers).result() == [before]
