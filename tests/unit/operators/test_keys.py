from __future__ import annotations

import pickle
import subprocess
import sys
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.operators.state.key_encoding import bucket_of, encoded_key, key_encoder

KEYS: list[Any] = [
    "a",
    1,
    True,
    None,
    1.5,
    b"x",
    bytearray(b"x"),
    ("a", "a"),
    ("a", 1, (2, "b")),
    Decimal("1.0"),
    datetime(2026, 1, 2, tzinfo=timezone.utc),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_key_comes_back(key: Any) -> None:
    assert pickle.loads(encoded_key(key)) == key


def test_equal_tuples_have_equal_bytes_whoever_made_their_parts() -> None:
    part, other = (letter * 2 for letter in "aa")
    assert part is not other
    assert encoded_key((part, part)) == encoded_key((part, other))
    assert pickle.dumps((part, part)) != pickle.dumps((part, other))


def test_keys_are_the_same_in_another_process() -> None:
    program = "from kafkastream.operators.state.key_encoding import encoded_key; print([encoded_key(k) for k in ['a', 1, ('a', 'a')]])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([encoded_key(key) for key in ["a", 1, ("a", "a")]])


@pytest.mark.parametrize(
    "key",
    [["a"], {"a": 1}, lambda: None, frozenset("ab"), ("a", frozenset("ab"))],
    ids=["list", "dict", "lambda", "set", "set in a tuple"],
)
def test_key_that_cannot_be_hashed_or_pickled_is_refused(key: Any) -> None:
    with pytest.raises(TypeError, match=r"unhashable|cannot be pickled|a set has no order"):
        encoded_key(key)


def test_encoder_tells_texts_from_what_equals_them() -> None:
    encode = key_encoder()
    assert encode("a") is encode("a")
    assert encode(1) != encode(True)


def test_buckets_are_filled_about_evenly() -> None:
    counts = [0] * 4
    for number in range(10_000):
        counts[bucket_of(encoded_key(f"key {number}"), 4)] += 1
    assert min(counts) > 2_300
