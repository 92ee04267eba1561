from __future__ import annotations

import pytest
from attrs.exceptions import FrozenInstanceError

from kafkastream.testing import Record


def test_text_becomes_utf8() -> None:
    record = Record("värde", key="k", headers=[("trace", "1"), ("trace", b"\x02"), ("empty", None)])
    assert record == Record("värde".encode(), b"k", (("trace", b"1"), ("trace", b"\x02"), ("empty", None)))


def test_tombstone_keeps_its_none() -> None:
    assert Record(None, key=b"k").value is None


def test_record_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Record("v").value = b"w"  # type: ignore[misc]  # what is tested
