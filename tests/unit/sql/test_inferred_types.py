"""The types of rows that a program gives without any are found by their values, as PyFlink finds them."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.sql.inferred_types import inferred_row

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("elements", "names", "found"),
    [
        ([(1, "a"), (None, "b")], None, "`_1` BIGINT, `_2` STRING"),
        ([[True, 1.5]], ["ok", "price"], "`ok` BOOLEAN, `price` DOUBLE"),
        ([Row(id=1, name="a")], None, "`id` BIGINT, `name` STRING"),
        ([{"id": 1, "name": b"a"}], None, "`id` BIGINT, `name` BYTES"),
        (
            [(Decimal(1), date(2024, 5, 1), time(10), NOW)],
            list("abcd"),
            "`a` DECIMAL(38, 18), `b` DATE, `c` TIME(0), `d` TIMESTAMP_LTZ(6)",
        ),
        (
            [([], {}), ([1], {"k": None}), ([None], {"k": (1,)})],
            list("ab"),
            "`a` ARRAY<BIGINT>, `b` MAP<STRING, ROW<`_1` BIGINT>>",
        ),
    ],
)
def test_types(elements: list[Any], names: list[str] | None, found: str) -> None:
    assert str(inferred_row(elements, names)) == f"ROW<{found}>"


@pytest.mark.parametrize(
    ("elements", "names", "said"),
    [
        ([], None, "can not infer schema from empty dataset"),
        ([1, 2], None, "an element is not a row: 1"),
        ([(1, "a")], ["id"], "1 names are given for 2 columns"),
        ([(1,), ("a",)], None, "Can not merge type BIGINT and STRING"),
        ([(1,), (1.5,)], None, "Can not merge type BIGINT and DOUBLE"),
        ([(1,), (1, 2)], None, "Can not merge type ROW<`_1` BIGINT> and ROW"),
        ([(None,)], ["id"], "the type of column 'id' cannot be inferred"),
        ([([None],)], ["ids"], "the type of column 'ids' cannot be inferred"),
        ([(object(),)], None, "not supported type: object"),
    ],
)
def test_what_has_no_type_is_refused(elements: list[Any], names: list[str] | None, said: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        inferred_row(elements, names)
    assert said in str(raised.value)
    assert "from_elements" in str(raised.value)
