"""Writes how Java's Avro reads 1,000 random pairs of schemas: ``python -m tests.differential.formats.avro_golden``."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.differential.formats.avro_pairs import random_pair
from tests.differential.formats.java_programs import answers, artifact_jars

__all__ = ["PAIRS", "java_values", "our_value"]

PAIRS = Path(__file__).with_name("avro_pairs.json.xz")
"""The pairs of the seeds 0 to 999, each with ``value``, or ``error``, of Avro 1.11.4: that of Flink 2.2's formats."""

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


if __name__ == "__main__":
    PAIRS.write_bytes(
        lzma.compress(json.dumps(with_java_values(list(map(random_pair, range(1000))))).encode(), preset=9)
    )
