from __future__ import annotations

import pytest

from kafkastream.testing import wait_until


def test_returns_the_first_true_answer() -> None:
    answers = iter([0, "", None, "there", "too late"])
    assert wait_until(lambda: next(answers), 5, "an answer") == "there"


def test_asks_once_even_without_time() -> None:
    assert wait_until(lambda: 7, 0, "an answer") == 7


def test_deadline_names_what_was_awaited() -> None:
    with pytest.raises(TimeoutError, match=r"timed out after 0\.05 s waiting for the tide"):
        wait_until(lambda: False, 0.05, "the tide")
