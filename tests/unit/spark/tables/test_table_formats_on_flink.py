"""The formats json and csv of tables read and write what Flink's classes do: ``tests/differential/formats``."""

from __future__ import annotations

import base64
import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.model.common.value_printing import single
from kafkastream.spark.session.session import local_frame
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.plan.spark_text import spark_text
from kafkastream.sql.syntax.data_types import parse_type
from tests.differential.formats.flink_golden import asked, hostile
from tests.unit.spark.tables.frames import read, table, written
from tests.unit.sql.planning import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JAVA_NUMBERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _groups(questions: Sequence[Mapping[str, Any]], *options: str) -> dict[tuple[Any, ...], list[Mapping[str, Any]]]:
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for question in questions:
        key = question["type"], *(question.get(option) for option in options)
        groups[key].append(question)
    return groups


def _columns(row_type: str) -> str:
    return row_type.removeprefix("ROW<")[:-1]


def _data(question: Mapping[str, Any]) -> bytes:
    return base64.b64decode(question["data"])


def _text(value: Any) -> str:
    """A value as Java prints it."""
    match value:
        case None:
            return "null"
        case tuple():
            return f"+I[{', '.join(map(_text, value))}]"
        case list():
            return f"[{', '.join(map(_text, value))}]"
        case _:
            return _JAVA_NUMBERS.get(str(value), str(value))


def _differing(
    session: SparkSession, columns: str, options: Mapping[str, str], questions: Sequence[Mapping[str, Any]]
) -> list[Any]:
    """Return the messages of which other rows are read than by Flink, with both."""
    rows = defaultdict(list)
    for offset, *values in read(session, table(columns, options), list(map(_data, questions))):
        rows[offset].append(_text(tuple(values)))
    expected = [[row for row in question["value"] if row is not None] for question in questions]
    return [
        (_data(question), want, rows[offset])
        for offset, (question, want) in enumerate(zip(questions, expected, strict=True))
        if rows[offset] != want
    ]


@pytest.mark.parametrize("row_type", ["ROW<x DOUBLE>", "ROW<x STRING>", "ROW<x INT>"])
def test_json_that_jackson_refuses_is_ignored(session: SparkSession, row_type: str) -> None:
    questions = [one for one in asked("sql json read") if one["type"] == row_type and one["ignore"]]
    options = {"format": "json", "json.ignore-parse-errors": "true"}
    assert _differing(session, _columns(row_type), options, questions) == []


@pytest.mark.parametrize(
    "message", ["{'x':14}", '{"x":NaN}', '{"x":-Infinity}', '{"y":NaN,"x":1}', b'{"x":1,"y":"\xff"}']
)
def test_json_that_jackson_refuses_fails(session: SparkSession, message: str | bytes) -> None:
    with pytest.raises(Exception, match=r"Failed to deserialize JSON\."):
        read(session, table("x DOUBLE", {"format": "json"}), [message])


@pytest.mark.parametrize("format_name", ["json", "csv"])
def test_hostile_messages_are_ignored(session: SparkSession, format_name: str) -> None:
    options = {"format": format_name, f"{format_name}.ignore-parse-errors": "true"}
    if format_name == "csv":
        options["csv.null-literal"] = ""
    lenient = [question for question in hostile(f"sql {format_name} read") if question["ignore"]]
    differing = [
        (row_type, message[:60], want, ours)
        for (row_type,), questions in _groups(lenient).items()
        for message, want, ours in _differing(session, _columns(row_type), options, questions)
        if not _is_same_number(want, ours) and not _is_documented(message, row_type, ours)
    ]
    assert differing == []


def test_json_predicates_of_hostile_texts(session: SparkSession) -> None:
    differing = []
    for name, text in (("JSON_EXISTS", "JSON_EXISTS(s, '$.x')"), ("IS JSON", "s IS JSON")):
        questions = [question for question in hostile("json function") if question["name"] == name]
        documents = local_frame(session, [(_data(question).decode(),) for question in questions], "c0 string")
        expression = spark_text(compiled(text, [Field("s", parse_type("STRING"))]))
        found = [str(value).lower() for (value,) in documents.selectExpr(expression).collect()]
        differing += [
            (name, _data(question)[:60], ours)
            for question, ours in zip(questions, found, strict=True)
            if ours != question["value"] and not _is_read_by_spark(name, _data(question), ours)
        ]
    assert differing == []


def _is_read_by_spark(predicate: str, message: bytes, ours: str) -> bool:
    """Return whether docs/malformed-records.md has a difference of Spark's parser from Flink's."""
    if predicate == "JSON_EXISTS" and b"\\ud800" in message:
        return ours == "false"
    if predicate == "IS JSON" and message in {b'{"x":"\0"}', b'{"x":"\t"}'}:
        return ours == "true"
    exponent = re.search(rb"\de-?(\d+)", message)
    return ours == "true" and exponent is not None and int(exponent[1]) > 2**31 - 1


