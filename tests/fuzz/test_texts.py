"""Hostile JSON, CSV and change events: a decoder returns a value or raises ``ValueError``, soon and in little memory."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.cdc.errors import MalformedRecordError, SchemaMismatchError
from kafkastream.cdc.formats.canal_reader import CanalInference, CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.formats.settings import FormatSettings
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.common import TypeInformation, Types
from kafkastream.model.connectors.topic_sample import Message, TopicSample
from kafkastream.model.formats import CsvRowDeserializationSchema, JsonRowDeserializationSchema
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.json_rows import decode_json_rows
from kafkastream.sql.json_documents import json_part, json_part_told, json_scalar, json_scalar_told, json_texts
from kafkastream.sql.kafka_catalog.inference import inferred_table
from kafkastream.sql.kafka_catalog.options import CatalogSettings

KINDS: Final[dict[str, TypeInformation[Any]]] = {
    "b": Types.BOOLEAN(),
    "i": Types.INT(),
    "l": Types.LONG(),
    "n": Types.BIG_INT(),
    "d": Types.DOUBLE(),
    "e": Types.BIG_DEC(),
    "s": Types.STRING(),
    "y": Types.PRIMITIVE_ARRAY(Types.BYTE()),
    "t": Types.SQL_TIMESTAMP(),
    "c": Types.SQL_TIME(),
    "a": Types.OBJECT_ARRAY(Types.STRING()),
    "r": Types.ROW_NAMED(["e", "s"], [Types.BIG_DEC(), Types.STRING()]),
}
ROW: Final = Types.ROW_NAMED(list(KINDS), list(KINDS.values()))
COLUMNS: Final = {name: kind for name, kind in KINDS.items() if name not in "y"}
CSV_ROW: Final = Types.ROW_NAMED(list(COLUMNS), list(COLUMNS.values()))

DIGITS: Final = st.sampled_from(["0", "1", "9" * 38, "9" * 999, "9" * 4301, "0" * 5000 + "1", "9" * 100_000])
EXPONENTS: Final = st.sampled_from(
    ["", "e0", "e308", "e400", "e-400", "e2147483648", "E-99999999999999999999", "e999999999"]
)
NUMBERS: Final = st.builds(
    lambda sign, digits, fraction, exponent: f"{sign}{digits}{fraction}{exponent}",
    st.sampled_from(["", "-"]),
    DIGITS,
    st.sampled_from(["", ".0", ".5", "." + "3" * 2000]),
    EXPONENTS,
)
TEXTS: Final = st.text(max_size=8) | st.sampled_from(
    [
        "9999-12-31T24:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "24:00:00Z",
        "99999:1:1",
        "9999-12-31 99999999:0:0",
        "x" * 100_000,
    ]
)
STRINGS: Final = st.builds(json.dumps, TEXTS | NUMBERS) | st.sampled_from([r'"\ud800"', r'"\u0000"', '"\t"'])
DEPTHS: Final = st.sampled_from([1, 30, 400, 990, 1000, 1001, 20_000])
NESTED: Final = DEPTHS.map(lambda depth: "[" * depth + "]" * depth) | DEPTHS.map(
    lambda depth: '{"s":' * depth + "1" + "}" * depth
)
VALUES: Final = NUMBERS | STRINGS | NESTED | st.sampled_from(["null", "true", "[]", "{}", "NaN", "[1,{}]"])


def joined(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members) + "}"


NAMES: Final = st.sampled_from([*KINDS, "unknown", "ÿ", ""])
OBJECTS: Final = st.lists(st.tuples(NAMES, VALUES), max_size=4).map(joined)


def cut_or_replaced(message: bytes, position: int, replacement: bytes) -> bytes:
    position %= len(message) + 1
    return message[:position] + replacement + message[position + len(replacement) :]


def mutated(messages: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    replacements = st.binary(max_size=3) | st.sampled_from(
        [b'"', b"\\", b"[", b"{", b"\0", b"\xff", b"\xed\xa0\x80", b"\r"]
    )
    return st.builds(cut_or_replaced, messages, st.integers(0, 2**20), replacements)


ENCODED: Final = st.builds(
    lambda text, charset: text.encode(charset, "surrogatepass"),
    OBJECTS,
    st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"]),
)
JSON_MESSAGES: Final = (
    ENCODED | mutated(ENCODED) | st.binary(max_size=40) | st.sampled_from([b"null", b"", b" ", b"[" * 100_000])
)


def value_or_reason(read: Callable[[Any], Any], message: Any) -> Any:
    try:
        return read(message)
    except ValueError as error:
        return type(error)


@given(JSON_MESSAGES)
def test_json_rows(message: bytes) -> None:
    strict = JsonRowDeserializationSchema.builder().type_info(ROW).build()
    lenient = JsonRowDeserializationSchema.builder().type_info(ROW).ignore_parse_errors().build()
    value_or_reason(strict.deserialize, message)
    lenient.deserialize(message)
    [row] = decode_json_rows(lenient, pa.array([message], pa.binary()))
    assert row is None or len(row) == len(KINDS)
    try:
        decode_json_rows(strict, pa.array([b"{}", message], pa.binary()))
    except ElementError as error:
        assert error.index == 1  # noqa: PT017 - many messages are well
        if not isinstance(error.__cause__, ValueError):
            raise


CELLS: Final = TEXTS | NUMBERS | st.sampled_from(['"', '"a""b"', '"open', r"\,", '"a" b', "a;b;", "\r", "\n", "#"])
LINES: Final = st.lists(CELLS, max_size=len(COLUMNS) + 1).map(",".join)
CSV_MESSAGES: Final = LINES.map(lambda line: line.encode(errors="surrogatepass"))


@given(CSV_MESSAGES | mutated(CSV_MESSAGES) | st.binary(max_size=40), st.booleans(), st.booleans())
def test_csv_rows(message: bytes, escapes: bool, comments: bool) -> None:
    builder = CsvRowDeserializationSchema.Builder(CSV_ROW).set_allow_comments(comments)
    if escapes:
        builder.set_escape_character("\\")
    value_or_reason(builder.build().deserialize, message)
    row = builder.set_ignore_parse_errors(True).build().deserialize(message)
    assert row is None or len(row) == len(COLUMNS)


@given(st.text(alphabet='a ,"\\\r\n\t#', max_size=20))
def test_records_of_csv_have_all_lines(text: str) -> None:
    lines = text.splitlines(keepends=True)
    assert len("".join(CsvDialect(escape="\\").records(lines))) <= len(text)


@given(OBJECTS | JSON_MESSAGES.map(lambda message: message.decode(errors="replace")))
def test_parts_of_json(document: str) -> None:
    for path in ("$", "$.s", "$.r.e", "$.a[0]"):
        for read in (json_scalar, json_part, json_texts):
            read(document, path)
        json_scalar_told(document, path, "strict DOUBLE")
        json_part_told(document, path, "lax CONDITIONAL")


CONNECT_TYPES: Final = (
    "io.debezium.data.VariableScaleDecimal",
    "org.apache.kafka.connect.data.Decimal",
    *(
        f"io.debezium.time.{name}"
        for name in ("Date", "MicroTime", "MicroTimestamp", "NanoTimestamp", "ZonedTimestamp")
    ),
    None,
)
UNSCALED: Final = st.integers(0, 300).map(lambda length: json.dumps(base64.b64encode(b"\x7f" * length).decode()))
SCALES: Final = st.sampled_from(["0", "2", "-5", "99999999", "-99999999", "9" * 30])
SCALED: Final = st.builds(lambda scale, value: f'{{"scale":{scale},"value":{value}}}', SCALES, UNSCALED)
MYSQL_TYPES: Final = st.sampled_from(
    [
        "int",
        "decimal(10,20)",
        "decimal(65)",
        "bit(9)",
        "bit(8000000000)",
        "datetime(99)",
        "varchar(99999999999)",
        "binary(3)",
    ]
)


def debezium(name: str | None, scale: str, value: str) -> bytes:
    field = {"type": "string", "name": name, "field": "v", "parameters": {"scale": scale}}
    schema = json.dumps({"fields": [{"field": "after", "fields": [field]}]})
    return f'{{"schema":{schema},"payload":{{"op":"c","source":{{"table":"t"}},"after":{{"v":{value}}}}}}}'.encode()


def canal(mysql_type: str, value: str) -> bytes:
    return f'{{"type":"INSERT","table":"t","mysqlType":{{"v":"{mysql_type}"}},"data":[{{"v":{value}}}]}}'.encode()


DEBEZIUM: Final = st.builds(debezium, st.sampled_from(CONNECT_TYPES), SCALES, VALUES | UNSCALED | SCALED)
CANAL: Final = st.builds(canal, MYSQL_TYPES, VALUES)


def read_changes(settings: FormatSettings, message: bytes, *, is_lenient: bool) -> None:
    """Infer the record's schema and read its rows, as a pipeline does."""
    reading = ReadSettings(value=settings)
    try:
        schemas = dict(ChangeReader(reading, {}).infer("t", None, message))
        ChangeReader(reading, schemas).read("t", None, message)
        ChangeReader(reading, {}).read("t", None, message)
    except SchemaMismatchError:
        pass
    except MalformedRecordError:
        assert not is_lenient


@given(DEBEZIUM | mutated(DEBEZIUM), st.booleans())
def test_debezium_events(message: bytes, lenient: bool) -> None:
    read_changes(DebeziumJson(schema_include=True, ignore_parse_errors=lenient), message, is_lenient=lenient)


@given(CANAL | mutated(CANAL), st.sampled_from(CanalInference), st.booleans())
def test_canal_events(message: bytes, inference: CanalInference, lenient: bool) -> None:
    read_changes(CanalJson(inference=inference, ignore_parse_errors=lenient), message, is_lenient=lenient)


@given(JSON_MESSAGES, st.booleans())
def test_objects_of_pipelines(message: bytes, lenient: bool) -> None:
    read_changes(Json(ignore_parse_errors=lenient), message, is_lenient=lenient)


@given(st.lists(JSON_MESSAGES, max_size=3))
def test_columns_of_topics(messages: list[bytes]) -> None:
    sample = TopicSample(tuple(Message(None, message) for message in messages))
    value_or_reason(lambda sample: inferred_table(("c", "d", "t"), sample, CatalogSettings(), {}), sample)
