"""Columns of streamed rows are as wide as in Flink."""

from __future__ import annotations

from kafkastream.common import Row
from kafkastream.sql.types import DataType, Kind
from kafkastream.table.tableau import tableau


def test_a_decimal_has_room_for_its_sign_and_its_point() -> None:
    columns = [("a", DataType.of(Kind.DECIMAL, 10, 0)), ("b", DataType.of(Kind.DECIMAL, 10, 2))]
    rule, names, *_ = tableau(columns, [Row(None, None)])
    assert rule == "+----+--------------+--------------+"  # as by Flink 2.2
    assert names == "| op |            a |            b |"