def _is_same_number(want: Sequence[str], ours: Sequence[str]) -> bool:
    """Whether both are a number, which Java prints otherwise than Python, and Spark otherwise than Jackson."""
    try:
        return [single(float(row[3:-1].partition(",")[0])) for row in want] == [
            single(float(row[3:-1].partition(",")[0])) for row in ours
        ]
    except ValueError:
        return False


def _is_documented(message: bytes, row_type: str, ours: Sequence[str]) -> bool:
    """Return whether docs/malformed-records.md has a difference from Flink."""
    if not ours:  # malformed: 998 levels, UTF-16 and UTF-32, other bytes that are not UTF-8, nothing but a mark
        is_deep, is_mark = b"[" * 900 in message, message == b"\xef\xbb\xbf"
        return is_deep or is_mark or b"\0" in message[:4] or not _is_utf8(message)
    if message.count(b'"x":') == 2:  # the last one counts, in Flink the first
        last = f"+I[{message[:-1].rpartition(b':')[2].decode()}]"
        return ours == [last] or _is_same_number([last], ours)
    if row_type == "ROW<x STRING>":
        return ours == ["+I[null]"] and math.isinf(float(message[len(b'{"x":') : -1]))
    if "INT" in row_type:
        return ours == ["+I[0]"] and message.startswith(b'{"x":"0.')
    return ours == ["+I[0.00, a]"] and message == b"1e-999999999,a"


def _is_utf8(message: bytes) -> bool:
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "json"}, "null"),
        ({"format": "json"}, " "),
        ({"format": "json"}, '{"x":1e400}'),
        ({"format": "json"}, '{"x":"a"}'.encode("utf-16")),
        ({"format": "json"}, f'{{"x":{"[" * 100_000}'),
        ({"format": "csv"}, b"\xff"),
        ({"format": "csv"}, "a".encode("utf-16-le")),
        ({"format": "csv"}, '"a'),
    ],
)
def test_hostile_messages_fail(session: SparkSession, options: Mapping[str, str], message: str | bytes) -> None:
    with pytest.raises(Exception, match=r"topic t, partition 3, offset 0\] Failed to deserialize"):
        read(session, table("x STRING", options), [message])


def test_csv_with_many_comments_and_escapes(session: SparkSession) -> None:
    options = {"format": "csv", "csv.allow-comments": "true", "csv.escape-character": "\\"}
    many = "#\n" * 300_000 + r"a\\\n,b"
    assert read(session, table("x STRING, y STRING", options), [many]) == [(0, "a\\\n", "b")]


def test_the_null_literal_of_csv_is_compared_with_parts(session: SparkSession) -> None:
    differing = []
    for (row_type, null, ignore), questions in _groups(asked("sql csv read"), "null", "ignore").items():
        options = {"format": "csv", "csv.null-literal": null, "csv.ignore-parse-errors": str(ignore).lower()}
        readable = [question for question in questions if "value" in question]
        differing += _differing(session, _columns(row_type), options, readable)
    assert differing == []


def test_decimals_are_written_as_csv(session: SparkSession) -> None:
    differing = []
    for (row_type, is_scientific), questions in _groups(asked("sql csv write"), "scientific").items():
        options = {"format": "csv"}
        if is_scientific is not None:
            options["csv.write-bigdecimal-in-scientific-notation"] = str(is_scientific).lower()
        rows = [
            tuple(_written(json.loads(_data(question), parse_float=Decimal)["x"], row_type)) for question in questions
        ]
        columns = _columns(row_type)
        spark_columns = columns.replace("ROW<a", "STRUCT<a:").replace(", b DOUBLE>", ", b: DOUBLE>")
        frame = local_frame(session, rows, spark_columns).toDF("c0", "c1")
        lines = written(frame, table(columns, options), "value")
        expected = [(question["value"],) for question in questions]
        differing += [(row_type, want, line) for want, line in zip(expected, lines, strict=True) if want != line]
    assert differing == []


def _written(value: Any, row_type: str) -> tuple[Any, str]:
    """The values of a row, as Spark takes them for its type."""
    return _of_spark(value, "DECIMAL" in row_type), "a"


def _of_spark(value: Any, is_decimal: bool) -> Any:
    match value:
        case list():
            return [_of_spark(element, is_decimal) for element in value]
        case {"a": first, "b": second}:
            return (_of_spark(first, is_decimal=True), _of_spark(second, is_decimal=False))
        case None:
            return None
        case _:
            return Decimal(value) if is_decimal else float(value)
