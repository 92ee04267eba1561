from __future__ import annotations

import pickle

from hypothesis import example, given
from hypothesis import strategies as st

from kafkastream.spark.exchange.map_backend import compressed, decompressed


@given(st.binary(max_size=100) | st.binary(max_size=20).map(lambda some: some * 200))
@example(b"\x04")
@example(b"\x04" * 1000)
@example(b"\x04not compressed")
def test_values_are_as_before_they_were_compressed(value: bytes) -> None:
    assert decompressed(compressed(value)) == value
    assert len(compressed(value)) <= len(value) + 8


def test_pages_of_many_keys_are_smaller() -> None:
    page = pickle.dumps({b"key %d" % number: pickle.dumps({"count": number}) for number in range(80)})
    assert len(compressed(page)) < len(page) / 2


def test_values_of_format_1_are_read() -> None:
    assert decompressed(pickle.dumps({"count": 1})) == pickle.dumps({"count": 1})
