"""Long error texts are translated, masked and shown in linear time, and cut.

Each takes well below a second; the bound leaves room for a busy machine, and a quadratic step would take minutes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Final

import pytest
from psycopg import OperationalError
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from kafkastream.errors import DefinitionError, JobError, UserFunctionError
from kafkastream.model.common.call_errors import call_failed
from kafkastream.postgres.client import sink_error
from kafkastream.postgres.settings import PostgresSettings
from kafkastream.secret_masking import masked, masked_statement, masked_value, redacted
from kafkastream.spark.cdc.delta.connection import _refusal
from kafkastream.spark.session.jvm import own_words
from kafkastream.spark.session.translate_errors import (
    BAD_RECORD,
    BAD_ROW,
    FunctionFailedError,
    spark_refusals,
    storage_error,
    translated,
)
from kafkastream.spark.session.worker_output import shown_lines
from kafkastream.spark.worker.failures import element_failed, function_failed, not_decoded, not_encoded
from kafkastream.sql.syntax.parser import parse

SIZE: Final = 1_000_000
LONGEST: Final = 150_000
SECONDS: Final = 10.0

PARTS: Final = (
    "plain words and ",
    "x",
    " ",
    "'",
    '"',
    ":",
    "=",
    "a=b, ",
    "[({",
    "])}",
    "\tat x.y(z)\n",
    "Caused by: java.lang.Exception: ",
    "http://user:password@host/",
    "://a:",
    "QUJDREVG/+",
    "\n",
    "\\",
    "a.b-c",
    "password",
    "password=",
    "password='",
    "password=''x ",
    'password: "',
    "?password=a&",
    "sasl.jaas.config=",
    'sasl.jaas.config=""',
    "-----BEGIN PRIVATE KEY-----",
    "ssl.keystore.key=-----BEGIN ",
    "authorization: basic ",
    "jdbc:oracle:thin:a/",
    "kafkastream's user function failed {",
    f"{BAD_RECORD} [topic t, partition 1, offset 2] ",
    f"{BAD_ROW} [partition 1] ",
    "kafkastream.errors.StorageError: [storage] ",
    "KafkaV2[Subscribe[",
    "Concurrent",
    "COPY ",
    'Cannot run program "',
    "NoSuchFileException: /a/",
    '  File "/x/pyspark/core/',
    "İ",
    "\ud800",
)
"""Texts that are worst for one step or another when they are repeated."""


def of_function(text: str) -> str:
    return str(translated(FunctionFailedError(call_failed("f", [text], ValueError(text))), "j", "k"))


def of_delta(text: str) -> str:
    return str(_refusal(PySparkException(text), "there"))


def of_plan(text: str) -> str:
    with pytest.raises(DefinitionError) as caught, spark_refusals():
        raise AnalysisException(text)
    return str(caught.value)


def of_open(text: str) -> str:
    with pytest.raises(UserFunctionError) as caught, function_failed("f", "open"):
        raise ValueError(text)
    return str(caught.value)


def of_syntax(text: str) -> str:
    with pytest.raises(DefinitionError) as caught:
        parse(f"CREATE TABLE t (a INT) WITH ('a' = 'b' {text[: SIZE // 20]}")
    return str(caught.value)


DOORS: Final[dict[str, Callable[[str], str]]] = {
    "Spark": lambda text: str(translated(PySparkException(text), "j", "k")),
    "Java": lambda text: str(translated(Py4JError(f"An error occurred\n: org.X: {text}"), "j", "k")),
    "a record": lambda text: str(translated(RuntimeError(f"{BAD_RECORD} [file /a] {text} [end]"), "j", "k")),
    "a row": lambda text: str(translated(RuntimeError(f"{BAD_ROW} [partition 1] {text} [end]"), "j", "k")),
    "a SQL function": of_function,
    "a worker": lambda text: str(translated(RuntimeError(f"Python worker exited unexpectedly {text}"), "j", "k")),
    "a checkpoint": lambda text: str(storage_error("it cannot be read", OSError(text))),
    "a plan": of_plan,
    "Delta Lake": of_delta,
    "PostgreSQL": lambda text: str(
        sink_error(OperationalError(text), PostgresSettings(host="h", database="d", user="u", password="p"), text)
    ),
    "a JVM's start": own_words,
    "a function": lambda text: str(element_failed("map", text, "topic t", ValueError(text))),
    "open": of_open,
    "a deserializer": lambda text: str(not_decoded("s", "topic t", ValueError(text))),
    "a serializer": lambda text: str(not_encoded("s", text, "topic t", ValueError(text))),
    "any error": lambda text: str(JobError(text, where=text, now=text)),
    "syntax": of_syntax,
}


COMMON: Final = {"plain words and ", "password=", "x"}
WITH_STEPS_OF_ITS_OWN: Final = {"Spark", "a checkpoint", "Delta Lake", "PostgreSQL", "a JVM's start", "syntax"}
"""Doors that look for something in the text; the others only mask and cut it, which ``Spark`` does, too."""


@pytest.mark.parametrize("part", PARTS, ids=[part[:12].strip() or repr(part) for part in PARTS])
def test_no_text_takes_long(part: str) -> None:
    text = part * (SIZE // len(part))
    slow: dict[str, float] = {}
    for name, door in DOORS.items():
        if part not in COMMON and name not in WITH_STEPS_OF_ITS_OWN:
            continue
        begin = time.process_time()
        shown = door(text)
        seconds = time.process_time() - begin
        assert len(shown) < LONGEST or name == "a JVM's start", name
        if seconds > SECONDS:
            slow[name] = seconds
    assert slow == {}


@pytest.mark.parametrize("part", PARTS, ids=[part[:12].strip() or repr(part) for part in PARTS])
def test_masking_is_linear(part: str) -> None:
    text = part * (SIZE // 10 // len(part))
    for mask in (masked, masked_statement, redacted, lambda whole: masked_value("url", whole)):
        begin = time.process_time()
        mask(text)
        assert time.process_time() - begin < SECONDS


@pytest.mark.parametrize("part", ["\n", "Traceback (most recent call last):\n", '  File "/x/pyspark/core/', "  x\n"])
def test_the_log_passes_long_lines(part: str) -> None:
    text = b"Traceback (most recent call last):\n" + part.encode() * (SIZE // 4 // len(part)) + b"\nEOFError: x\nend\n"
    begin = time.process_time()
    assert list(shown_lines(text.splitlines(keepends=True)))[-1] == b"end\n"
    assert time.process_time() - begin < SECONDS


def test_beginning_and_end_of_a_long_text_stay() -> None:
    text = f"the beginning {'words ' * SIZE}the end"
    error = JobError(text)
    assert error.what.startswith("the beginning words")
    assert error.what.endswith("words the end")
    assert f" … (of {len(text):,} characters) … " in error.what
    assert str(JobError(error.what)) == str(error)


def test_the_cause_behind_many_frames_is_found() -> None:
    frames = "\tat org.apache.spark.Some.method(Some.scala:1)\n" * 20_000
    text = f"org.X: failed\n{frames}Caused by: java.io.IOException: No space left on device\n{frames}"
    assert "a disk is full" in str(translated(RuntimeError(text), "j", "k"))


def test_a_long_record_does_not_hide_the_position() -> None:
    text = f"{BAD_RECORD} [topic t, partition 1, offset 2] it is bad: {'x' * SIZE} [end] {'plan ' * SIZE}"
    error = translated(RuntimeError(text), "j", "k")
    assert error.where == "topic t, partition 1, offset 2"
    assert "it is bad" in error.what


def test_a_functions_error_in_a_long_text_is_found() -> None:
    failed = FunctionFailedError(UserFunctionError("[f] raised ValueError: é=1", where="arguments 1", now="trace"))
    text = f"{'plan ' * SIZE}{failed}{'plan ' * SIZE}"
    error = translated(RuntimeError(text), "j", "k")
    assert (type(error), error.what, error.now) == (UserFunctionError, "[f] raised ValueError: é=1", "trace")


@pytest.mark.parametrize("content", ["{", '{"a"} [end]', '{"a", "b", 1} [end]', "{} [end]", '{"a"'])
def test_a_text_that_only_looks_like_a_functions_error_fails_nothing(content: str) -> None:
    error = translated(RuntimeError(f"kafkastream's user function failed {content}"), "j", "k")
    assert type(error) is JobError


def test_a_secret_at_the_cut_is_masked() -> None:
    for length in range(5_000, 9_000, 23):
        shown = str(JobError(f"{'x' * length} password=HUSH-HUSH-HUSH-HUSH, b={'y' * 9_000}"))
        assert "HUSH" not in shown


def test_json_of_a_failure_is_short() -> None:
    assert len(json.dumps(str(JobError("é\x00" * SIZE)))) < 2 * LONGEST
