"""Writes how Java's Avro reads records: ``python -m tests.differential.formats.avro_golden``.

They are records of 1,000 random pairs of schemas, and records that no honest producer writes.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.differential.formats.avro_pairs import random_pair
from tests.differential.formats.java_programs import answers, artifact_jars

__all__ = ["HOSTILE_RECORDS", "PAIRS", "java_values", "our_value"]

PAIRS = Path(__file__).with_name("avro_pairs.json.xz")
"""The pairs of the seeds 0 to 999, each with ``value``, or ``error``, of Avro 1.11.4: that of Flink 2.2's formats."""

HOSTILE_RECORDS = Path(__file__).with_name("avro_hostile.json.xz")
"""Records that no honest producer writes, in the same form."""

_ARTIFACTS = (
    "org.apache.avro:avro:1.11.4",
    "com.fasterxml.jackson.core:jackson-core:2.14.3",
    "com.fasterxml.jackson.core:jackson-databind:2.14.3",
    "com.fasterxml.jackson.core:jackson-annotations:2.14.3",
    "org.slf4j:slf4j-api:1.7.36",
)


def java_values(pairs: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return what Java reads of each pair: its ``value``, or its ``error``."""
    return answers("AvroReader.java", artifact_jars(_ARTIFACTS), pairs)


def our_value(value: Any) -> Any:
    """Return a value of ours as ``AvroReader.java`` writes those of Java."""
    match value:
        case float():
            return {"double": value.hex()}
        case bytes():
            return {"bytes": base64.b64encode(value).decode()}
        case list():
            return list(map(our_value, value))
        case dict():
            return {"fields": {name: our_value(part) for name, part in value.items()}}
        case _:
            return value


def _as_python(value: Any) -> Any:
    """Return a value of ``AvroReader.java`` with Python's texts of doubles."""
    match value:
        case {"double": str() as text}:
            return {"double": float.fromhex(text.replace("Infinity", "inf")).hex()}
        case list():
            return list(map(_as_python, value))
        case dict():
            return {name: _as_python(part) for name, part in value.items()}
        case _:
            return value


def with_java_values(pairs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return pairs with what Java reads of them."""
    read = java_values(pairs)
    return [{**pair, **_as_python(java)} for pair, java in zip(pairs, read, strict=True)]


def hostile_records() -> list[dict[str, Any]]:
    """Return records that are read by their own schemas, most of which are not of them."""
    enum = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
    overlong = b"\x82\x80\x80\x80\x80\0", b"\x80" * 9 + b"\0", b"\x80" * 10 + b"\2", b"\xff" * 10 + b"\1"
    largest = (
        b"\xff" * 4 + b"\x0f",
        b"\xff" * 4 + b"\x1f",
        b"\x80" * 4 + b"\x10",
        b"\xff" * 9 + b"\1",
        b"\xff" * 9 + b"\2",
    )
    numbers = (*overlong, *largest, b"\xff", b"")
    texts = b"\1abc", b"\x0aab", b"\2\xff", b"\4\xc0\xaf", b"\xfe\xff\xff\xff\x0fa", b"\xff" * 9 + b"\1a", b"\2ab"
    records: list[tuple[Any, Sequence[bytes]]] = [
        (enum, (b"\1", b"\2", b"\3", b"\4", b"\x80\0", *numbers)),
        (
            ["null", "string"],
            (b"\1", b"\3\2a", b"\4", b"\2\2a", b"\x82\0\2a", *(number + b"\2a" for number in numbers)),
        ),
        ("boolean", (b"\0", b"\1", b"\2", b"\xff", b"")),
        ("int", (b"\x80\0", *numbers)),
        ("long", (b"\x80\0", *numbers)),
        ("string", texts),
        ("bytes", texts),
        ("float", (b"ab", b"\1\2\3\4")),
        ("double", (b"ab",)),
        ({"type": "fixed", "name": "F", "size": 2}, (b"a", b"abc")),
        (
            {"type": "array", "items": "int"},
            (b"\3\2\2\4\0", b"\3\xff\xff\2\4\6\0", b"\1\2\4\0", b"\xff" * 9 + b"\1\2\2", b"\2\4", b"\3\1\2\4\0"),
        ),
        (
            {"type": "map", "values": ["null", enum]},
            (b"\2\1ab\2\0\0", b"\2\2\xff\2\0\0", b"\4\2a\2\0\2a\2\2\0", b"\2\2a\1\2\0", b"\2\2a\2\1\0"),
        ),
    ]
    return [
        {"writer": schema, "reader": schema, "data": base64.b64encode(record).decode()}
        for schema, messages in records
        for record in messages
    ]


def _write(path: Path, pairs: Sequence[dict[str, Any]]) -> None:
    path.write_bytes(lzma.compress(json.dumps(with_java_values(pairs)).encode(), preset=9))


if __name__ == "__main__":
    _write(PAIRS, list(map(random_pair, range(1000))))
    _write(HOSTILE_RECORDS, hostile_records())
