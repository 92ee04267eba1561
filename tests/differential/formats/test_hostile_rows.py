"""Messages that no honest producer writes are read as by Flink's classes, or refused with a reason."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from kafkastream.common import Row
from kafkastream.model.common.value_printing import single
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.json_rows import decode_json_rows
from kafkastream.sql.json_documents import json_part, json_scalar
from tests.differential.formats import test_row_formats as row_formats
from tests.differential.formats.flink_golden import hostile

_SECONDS = 2.0
"""CPU time for one message: what reads them is linear, and they have at most 0.1 MB."""
_NOTHING = frozenset({"null", "+I[null]", "+I[null, a]"})
"""Rows of a message that is ignored, or whose value is."""
_NOT_UTF8 = (b"\xc0\xaf", b"\xf4\x90\x80\x80")


def test_json_rows() -> None:
    assert list(_differing("row json read", row_formats._read_json)) == []


def test_json_rows_that_a_worker_decodes() -> None:
    def read(question: Mapping[str, Any]) -> Row | None:
        schema = row_formats._json_schema(json.dumps(question["type"]), ignores=question["ignore"])
        try:
            return decode_json_rows(schema, pa.array([row_formats._message(question)], pa.binary()))[0]
        except ElementError as error:
            raise ValueError(str(error.__cause__)) from error

    assert list(_differing("row json read", read)) == []


def test_csv_rows() -> None:
    assert list(_differing("row csv read", row_formats._read_csv)) == []


def test_parts_of_json() -> None:
    functions = {"JSON_VALUE": json_scalar, "JSON_QUERY": json_part}
    questions = [question for question in hostile("json function") if question["name"] in functions]
    read = [functions[question["name"]](base64.b64decode(question["data"]).decode(), "$.x") for question in questions]
    differing = [
        (question["name"], base64.b64decode(question["data"])[:60], ours)
        for question, ours in zip(questions, read, strict=True)
        if ours != question.get("value", ...) and not _is_documented(question, {"value": ours})
    ]
    assert differing == []


def _differing(ask: str, read: Callable[[Mapping[str, Any]], Row | None]) -> Iterator[Any]:
    for question in hostile(ask):
        started = time.process_time()
        try:
            row = read(question)
        except ValueError as error:
            ours = {"error": str(error)}
        else:
            ours = {"value": row_formats._text(row).encode(errors="replace").decode()}
        is_late = time.process_time() - started > _SECONDS
        if is_late or not (_is_same(question, ours) or _is_documented(question, ours)):
            yield question["type"], question["ignore"], base64.b64decode(question["data"])[:60], ours


def _is_same(question: Mapping[str, Any], ours: Mapping[str, str]) -> bool:
    if "value" not in question or "value" not in ours:
        return ("error" in question) == ("error" in ours)
    return ours["value"] == question["value"] or _number(ours["value"]) == _number(question["value"]) is not None


def _number(row: str) -> float | None:
    """The number of a row's first column, which Java prints otherwise than Python."""
    try:
        return single(float(row.removeprefix("+I[").removesuffix("]").partition(",")[0]))
    except ValueError:
        return None


def _is_documented(question: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """Return whether docs/malformed-records.md has a difference from Flink."""
    message = base64.b64decode(question["data"])
    kind = str(question.get("type"))
    numbers = re.findall(rb"-?\d[\d.]*(?:[eE][+-]?\d+)?", message)
    is_read_by_flink = question.get("value") not in (None, "null")
    if is_read_by_flink:
        # Malformed or NULL here: numbers beyond max-digits, bytes that are not UTF-8, nothing but a byte order mark.
        is_beyond = "BIG" in kind and any(map(_has_many_digits, numbers))
        is_nothing = "error" in ours or ours["value"] in _NOTHING
        return is_nothing and (is_beyond or any(part in message for part in _NOT_UTF8) or message == b"\xef\xbb\xbf")
    # Read here: what no field reads, and longer numbers and names than Jackson reads.
    if "error" in ours or not _is_refused_by_jackson(message):
        return False
    if ours["value"] in _NOTHING:  # the field is NULL, where Flink ignores the message
        return True
    if b'"y":' in message or message.startswith(b'{"x":1,'):
        return ours["value"] in {"+I[1]", "+I[1.0]", "1"}
    return _number(ours["value"]) == single(float(numbers[0])) or ours["value"] == f"+I[{numbers[0].decode()}]"


def _is_refused_by_jackson(message: bytes) -> bool:
    """Return whether a message has a number of more than 1,000 digits or 32 bits of exponent, or a name of 50,001 letters."""
    numbers = re.findall(rb"-?\d[\d.]*(?:[eE][+-]?\d+)?", message)
    return b"n" * 50_001 in message or any(
        len(re.sub(rb"\D", b"", number)) > 1_000 or abs(int(number.lower().partition(b"e")[2] or 0)) > 2**31 - 1
        for number in numbers
    )


def _has_many_digits(number: bytes) -> bool:
    """Return whether a number has more than 1,000 digits, with the zeros of its exponent."""
    digits, _, exponent = number.lower().partition(b"e")
    return len(number) > 1_000 or len(digits) + abs(int(exponent or 0)) > 1_000
