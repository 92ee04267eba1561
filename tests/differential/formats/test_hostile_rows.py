"""Messages that no honest producer writes are read as by Flink's classes, or refused with a reason."""

from __future__ import annotations

import base64
import json
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
_LONG_NUMBERS = ("1e" + "0" * 5000, "9" * 1001, "9" * 5000)
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
        if ours != question.get("value", ...) and not _is_read_otherwise(question, {"value": ours})
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
        if is_late or not (_is_same(question, ours) or _is_read_otherwise(question, ours)):
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


def _is_read_otherwise(question: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    """The differences that docs/malformed-records.md tells."""
    message = base64.b64decode(question["data"])
    kind = str(question.get("type"))
    if b'"y":' in message and "value" in ours:
        return True  # a member that no field reads is skipped unread
    if "BIG" in kind and any(number in message for number in (b"99999999", b"1111111", b"0000000", b"1e2147483647")):
        return "error" in ours or "null" in ours["value"]  # beyond kafkastream.records.max-digits
    if any(number.encode() in message for number in _LONG_NUMBERS) or b"n" * 50_001 in message:
        return "value" in ours  # Python reads longer numbers and names than Jackson
    if any(invalid in message for invalid in _NOT_UTF8):
        return "error" in ours or "null" in ours["value"]
    return message.startswith(b"\xef\xbb\xbf") or message.endswith(b"}\0")
