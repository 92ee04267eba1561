"""Folded changes give the table that the changes give one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.cdc.changes import Change, Operation
from kafkastream.cdc.folding import FoldedChanges
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.sinks import SinkError
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.sql.types import DataType, Kind

TABLE = TableId.parse("t")
INT = DataType.of(Kind.INT)
SCHEMA = TableSchema.of([("a", INT), ("value", INT), ("b", INT)])
Row = row_class(SCHEMA.columns)
Values = tuple[int, int, int]
Table = dict[tuple[int, ...], Values]

KEY_PLACES = {("a",): (0,), ("b", "a"): (2, 0)}


def keyed(key: tuple[str, ...]) -> TableSchema:
    return TableSchema(SCHEMA.columns, key)


def key_of(values: Values, key: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(values[place] for place in KEY_PLACES[key])


@st.composite
def histories(draw: st.DrawFn, key: tuple[str, ...]) -> tuple[Table, list[Change], Table]:
    """A table, changes of it as a database tells them, and the table that they give one by one."""
    rows = st.tuples(st.integers(0, 2), st.integers(0, 99), st.integers(0, 1))
    table = {key_of(values, key): values for values in draw(st.lists(rows, max_size=4))}
    first, changes = dict(table), []
    for after in draw(st.lists(rows, max_size=12)):
        victim = draw(st.sampled_from(sorted(table))) if table else None
        operation = draw(st.sampled_from(Operation)) if victim is not None else Operation.INSERT
        before = table.pop(victim) if victim is not None and operation is not Operation.INSERT else None
        if operation is Operation.DELETE:
            changes.append(Change(TABLE, operation, before and Row(*before), None))
            continue
        table[key_of(after, key)] = after
        changes.append(Change(TABLE, operation, before and Row(*before), Row(*after)))
    return first, changes, table


@pytest.mark.parametrize("key", KEY_PLACES, ids=",".join)
@given(data=st.data())
def test_folded_changes_give_the_table_of_all_changes(key: tuple[str, ...], data: st.DataObject) -> None:
    table, changes, expected = data.draw(histories(key))
    folded = FoldedChanges(keyed(key))
    for change in changes:
        folded.add(change)
    result: dict[Any, Values] = dict(table)
    for place, row in folded:
        result.pop(place, None)
        if row is not None:
            result[place] = (row.f0, row.f1, row.f2)
    assert result == expected
    assert len(folded) == len({place for place, _ in folded}) <= 2 * len(changes)


def test_update_without_the_row_before_keeps_other_keys() -> None:
    folded = FoldedChanges(keyed(("a",)))
    folded.add(Change(TABLE, Operation.UPDATE, None, Row(1, 2, 3)))
    assert list(folded) == [((1,), Row(1, 2, 3))]


def test_keys_stand_in_the_order_of_their_last_changes() -> None:
    folded = FoldedChanges(keyed(("a",)))
    for number in (1, 2, 1):
        folded.add(Change(TABLE, Operation.INSERT, None, Row(number, 0, 0)))
    assert [key for key, _ in folded] == [(2,), (1,)]


def test_delete_without_a_row_is_refused() -> None:
    with pytest.raises(SinkError, match="does not say which row"):
        FoldedChanges(keyed(("a",))).add(Change(TABLE, Operation.DELETE, None, None))
