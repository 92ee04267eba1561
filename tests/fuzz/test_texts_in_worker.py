"""Hostile JSON, CSV and change events in a worker of Spark: none kills it, and honest records beside them are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.canal_reader import CanalInference, CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.model.formats import CsvRowDeserializationSchema, JsonRowDeserializationSchema
from kafkastream.spark.internals.python import map_in_arrow
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import local_frame
from kafkastream.spark.worker.json_rows import decode_json_rows
from kafkastream.sql.json_documents import json_part, json_scalar
from kafkastream.sql.plan.relations import Field
from kafkastream.sql.plan.spark_text import spark_text
from kafkastream.sql.syntax.data_types import parse_type
from tests.fuzz.test_texts import CSV_ROW, ROW, canal, debezium
from tests.fuzz.worker_outcomes import chance, decoding
from tests.unit.spark.tables.frames import read, table
from tests.unit.sql.planning import compiled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDS: Final = 1_500
NUMBERS: Final = (
    "1e999999999",
    "1e99999999999999999999",
    "-1e400",
    "9" * 1_001,
    "9" * 20_000,
    "0." + "3" * 5_000,
    "NaN",
)
TEXTS: Final = (
    r'"\ud800"',
    '"\0"',
    '"9999-12-31T24:00:00Z"',
    '"' + "x" * 20_000 + '"',
    '"open',
    '""' * 9_000,
    "\r",
    "#\n" * 9_000,
)
PARTS: Final = (
    *NUMBERS,
    *TEXTS,
    "[" * 600,
    "[" * 20_000,
    '{"a":' * 20_000,
    "[" * 999 + "]" * 999,
    "null",
    "\\",
    "\ufeff",
)
SAMPLES: Final = (
    b'{"i":1,"l":2,"e":1.50,"s":"a","t":"2024-05-01T12:30:00Z","a":["b"],"r":{"e":1}}',
    b'1,true,"a ""b""",2.5,2024-05-01 12:30:00,x',
    debezium("io.debezium.data.VariableScaleDecimal", "2", '{"scale":99999999,"value":"AQ=="}'),
    canal("decimal(10,20)", '"1"'),
    '{"s":"wide"}'.encode("utf-16-le"),
)
COLUMNS: Final = (
    "i INT, l BIGINT, d DOUBLE, e DECIMAL(10, 2), s STRING, t TIMESTAMP(3), c TIME, f DATE, y BYTES, a ARRAY<STRING>"
)

pytestmark = pytest.mark.usefixtures("spark")


def decoders() -> dict[str, Callable[[bytes], Any]]:
    json_rows = JsonRowDeserializationSchema.builder().type_info(ROW)
    strict, lenient = json_rows.build(), json_rows.ignore_parse_errors().build()
    csv = CsvRowDeserializationSchema.Builder(CSV_ROW).set_allow_comments(True).set_escape_character("\\")
    changes = [
        ReadSettings(value=DebeziumJson(schema_include=True)),
        ReadSettings(value=CanalJson(inference=CanalInference.MYSQL_TYPE)),
    ]

    def read_changes(message: bytes) -> None:
        for reading in changes:
            try:
                schemas = dict(ChangeReader(reading, {}).infer("t", None, message))
                ChangeReader(reading, schemas).read("t", None, message)
            except (MalformedRecordError, SchemaMismatchError) as error:
                raise ValueError(str(error)) from error

    def read_parts(message: bytes) -> None:
        document = message.decode(errors="replace")
        json_scalar(document, "$.i"), json_part(document, "$.r")

    return {
        "json": strict.deserialize,
        "lenient json": lambda message: decode_json_rows(lenient, pa.array([message], pa.binary())),
        "csv": csv.build().deserialize,
        "lenient csv": csv.set_ignore_parse_errors(True).build().deserialize,
        "changes": read_changes,
        "parts": read_parts,
    }


def hostile_messages() -> list[bytes]:
    """Return samples with parts replaced by hostile text; others under ``make fuzz`` each time."""
    numbers = chance()

    def mutated(sample: bytes) -> bytes:
        start, end = sorted(numbers.randrange(len(sample) + 1) for _ in range(2))
        is_text = numbers.random() < 0.8
        part = (
            numbers.choice(PARTS).encode(errors="surrogatepass")
            if is_text
            else numbers.randbytes(numbers.randrange(12))
        )
        return sample[:start] + part + sample[end:]

    return [part.encode() for part in PARTS] + [mutated(numbers.choice(SAMPLES)) for _ in range(RECORDS)]


def test_texts(spark: SparkSession) -> None:
    hostile = [*SAMPLES, *hostile_messages()]
    frame = local_frame(job_session(spark), [(message,) for message in hostile], "message binary")
    outcomes: Counter[str] = Counter()
    for name, number in map_in_arrow(frame, decoding(decoders), "outcome string, number bigint").collect():
        outcomes[name] += number
    kinds = {f"{name} {outcome}" for name in decoders() for outcome in ("read", "malformed")}
    assert set(outcomes) <= kinds, outcomes
    assert sum(outcomes.values()) == len(decoders()) * len(hostile)
    assert not any(outcomes[f"{name} malformed"] for name in ("lenient json", "lenient csv", "parts"))


@pytest.mark.parametrize("format_name", ["json", "csv"])
def test_tables_skip_hostile_messages(spark: SparkSession, format_name: str) -> None:
    honest = '{"i":7,"s":"honest"}' if format_name == "json" else "7,,,,honest,,,,,"
    options = {"format": format_name, f"{format_name}.ignore-parse-errors": "true"}
    if format_name == "csv":
        options |= {"csv.allow-comments": "true", "csv.escape-character": "\\"}
    messages = [honest.encode(), *hostile_messages(), honest.encode()]
    rows = read(job_session(spark), table(COLUMNS, options), messages)
    assert [row[1:6:4] for row in rows if row[0] in (0, len(messages) - 1)] == [(7, "honest")] * 2


@pytest.mark.timeout(120)  # in quadratic time, each would take half an hour
def test_urls_of_a_megabyte(spark: SparkSession) -> None:
    blanks = " " * 10**6
    urls = [f"http://h/{blanks}x", f"http://h/?{blanks}x", f"http://h/#{blanks}x", f"{blanks}http://h/{blanks}"]
    frame = local_frame(job_session(spark), [(url,) for url in (*urls, "http://" + "@" * 10**6)], "c0 string")
    host = spark_text(compiled("PARSE_URL(s, 'HOST')", [Field("s", parse_type("STRING"))]))
    assert [row[0] for row in frame.selectExpr(host).collect()] == ["h"] * len(urls) + [""]
