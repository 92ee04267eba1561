"""One row of each key, and upserts as changes with the row before."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.operators.stream.keyed_operators import CallError
from kafkastream.sql.plan.operations import Deduplicate, Keep, Normalize, TableOperation, TimeAttribute
from tests.unit.operators.table.rows_driving import Driven, row

EVENT, PROCESSING = TimeAttribute.EVENT, TimeAttribute.PROCESSING


def keeping(keep: Keep, time: TimeAttribute, ttl_ms: int = 0) -> Driven:
    column = 1 if time is EVENT else None
    return Driven(TableOperation(Deduplicate(keep=keep, time=time, column=column, ttl_ms=ttl_ms)))


def test_the_first_row_by_processing_time_is_told_once() -> None:
    driven = keeping(Keep.FIRST, PROCESSING)
    assert driven.give(row("+I", "a", 5_000), row("+I", "b", 4_000)) == [("+I", "a", 5_000)]
    driven.checkpoint()
    assert driven.give(row("+I", "c", 1_000)) == []


def test_the_last_row_by_processing_time_is_told_with_the_one_before() -> None:
    driven = keeping(Keep.LAST, PROCESSING)
    assert driven.give(row("+I", "a", 5_000), row("+I", "a", 5_000), row("+I", "b", 4_000)) == [
        ("+I", "a", 5_000),
        ("-U", "a", 5_000),
        ("+U", "b", 4_000),
    ]


def test_the_first_row_by_event_time_may_come_later() -> None:
    driven = keeping(Keep.FIRST, EVENT)
    rows = [row("+I", "a", 5_000), row("+I", "b", 5_000), row("+I", "c", 4_000), row("+I", "d", 9_000)]
    assert driven.give(*rows) == [("+I", "a", 5_000), ("-U", "a", 5_000), ("+U", "c", 4_000)]


def test_the_last_row_by_event_time_is_the_last_of_its_time() -> None:
    driven = keeping(Keep.LAST, EVENT)
    assert driven.give(row("+I", "a", 5_000), row("+I", "b", 5_000), row("+I", "c", 4_000)) == [
        ("+I", "a", 5_000),
        ("-U", "a", 5_000),
        ("+U", "b", 5_000),
    ]


def test_a_row_without_a_time_is_refused() -> None:
    with pytest.raises(CallError) as raised:
        keeping(Keep.LAST, EVENT).give(row("+I", "a", 1_000), row("+I", "a", None))
    assert isinstance(raised.value.__cause__, DefinitionError)


def test_the_first_row_lives_from_when_it_came_and_the_last_from_when_it_changed() -> None:
    first, last = keeping(Keep.FIRST, PROCESSING, ttl_ms=100), keeping(Keep.LAST, PROCESSING, ttl_ms=100)
    for driven in (first, last):
        driven.give(row("+I", "a", 1))
        driven.now = 60
    assert first.give(row("+I", "a", 1)) == []
    assert last.give(row("+I", "a", 1)) == [("-U", "a", 1), ("+U", "a", 1)]
    for driven in (first, last):
        assert driven.advance(now=100) == []
    assert first.entry() == {}
    assert last.entry() != {}
    assert last.advance(now=160) == []
    assert last.entry() == {}


def test_upserts_become_changes() -> None:
    driven = Driven(TableOperation(Normalize(), retracts=True))
    bob, moved = ("0002", "Bob", "330110"), ("0002", "Bob", "330111")
    assert driven.give(row("+I", *bob)) == [("+I", *bob)]
    driven.checkpoint()
    assert driven.give(row("+U", *bob)) == []
    assert driven.give(row("+I", *moved)) == [("-U", *bob), ("+U", *moved)]
    assert driven.give(row("-D", "0002", None, None)) == [("-D", *moved)]
    assert driven.give(row("-D", "0002", None, None)) == []
    assert driven.entry() == {}


def test_upserts_are_forgotten_after_their_time_to_live() -> None:
    driven = Driven(TableOperation(Normalize(ttl_ms=100), retracts=True))
    assert driven.give(row("+I", "a"), row("+I", "a")) == [("+I", "a"), ("-U", "a"), ("+U", "a")]
    driven.now = 100
    assert driven.give(row("-D", "a"), row("+I", "a")) == [("+I", "a")]
