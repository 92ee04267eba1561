"""Records are read by another schema than they are written by, as Java's Avro reads them."""

from __future__ import annotations

import base64
import datetime
import json
import lzma
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.avro_schema import avro_reader, avro_schema, resolved_schema
from tests.differential.formats.avro_golden import HOSTILE_RECORDS, PAIRS, our_value, with_java_values
from tests.differential.formats.avro_pairs import random_pair


def test_random_pairs_of_schemas_are_read_as_by_java() -> None:
    assert _differing(json.loads(lzma.decompress(PAIRS.read_bytes()))) == []


def test_hostile_records_are_read_as_by_java() -> None:
    pairs = _differing(json.loads(lzma.decompress(HOSTILE_RECORDS.read_bytes())))
    assert [pair for pair in pairs if not _is_documented(pair)] == []
    assert len(pairs) == 18


def _is_documented(pair: Mapping[str, Any]) -> bool:
    """Return whether docs/malformed-records.md has this difference from Java."""
    if "InvalidNumberEncodingException" in pair.get("error", ""):
        return "value" in pair["ours"]  # a number of more bytes than Avro allows
    match pair["reader"], pair["ours"]:
        case "boolean", {"value": True}:
            return base64.b64decode(pair["data"]) not in {b"\0", b"\1"}
        case "int", {"value": int(number)}:  # Java takes the lower 32 bits
            return number.bit_length() > 31 and (number - pair["value"]) % 2**31 == 0
        case {"type": "enum"} | ["null", "string"], {"error": str()}:  # the same of an index
            return b"\x80" * 4 + b"\x10" in base64.b64decode(pair["data"])
        case _:
            return False


@pytest.mark.nightly
@pytest.mark.java
def test_new_random_pairs_of_schemas_are_read_as_by_java() -> None:
    first = datetime.date.today().toordinal() * 1000  # noqa: DTZ011 - other seeds each night
    assert _differing(with_java_values([random_pair(first + number) for number in range(1000)])) == []


def _differing(pairs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [{**pair, "ours": ours} for pair in pairs if not _agrees(pair, ours := _read(pair))]


def _read(pair: Mapping[str, Any]) -> Mapping[str, Any]:
    reader = json.dumps(pair["reader"])
    try:
        avro_schema(reader, "the reader's schema")
        schema = resolved_schema(json.dumps(pair["writer"]), (), reader)
        return {"value": our_value(avro_reader(schema)(base64.b64decode(pair["data"])))}
    except (DefinitionError, ValueError) as error:
        return {"error": str(error)}


def _agrees(java: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    return "error" in ours if "error" in java else ours == {"value": java["value"]}
