"""JSON to rows and back: values of all types, and schemas that follow any values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kafkastream.cdc.errors import MalformedRecordError, MisfitError, SchemaMismatchError
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.merge import merged
from kafkastream.cdc.reader import ChangeReader, ReadSettings
from kafkastream.cdc.rows import RowDecoder, encode_row, row_class, row_encoder
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type

T = TableId(("t",))
SETTINGS = ReadSettings(value=Json())


def decoder(type_: str, *, reads_texts: bool = False, time_zone: str = "UTC") -> RowDecoder:
    columns = (Column("c", parse_type(type_)),)
    return RowDecoder(columns, ["c"], Conversion(reads_texts=reads_texts, time_zone=time_zone), forbids_unknown=True)


FITS: list[tuple[str, bytes, Any]] = [
    ("BOOLEAN", b"true", True),
    ("TINYINT", b"-128", -128),
    ("SMALLINT", b"32767", 32767),
    ("INT", b"-0", 0),
    ("BIGINT", b"9223372036854775807", 2**63 - 1),
    ("FLOAT", b"1.5", 1.5),
    ("FLOAT", b"1", 1.0),
    ("DOUBLE", b"0.1", 0.1),
    ("DOUBLE", b"7", 7.0),
    ("DOUBLE", b"1e2", 100.0),
    ("DECIMAL(4, 2)", b"1.5", Decimal("1.50")),
    ("DECIMAL(4, 2)", b"12", Decimal("12.00")),
    ("DECIMAL(4, 2)", b"1.500", Decimal("1.50")),
    ("DECIMAL(4, 2)", b"1e1", Decimal("10.00")),
    ("DECIMAL(38, 18)", b"12345678901234567890.123456789012345678", Decimal("12345678901234567890.123456789012345678")),
    ("STRING", b'"a"', "a"),
    ("STRING", b"1.50", "1.50"),
    ("STRING", b"1e400", "1e400"),
    ("STRING", b"false", "false"),
    ("STRING", b'{"a": [1, 2.50, "x y"]}', '{"a":[1,2.50,"x y"]}'),
    ("STRING", rb'"\ud83d\ude00\u0000"', "😀\0"),
    ("VARCHAR(3)", '"äöü"'.encode(), "äöü"),
    ("VARCHAR(3)", b"123", "123"),
    ("BYTES", b'"AP8="', b"\x00\xff"),
    ("BINARY(2)", b'"AP8="', b"\x00\xff"),
    ("DATE", b'"2024-02-29"', "2024-02-29"),
    ("DATE", b'"2000-02-29"', "2000-02-29"),
    ("TIME(1)", b'"23:59:59.5"', "23:59:59.5"),
    ("TIMESTAMP(3)", b'"2024-05-01 12:30:00.123"', "2024-05-01 12:30:00.123"),
    ("TIMESTAMP(3)", b'"2024-05-01T12:30:00"', "2024-05-01 12:30:00"),
    ("TIMESTAMP(3)", b'"2024-05-01T12:30"', "2024-05-01 12:30:00"),
    ("TIMESTAMP(3)", b'"2024-05-01"', "2024-05-01 00:00:00"),
    ("TIMESTAMP_LTZ(3)", b'"2024-05-01 12:30:00Z"', "2024-05-01 12:30:00Z"),
    ("TIMESTAMP_LTZ(3)", b'"2024-05-01T12:30Z"', "2024-05-01 12:30:00Z"),
    ("TIMESTAMP_LTZ(3)", b'"2024-05-01T12:30:00.5"', "2024-05-01 12:30:00.5Z"),
    ("ARRAY<DECIMAL(4, 2)>", b"[1, null]", [Decimal("1.00"), None]),
    ("MAP<STRING, DATE>", b'{"a": "2024-05-01"}', {"a": "2024-05-01"}),
    ("ROW<a INT, b STRING>", b'{"b": 5}', {"a": None, "b": "5"}),
]


@pytest.mark.parametrize(("type_", "text", "value"), FITS, ids=[f"{one[0]}-{place}" for place, one in enumerate(FITS)])
def test_values_that_a_type_holds(type_: str, text: bytes, value: Any) -> None:
    decode = decoder(type_)
    for _ in range(3):  # typed decoding learns after the first
        row = decode(b'{"c":%b}' % text)
        assert msgspec.structs.astuple(row) == (value,)  # type: ignore[arg-type]
        assert type(getattr(row, "f0", None)) is type(value)
        assert decode(encode_row(row)) == row
    assert msgspec.structs.astuple(decode(b'{"c":null}')) == (None,)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("BOOLEAN", b"1"),
        ("BOOLEAN", b'"true"'),
        ("TINYINT", b"128"),
        ("SMALLINT", b"-32769"),
        ("INT", b"1.0"),
        ("INT", b"1e0"),
        ("INT", b'"1"'),
        ("INT", b"true"),
        ("BIGINT", b"9223372036854775808"),
        ("BIGINT", b"1" * 5000),
        ("FLOAT", b"1e39"),
        ("DOUBLE", b"1e400"),
        ("DOUBLE", b'"NaN"'),
        ("DECIMAL(4, 2)", b"100"),
        ("DECIMAL(4, 2)", b"1.505"),
        ("DECIMAL(4, 2)", b'"1.5"'),
        ("DECIMAL(4, 2)", b"1e999999999999"),
        ("VARCHAR(3)", b'"abcd"'),
        ("VARCHAR(3)", b"1234"),
        ("STRING", b'"\xff"'),
        ("BYTES", b'"*"'),
        ("BINARY(1)", b'"AP8="'),
        ("DATE", b'"2023-02-29"'),
        ("DATE", b'"1900-02-29"'),
        ("DATE", b'"0000-01-01"'),
        ("DATE", b'"2024-5-1"'),
        ("DATE", b'"2024-05-01 00:00:00"'),
        ("DATE", b"19844"),
        ("DATE", rb'"\uff12\uff10\uff12\uff14-05-01"'),
        ("TIME(0)", b'"12:30:00.5"'),
        ("TIME(3)", b'"24:00:00"'),
        ("TIMESTAMP(3)", b'"2024-05-01 12:30:00.1234"'),
        ("TIMESTAMP(3)", b'"2024-05-01 12:30"'),
        ("TIMESTAMP(3)", b'"2024-05-01 12:30:00Z"'),
        ("TIMESTAMP(3)", b'"2024-05-01 12:30:60"'),
        ("TIMESTAMP(3)", b'"2024-05-01 12:30:00\\n"'),
        ("TIMESTAMP(3)", b'"soon"'),
        ("TIMESTAMP_LTZ(3)", b'"2024-05-01 12:30:00+01:00"'),
        ("ARRAY<INT>", b'["1"]'),
        ("ARRAY<INT>", b"{}"),
        ("ROW<a INT>", b'{"b": 1}'),
    ],
)
def test_values_that_a_type_does_not_hold(type_: str, text: bytes) -> None:
    decode = decoder(type_)
    for _ in range(2):
        with pytest.raises(MisfitError, match="column 'c'"):
            decode(b'{"c":%b}' % text)


def test_texts_of_numbers_where_they_are_read() -> None:
    assert decoder("INT", reads_texts=True)(b'{"c":"5"}') == decoder("INT")(b'{"c":5}')
    for text in (b'"1_000"', b'" 5"', b'"0x5"', b'"NaN"', b'"Infinity"', b'""'):
        for type_ in ("DECIMAL(10, 2)", "DOUBLE", "BIGINT"):
            with pytest.raises(MisfitError):
                decoder(type_, reads_texts=True)(b'{"c":%b}' % text)


def test_local_times_are_those_of_the_zone() -> None:
    decode = decoder("TIMESTAMP_LTZ(9)", time_zone="Europe/Berlin")
    row = decode(b'{"c":"2024-07-01T12:30:00.123456789"}')
    assert encode_row(row) == b'{"c":"2024-07-01 10:30:00.123456789Z"}'


@pytest.mark.parametrize(
    "type_", ["MULTISET<INT>", "MAP<INT, STRING>", "INTERVAL DAY TO SECOND", "ARRAY<MULTISET<INT>>"]
)
def test_types_that_rows_cannot_have(type_: str) -> None:
    with pytest.raises(UnsupportedFeatureError, match="Use STRING"):
        decoder(type_)


def test_the_last_of_two_members_counts() -> None:
    assert encode_row(decoder("INT")(b'{"c":1,"c":2}')) == b'{"c":2}'
    assert encode_row(decoder("STRING")(b'{"c":"a","c":2}')) == b'{"c":"2"}'


@given(st.lists(st.text(max_size=5), unique=True, min_size=1, max_size=5))
def test_columns_have_any_names(names: list[str]) -> None:
    try:
        json.dumps(names, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # lone surrogates are no JSON
        return
    columns = tuple(Column(name, parse_type("INT")) for name in names)
    value = msgspec.json.encode(dict(zip(names, range(len(names)), strict=True)))
    row = RowDecoder(columns, names, Conversion(), forbids_unknown=True)(value)
    assert isinstance(row, row_class(columns))
    assert msgspec.structs.astuple(row) == tuple(range(len(names)))
    assert encode_row(row) == row_encoder(columns)(row) == value


digits = st.integers(-(10**45), 10**45)
numbers = st.one_of(
    st.integers().map(str),
    digits.map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.tuples(digits, st.integers(-50, 50)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
    st.decimals(allow_nan=False, allow_infinity=False).map(str).map(lambda text: text.replace("E+", "e")),
    st.sampled_from(["1e400", "-0", "0.0", "1.0"]),
)
times = st.one_of(
    st.dates().map(str),
    st.datetimes().map(str),
    st.datetimes().map(lambda time: time.isoformat()),
    st.datetimes().map(lambda time: f"{time.isoformat(timespec='minutes')}Z"),
    st.sampled_from(["2024-02-30", "2023-02-29", "0001-01-01", "2024-05-01T12:30", "12:30:00", "2024-05-01 24:00:00"]),
)
texts = st.one_of(st.text(alphabet=st.characters(codec="utf-8"), max_size=12), times, numbers)
scalars = st.one_of(st.just("null"), st.sampled_from(["true", "false"]), numbers, texts.map(json.dumps))
nested = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]"), max_leaves=4
)
objects = st.dictionaries(st.sampled_from(["a", "b", "c", 'd"']), nested, min_size=1).map(
    lambda members: "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in members.items()) + "}"
)
declared = st.dictionaries(
    st.sampled_from(["a", "b"]),
    st.sampled_from(
        [
            "TINYINT",
            "INT",
            "FLOAT",
            "DOUBLE",
            "DECIMAL(5, 2)",
            "DECIMAL(38, 30)",
            "VARCHAR(4)",
            "CHAR(2)",
            "BYTES",
            "BINARY(2)",
            "BOOLEAN",
            "DATE",
            "TIME(0)",
            "TIMESTAMP(0)",
            "TIMESTAMP_LTZ(0)",
            "ARRAY<INT>",
        ]
    ).map(parse_type),
)


def followed(records: list[bytes], schemas: dict[TableId, TableSchema]) -> Mapping[TableId, TableSchema]:
    """Read records as the engine does: schemas follow what does not fit, each time to a wider one."""
    for record in records:
        for _ in range(20):
            try:
                ChangeReader(SETTINGS, schemas).read("t", None, record)
                break
            except SchemaMismatchError as mismatch:
                [(table, found)] = mismatch.found
                wider = merged(schemas[table], found) if table in schemas else found
                assert wider != schemas.get(table)
                schemas = {table: wider}
        else:
            raise AssertionError(schemas)
    return schemas


@given(st.lists(objects, min_size=1, max_size=4), declared)
@example(['{"a":1e50}', '{"a":1.5}'], {})
@example(['{"a":"12:30:00"}', '{"a":"99:99:99"}'], {"a": parse_type("TIME(0)")})
def test_schemas_follow_any_values_and_rows_survive_json(texts: list[str], types: dict[str, Any]) -> None:
    records = [text.encode() for text in texts]
    schemas = {T: TableSchema.of({"x": parse_type("INT"), **types}.items())}
    final = followed(records, schemas)
    reader = ChangeReader(SETTINGS, final)
    for record in records:
        [change] = reader.read("t", None, record)
        [again] = reader.read("t", None, encode_row(change.after))
        assert again == change
        [fresh] = ChangeReader(SETTINGS, final).read("t", None, record)
        assert fresh == change


@given(st.lists(objects, min_size=1, max_size=4))
def test_inferred_schemas_hold_their_records(texts: list[str]) -> None:
    records = [text.encode() for text in texts]
    schemas: dict[TableId, TableSchema] = {}
    for record in records:
        try:
            [(table, found)] = ChangeReader(SETTINGS, {}).infer("t", None, record)
        except MalformedRecordError:
            assert set(json.loads(record).values()) == {None}
            continue
        schemas[table] = merged(schemas[table], found) if table in schemas else found
    reader = ChangeReader(SETTINGS, schemas)
    for record in records if schemas else ():
        assert len(reader.read("t", None, record)) == 1
