"""Which types become which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.sql.casting import castable
from kafkastream.sql.types import DataType, Kind, RowField
from tests.unit.sql.tables import BIGINT, INT, STRING

BYTES = DataType.bytes_()
DATE, BOOLEAN = DataType.of(Kind.DATE), DataType.of(Kind.BOOLEAN)
LTZ, TIMESTAMP = DataType.of(Kind.TIMESTAMP_LTZ, 3), DataType.of(Kind.TIMESTAMP, 3)
SIMPLE = [kind for kind in Kind if kind not in {Kind.ARRAY, Kind.MULTISET, Kind.MAP, Kind.ROW}]


def map_of(key: DataType, value: DataType) -> DataType:
    return DataType.of(Kind.MAP, parts=(key, value))


def row_of(*types: DataType) -> DataType:
    return DataType.of(Kind.ROW, fields=tuple(RowField(f"f{at}", type_) for at, type_ in enumerate(types)))


@pytest.mark.parametrize(
    ("source", "target", "can"),
    [
        (BIGINT, INT, True),
        (BIGINT, BIGINT.not_null(), True),
        (BIGINT, STRING, True),
        (BIGINT, BOOLEAN, True),
        (BIGINT, TIMESTAMP, False),
        (LTZ, TIMESTAMP, True),
        (LTZ, DATE, True),
        (LTZ, BIGINT, False),
        (STRING, BYTES, True),
        (BYTES, STRING, True),
        (BYTES, INT, False),
        (STRING, DataType.of(Kind.INTERVAL_DAY_SECOND), True),
        (DATE, BOOLEAN, False),
        (map_of(STRING, BYTES), map_of(STRING, STRING), True),
        (map_of(STRING, BYTES), map_of(STRING, INT), False),
        (map_of(STRING, BYTES), STRING, False),
        (STRING, map_of(STRING, BYTES), False),
        (row_of(INT, INT), row_of(BIGINT, STRING), True),
        (row_of(INT, INT), row_of(BIGINT), False),
        (row_of(INT), DataType.of(Kind.ARRAY, parts=(INT,)), False),
    ],
)
def test_casts(source: DataType, target: DataType, can: bool) -> None:
    assert castable(source, target) is can


@given(st.sampled_from(SIMPLE))
def test_every_simple_type_becomes_itself_and_a_text(kind: Kind) -> None:
    type_ = DataType.of(kind)
    assert castable(type_, type_)
    assert castable(type_, STRING)
