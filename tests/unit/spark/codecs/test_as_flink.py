"""Schemas make of messages what Flink makes of them: measured with PyFlink 2.2.1 on Java 17.

Each line of a file beside this one has the fields' types, the options that were set, a message, the row that came out
as Java prints it (None for a dropped record, "error" for a failure), and what the serialization schema made of that row.
Left out: floats of 32 bits that Java 17 prints with a digit too many.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pytest

from kafkastream.model.common.row import Row
from kafkastream.model.common.types import RowTypeInfo, Types
from kafkastream.model.common.value_printing import flink_string
from kafkastream.model.formats import (
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    DeserializationSchema,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
)
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.value_decoders import decode_values


@attrs.frozen
class Measured:
    """What Flink made of one message."""

    type_info: RowTypeInfo
    reading: str
    writing: str
    message: bytes
    read: str | None
    written: str | None

    def __str__(self) -> str:
        return f"{self.type_info!r} {self.reading} {self.writing} {self.message!r}"


def measured(name: str) -> list[Measured]:
    lines = map(json.loads, Path(__file__).with_name(name).read_text(encoding="ascii").splitlines())
    return list(map(one_measured, lines))


def one_measured(line: dict[str, Any]) -> Measured:
    types = [eval(kind, {"Types": Types}) for kind in line.get("types", [line.get("type")])]
    return Measured(
        Types.ROW_NAMED(["a", "b"][: len(types)], types),
        line["reading"] if "reading" in line else line["options"],
        line.get("writing", ""),
        line["message"].encode("latin-1" if line.get("bytes") else "utf-8"),
        line["read"],
        line.get("written"),
    )


def outcome(schema: DeserializationSchema[Row], message: bytes, type_info: RowTypeInfo) -> str | None:
    try:
        row = schema.deserialize(message)
    except ValueError:
        return "error"
    return None if row is None else flink_string(row, type_info)


def one_by_one(schema: DeserializationSchema[Row], message: bytes) -> Row | None:
    return schema.deserialize(message)


def by_column(schema: DeserializationSchema[Row], message: bytes) -> Row | None:
    """The message among others that are good."""
    good = b'{"a": null}'
    try:
        before, row, after = decode_values(schema, pa.array([good, message, good], pa.binary()))
    except ElementError as error:
        raise ValueError(error.index) from error
    assert before == after == Row(a=None)
    found: Row | None = row
    return found


def by_column_of_misfits(schema: DeserializationSchema[Row], message: bytes) -> Row | None:
    """The message in so many copies that the codec no longer tries its quickest way."""
    try:
        rows = decode_values(schema, pa.array([message] * 40, pa.binary()))
    except ElementError as error:
        raise ValueError(error.index) from error
    assert len(set(map(repr, rows))) == 1
    found: Row | None = rows[-1]
    return found


@pytest.mark.parametrize("decode", [one_by_one, by_column, by_column_of_misfits])
def test_json_rows(decode: Any) -> None:
    differences = []
    for one in measured("flink_json_rows.jsonl"):
        options = ("fail" in one.reading, "ignore" in one.reading)
        schema = JsonRowDeserializationSchema(one.type_info, *options)
        try:
            row = decode(schema, one.message)
            read = None if row is None else flink_string(row, one.type_info)
        except ValueError:
            read = "error"
        if read != one.read:
            differences.append((str(one), one.read, read))
    assert differences == []


def test_json_rows_are_written() -> None:
    differences = []
    for one in measured("flink_json_rows.jsonl"):
        if one.written not in {None, "error"}:
            row = JsonRowDeserializationSchema(one.type_info, ignore_parse_errors="ignore" in one.reading).deserialize(
                one.message
            )
            assert row is not None
            written = JsonRowSerializationSchema(one.type_info).serialize(row).decode()
            if written != one.written:
                differences.append((str(one), one.written, written))
    assert differences == []


def built(builder: Any, options: str) -> Any:
    """What the builder builds after ``set_x=value~set_y=value``; a method without a value takes none."""
    for option in filter(None, options.split("~")):
        method, _, value = option.partition("=")
        getattr(builder, method)(*([ast.literal_eval(value)] if value else []))
    return builder.build()


def test_csv_rows() -> None:
    differences = []
    for one in measured("flink_csv_rows.jsonl"):
        schema = built(CsvRowDeserializationSchema.Builder(one.type_info), one.reading)
        read = outcome(schema, one.message, one.type_info)
        if read != one.read:
            differences.append((str(one), one.read, read))
        elif one.written is not None:
            row = schema.deserialize(one.message)
            written = built(CsvRowSerializationSchema.Builder(one.type_info), one.writing).serialize(row).decode()
            if written != one.written:
                differences.append((str(one), one.written, written))
    assert differences == []
