from __future__ import annotations

import itertools
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.row import Row
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.formats import CsvRowDeserializationSchema, CsvRowSerializationSchema
from kafkastream.model.formats.csv_text import CsvDialect

ORDER = Types.ROW_NAMED(
    ["item", "count", "price", "paid", "day", "at", "counts", "seal"],
    [
        Types.STRING(),
        Types.LONG(),
        Types.DOUBLE(),
        Types.BOOLEAN(),
        Types.SQL_DATE(),
        Types.SQL_TIMESTAMP(),
        Types.OBJECT_ARRAY(Types.INT()),
        Types.PRIMITIVE_ARRAY(Types.BYTE()),
    ],
)
TEXT = st.text(st.characters(codec="utf-8")).filter(lambda text: text != "N")
ORDERS = st.tuples(
    TEXT,
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.lists(st.integers(0, 9), min_size=1),
    st.binary(min_size=1),
).map(lambda values: Row(**dict(zip(ORDER.field_names, values, strict=True))))


def reading(*types: TypeInformation[Any]) -> CsvRowDeserializationSchema:
    return CsvRowDeserializationSchema.Builder(Types.ROW(types)).build()


@given(ORDERS, st.sampled_from([",", "|", "\t", "\x01"]), st.sampled_from(['"', "'"]), st.sampled_from([None, "\\"]))
def test_rows_come_back_as_they_were(order: Row, delimiter: str, quote: str, escape: str | None) -> None:
    writing = CsvRowSerializationSchema.Builder(ORDER).set_field_delimiter(delimiter).set_quote_character(quote)
    back = CsvRowDeserializationSchema.Builder(ORDER).set_field_delimiter(delimiter).set_quote_character(quote)
    if escape is not None:
        writing.set_escape_character(escape)
        back.set_escape_character(escape)
    line = writing.set_null_literal("N").build().serialize(order)
    assert back.set_null_literal("N").build().deserialize(line) == order


def test_schemas_are_values() -> None:
    for schema in (
        CsvRowDeserializationSchema.Builder(ORDER).setFieldDelimiter("|").setIgnoreParseErrors(True).build(),
        CsvRowSerializationSchema.Builder(ORDER).setLineDelimiter("").disableQuoteCharacter().build(),
    ):
        twin = pickle.loads(pickle.dumps(schema))
        assert (twin, hash(twin)) == (schema, hash(schema))
    assert reading(Types.INT()) != reading(Types.LONG())
    assert CsvRowDeserializationSchema.Builder(ORDER).build().get_produced_type() == ORDER


def test_tombstones_are_dropped_with_the_errors() -> None:
    builder = CsvRowDeserializationSchema.Builder(ORDER)
    assert builder.set_ignore_parse_errors(True).build().deserialize(None) is None
    with pytest.raises(ValueError, match="tombstone"):
        builder.set_ignore_parse_errors(False).build().deserialize(None)


@pytest.mark.parametrize(
    ("field", "works"),
    [
        (Types.MAP(Types.STRING(), Types.INT()), False),
        (Types.LIST(Types.INT()), False),
        (Types.CHAR(), False),
        (Types.INSTANT(), False),
        (Types.OBJECT_ARRAY(Types.ROW([Types.INT()])), False),
        (Types.ROW([Types.OBJECT_ARRAY(Types.INT())]), False),
        (Types.ROW([Types.SQL_TIME(), Types.BIG_DEC()]), True),
    ],
)
def test_what_csv_cannot_hold_is_refused_when_a_schema_is_built(field: TypeInformation[Any], works: bool) -> None:
    for builder in (CsvRowDeserializationSchema.Builder, CsvRowSerializationSchema.Builder):
        if works:
            builder(Types.ROW([field])).build()
        else:
            with pytest.raises(UnsupportedFeatureError, match="CSV rows cannot hold"):
                builder(Types.ROW([field])).build()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: CsvRowDeserializationSchema.Builder(None), "must be a TypeInformation, not None"),  # type: ignore[arg-type]
        (lambda: CsvRowSerializationSchema.Builder(Types.INT()), "Row type information expected"),  # type: ignore[arg-type]
        (lambda: CsvRowDeserializationSchema.Builder(ORDER).set_field_delimiter("||"), "is not one character"),
        (lambda: CsvRowDeserializationSchema.Builder(ORDER).set_array_element_delimiter(""), "is empty"),
        (lambda: CsvRowSerializationSchema.Builder(ORDER).set_line_delimiter(";"), "Unsupported new line delimiter"),
    ],
)
def test_settings_that_mean_nothing_are_refused(call: Any, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        call()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Row(1, 2), "field 'f0': expected a str"),
        (Row("a", "2"), "field 'f1': .*integer"),
        (Row("a"), "Row length mismatch. 2 fields expected but was 1"),
    ],
)
def test_values_of_another_type_are_refused(value: Row, says: str) -> None:
    schema = CsvRowSerializationSchema.Builder(Types.ROW([Types.STRING(), Types.INT()])).build()
    with pytest.raises(ValueError, match=says):
        schema.serialize(value)


@pytest.mark.parametrize(
    ("line", "columns"),
    [
        ("x" * 1_000_000, 1),
        ('"' + "x" * 1_000_000 + '"', 1),
        ('"' + '""' * 500_000 + '"', 1),
        ("," * 1_000_000, 1_000_001),
        (',""' * 300_000, 300_001),
        ('"' + r"\\" * 500_000 + '"', 1),
        (r"\," * 500_000, 1),
        ('"a"' + " " * 1_000_000, 1),
        ("#\n" * 300_000 + "1,2", 2),
        ("1,2\n" + "x" * 1_000_000, 2),
        ('"' + "x" * 1_000_000, None),
        ('"' + '""' * 500_000, None),
        ('"a"' + " " * 1_000_000 + "x", None),
    ],
    ids=itertools.count(),
)
def test_a_line_is_scanned_once(line: str, columns: int | None) -> None:
    dialect = CsvDialect(escape="\\", comments=True)
    started = time.process_time()
    if columns is None:
        with pytest.raises(ValueError, match="quote"):
            dialect.columns(line)
    else:
        assert len(dialect.columns(line)) == columns
    list(dialect.records(line.splitlines(keepends=True)))
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (r"a\\,b", ["a\\", "b"]),
        (r"a\\\n,b", ["a\\\n", "b"]),
        (r'"a\",\n""",b', ['a",\n"', "b"]),
        (r'a"b,"c"  ', ['a"b', "c"]),
        (r'"a",', ["a", ""]),
        ('"a\nb",c\nd', ["a\nb", "c"]),
    ],
)
def test_escapes_and_quotes(text: str, columns: list[str]) -> None:
    assert CsvDialect(escape="\\").columns(text) == columns
