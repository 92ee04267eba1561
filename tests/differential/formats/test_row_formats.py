"""Rows of the DataStream API are read from JSON and CSV as by Flink's classes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from kafkastream.common import Row, Types
from kafkastream.datastream.formats.csv import CsvRowDeserializationSchema
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from tests.differential.formats.flink_golden import asked

_JAVA_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def test_json_rows_are_read_as_by_flink() -> None:
    assert _differing("row json read", _read_json) == []


def test_csv_rows_are_read_as_by_flink() -> None:
    assert _differing("row csv read", _read_csv) == []


def _differing(ask: str, read: Callable[[Mapping[str, Any]], Row | None]) -> list[Any]:
    differing = []
    for question in asked(ask):
        try:
            ours = {"value": _text(read(question))}
        except ValueError as error:
            ours = {"error": str(error)}
        if ("error" in ours) != ("error" in question) or ours.get("value") != question.get("value"):
            differing.append((question, ours))
    return differing


def _read_json(question: Mapping[str, Any]) -> Row | None:
    return _json_schema(json.dumps(question["type"]), ignores=question["ignore"]).deserialize(_message(question))


def _read_csv(question: Mapping[str, Any]) -> Row | None:
    schema = _csv_schema(json.dumps(question["type"]), question["null"], ignores=question["ignore"])
    return schema.deserialize(_message(question))


def _message(question: Mapping[str, Any]) -> bytes:
    return base64.b64decode(question["data"])


@lru_cache
def _json_schema(described: str, *, ignores: bool) -> JsonRowDeserializationSchema:
    builder = JsonRowDeserializationSchema.builder().type_info(_type(json.loads(described)))
    return builder.ignore_parse_errors().build() if ignores else builder.build()


@lru_cache
def _csv_schema(described: str, null: str, *, ignores: bool) -> CsvRowDeserializationSchema:
    builder = CsvRowDeserializationSchema.Builder(_type(json.loads(described))).set_null_literal(null)
    return builder.set_ignore_parse_errors(ignores).build()


def _type(described: Any) -> Any:
    match described:
        case {"row": fields}:
            return Types.ROW_NAMED(list(fields), list(map(_type, fields.values())))
        case {"array": element}:
            return Types.OBJECT_ARRAY(_type(element))
        case _:
            return getattr(Types, described)()


def _text(value: Any) -> str:
    """A value as Java prints it."""
    match value:
        case None:
            return "null"
        case Row():
            return f"+I[{', '.join(map(_text, value))}]"
        case list():
            return f"[{', '.join(map(_text, value))}]"
        case _:
            return _JAVA_NUMBERS.get(str(value), str(value))
