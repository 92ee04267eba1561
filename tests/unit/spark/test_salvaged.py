"""What is left when some of many cannot be worked on, and how many attempts that takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.spark.worker.batches import Batch, ElementError, concatenated, each, salvaged


@given(st.lists(st.booleans(), max_size=200))
def test_all_but_the_bad_come_through_in_order(good: list[bool]) -> None:
    calls = 0

    def check(index: int) -> int:
        if not good[index]:
            raise ValueError(index)
        return index

    def work(begin: int, end: int) -> list[int]:
        nonlocal calls
        calls += 1
        return each(check, range(begin, end))

    found = list(salvaged(work, len(good)))
    passed = [index for _, done in found if isinstance(done, list) for index in done]
    failed = [index for index, error in found if isinstance(error, ElementError)]
    assert passed == [index for index, is_good in enumerate(good) if is_good]
    assert failed == [index for index, is_good in enumerate(good) if not is_good]
    assert [begin for begin, _ in found] == sorted(begin for begin, _ in found)
    bad = len(failed)
    assert calls <= 1 + bad * (3 + len(good).bit_length())


def test_without_failures_there_is_one_attempt() -> None:
    assert list(salvaged(lambda begin, end: (begin, end), 1000)) == [(0, (0, 1000))]
    assert list(salvaged(lambda begin, end: (begin, end), 0)) == []


def test_the_cause_is_kept() -> None:
    ((index, error),) = salvaged(lambda begin, _: each(int, ["x"][begin:]), 1)
    assert index == 0
    assert isinstance(error, ElementError)
    assert isinstance(error.__cause__, ValueError)


def test_what_is_no_elements_fault_is_raised_with_its_place() -> None:
    def ask(index: int) -> None:
        if index == 1:
            raise ValueError(index)
        if index == 4:
            raise ConnectionError("the registry is away")

    with pytest.raises(ElementError) as raised:
        list(salvaged(lambda begin, end: each(ask, range(begin, end)), 6))
    assert raised.value.index == 4
    assert isinstance(raised.value.__cause__, ConnectionError)


def test_rows_of_joined_parts_are_those_of_the_whole() -> None:
    parts = [(0, Batch(["a", "b"], [1, 2], [0, 0])), (3, Batch(["c"], [3], range(1)))]
    assert concatenated(parts) == Batch(["a", "b", "c"], [1, 2, 3], [0, 0, 3])
    assert concatenated([]) == Batch([], [], [])


@pytest.mark.parametrize("begin", [0, 1])
def test_one_part_alone_keeps_its_place(begin: int) -> None:
    assert list(concatenated([(begin, Batch(["a"], [1], [0]))]).origin) == [begin]
