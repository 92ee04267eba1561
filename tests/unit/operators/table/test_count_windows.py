"""Windows that count rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.sql.plan.operations import CountWindowAggregate, TableOperation
from tests.unit.operators.table.rows_driving import Driven, TableRow, call, row


def counting(size: int, slide: int) -> Driven:
    """An operator on rows (key, value)."""
    calls = (call("SUM", 1), call("MIN", 1), call("COUNT", 1))
    return Driven(TableOperation(CountWindowAggregate(calls=calls, keys=1, size=size, slide=slide)))


def results(driven: Driven, *values: int) -> list[TableRow]:
    return [one for value in values for one in driven.give(row("+I", "k", value))]


def test_a_tumbling_window_is_emitted_when_it_is_full() -> None:
    driven = counting(3, 3)
    assert results(driven, 1, 2) == []
    driven.checkpoint()
    assert results(driven, 3, 4, 5) == [("+I", "k", 6, 1, 3)]
    assert driven.give(row("+I", "other", 9), key="other") == []
    driven.checkpoint()
    assert results(driven, 6) == [("+I", "k", 15, 4, 3)]
    assert driven.entry() == {"count": 6, "windows": {}}


@given(st.integers(1, 6), st.integers(1, 6), st.lists(st.integers(-9, 9), max_size=30))
@pytest.mark.parametrize("restarts", [False, True])
def test_window_n_has_the_rows_from_n_times_the_slide_on(
    restarts: bool, size: int, slide: int, values: list[int]
) -> None:
    driven, found = counting(size, slide), []
    for value in values:
        found += results(driven, value)
        if restarts:
            driven.checkpoint()
    whole: list[Any] = [values[start : start + size] for start in range(0, len(values) - size + 1, slide)]
    assert found == [("+I", "k", sum(one), min(one), size) for one in whole]
