"""Changes by any key become upserts by the sink's key: the last of the rows that are there."""

from __future__ import annotations

from kafkastream.sql.plan.operations import Materialize, TableOperation
from tests.unit.operators.table.rows_driving import Driven, row


def test_the_last_row_that_is_there_is_told() -> None:
    driven = Driven(TableOperation(Materialize(), retracts=True))
    assert driven.give(row("+I", "k", 1), row("+I", "k", 2)) == [("+I", "k", 1), ("+U", "k", 2)]
    driven.checkpoint()
    assert driven.give(row("-D", "k", 2)) == [("+U", "k", 1)]
    assert driven.give(row("+U", "k", 3), row("-U", "k", 1)) == [("+U", "k", 3)]
    assert driven.give(row("-D", "k", 9)) == []
    assert driven.give(row("-D", "k", 3)) == [("-D", "k", 3)]
    assert driven.entry() == {}


def test_of_equal_rows_one_goes_away() -> None:
    driven = Driven(TableOperation(Materialize(), retracts=True))
    driven.give(row("+I", "k", 1), row("+I", "k", 2), row("+I", "k", 1))
    assert driven.give(row("-U", "k", 1)) == [("+U", "k", 2)]


def test_rows_are_forgotten_after_some_time() -> None:
    driven = Driven(TableOperation(Materialize(ttl_ms=100), retracts=True))
    driven.give(row("+I", "k", 1))
    driven.advance(now=100)
    assert driven.give(row("+I", "k", 2)) == [("+I", "k", 2)]
