"""Values of columns in Python: keys of maps can be hashed, and all times have a ``datetime``."""

from __future__ import annotations

from datetime import datetime, timezone

import pyarrow as pa
import pytest

from kafkastream.model.common.row import Row
from kafkastream.spark.sql.functions.python_values import user_values

LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
MICROS = 253_402_300_799_000_000
LOCAL = pa.timestamp("us", "Europe/Berlin")


@pytest.mark.parametrize(
    ("key", "given", "found"),
    [
        (pa.list_(pa.int32()), [1, None], (1, None)),
        (pa.map_(pa.string(), pa.list_(pa.int32())), [("k", [1])], (("k", (1,)),)),
        (pa.struct([("x", pa.list_(pa.int32()))]), {"x": [1]}, Row(x=(1,))),
    ],
    ids=["array", "map", "row"],
)
def test_nested_keys_can_be_hashed(key: pa.DataType, given: object, found: object) -> None:
    assert user_values(pa.array([[(given, 2)], None], pa.map_(key, pa.int32()))) == [{found: 2}, None]


@pytest.mark.parametrize(
    ("kind", "given", "found"),
    [
        (LOCAL, MICROS, LAST),
        (pa.list_(LOCAL), [MICROS], [LAST]),
        (pa.map_(LOCAL, pa.int32()), [(MICROS, 1)], {LAST: 1}),
        (pa.struct([("x", LOCAL)]), {"x": MICROS}, Row(x=LAST)),
    ],
    ids=["time", "array", "multiset", "row"],
)
def test_time_that_the_zone_moves_beyond_the_last_year_is_in_utc(
    kind: pa.DataType, given: object, found: object
) -> None:
    assert user_values(pa.array([given, None], kind)) == [found, None]
