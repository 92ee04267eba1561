"""Types of PostgreSQL's columns: made of Flink's, read from the catalog, compared."""

from __future__ import annotations

import pytest

from kafkastream.cdc.spec.postgres_sink import TypeNormalization
from kafkastream.postgres.types import ColumnType, column_type, holds, may_lose_digits
from kafkastream.sql.types import DataType, Kind

WIDENING = [
    "smallint < integer < bigint < numeric(19,0) < numeric(38,18) < numeric < text",
    "smallint < real < double precision < text",
    "integer < double precision",
    "integer < numeric(12,2) < numeric(13,2) < numeric(13,2) < numeric(14,3)",
    "char(3) < char(5) < varchar(5) < varchar(7) < varchar < text",
    "date < timestamp(0) < timestamp(3) < timestamp < timestamptz < text",
    "time(0) < time(6) < text",
    "boolean < text",
    "bytea < text",
    "text < jsonb",
]
PAIRS = [
    (narrow, wide)
    for chain in WIDENING
    for at, narrow in enumerate(chain.split(" < "))
    for wide in chain.split(" < ")[at:]
]
NARROWER = [
    ("bigint", "integer"),
    ("bigint", "double precision"),
    ("bigint", "numeric(18,0)"),
    ("numeric(10,2)", "numeric(10,3)"),
    ("numeric", "numeric(38,18)"),
    ("numeric(10,2)", "double precision"),
    ("double precision", "real"),
    ("double precision", "numeric"),
    ("integer", "real"),
    ("text", "varchar(10)"),
    ("varchar(5)", "char(5)"),
    ("timestamp(6)", "timestamp(3)"),
    ("timestamptz(3)", "timestamp(3)"),
    ("timestamp(0)", "date"),
    ("time(3)", "time(0)"),
    ("boolean", "integer"),
    ("integer", "boolean"),
    ("uuid[]", "jsonb"),
]


def read(text: str) -> ColumnType:
    return ColumnType.parse(text)


@pytest.mark.parametrize(("narrow", "wide"), PAIRS, ids=lambda text: text)
def test_wide_type_holds_the_narrow_one(narrow: str, wide: str) -> None:
    assert holds(read(wide), read(narrow))


@pytest.mark.parametrize(("values", "column"), NARROWER, ids=lambda text: text)
def test_narrow_type_does_not_hold_the_wide_one(values: str, column: str) -> None:
    assert not holds(read(column), read(values))


def test_digits_may_be_lost_in_double_only() -> None:
    lossy = [
        (wide, narrow)
        for wide in ("double precision", "real", "numeric")
        for narrow in ("bigint", "numeric", "integer")
    ]
    assert [pair for pair in lossy if may_lose_digits(*map(read, pair))] == [
        ("double precision", "bigint"),
        ("double precision", "numeric"),
    ]


@pytest.mark.parametrize(
    ("spelled", "sql"),
    [
        ("character varying(10)", "varchar(10)"),
        ("character varying", "varchar"),
        ("character(3)", "char(3)"),
        ("numeric(10,2)", "numeric(10,2)"),
        ("numeric(10,-2)", "numeric(10,-2)"),
        ("timestamp(3) without time zone", "timestamp(3)"),
        ("timestamp with time zone", "timestamptz"),
        ("time without time zone", "time"),
        ("double precision", "double precision"),
        ('"My type"(3)[]', '"My type"(3)[]'),
    ],
)
def test_type_of_the_catalog_is_read(spelled: str, sql: str) -> None:
    assert str(read(spelled)) == sql


@pytest.mark.parametrize(
    ("type_", "standard", "broad", "narrowed"),
    [
        (DataType.of(Kind.BOOLEAN), "boolean", "boolean", "text"),
        (DataType.of(Kind.TINYINT), "smallint", "bigint", "bigint"),
        (DataType.of(Kind.SMALLINT), "smallint", "bigint", "bigint"),
        (DataType.of(Kind.INT), "integer", "bigint", "bigint"),
        (DataType.of(Kind.BIGINT), "bigint", "bigint", "bigint"),
        (DataType.of(Kind.FLOAT), "real", "double precision", "text"),
        (DataType.of(Kind.DOUBLE), "double precision", "double precision", "text"),
        (DataType.of(Kind.DECIMAL, 10, 2), "numeric(10,2)", "numeric", "text"),
        (DataType.of(Kind.DATE), "date", "date", "text"),
        (DataType.of(Kind.TIME, 3), "time(3)", "time", "text"),
        (DataType.of(Kind.TIMESTAMP, 9), "timestamp(6)", "timestamp", "text"),
        (DataType.of(Kind.TIMESTAMP_LTZ, 0), "timestamptz(0)", "timestamptz", "text"),
        (DataType.of(Kind.CHAR, 3), "char(3)", "text", "text"),
        (DataType.of(Kind.VARCHAR, 10), "varchar(10)", "text", "text"),
        (DataType.of(Kind.VARCHAR, 20_000_000), "text", "text", "text"),
        (DataType.string(), "text", "text", "text"),
        (DataType.bytes_(), "bytea", "bytea", "text"),
        (DataType.of(Kind.MAP, parts=(DataType.string(), DataType.string())), "text", "text", "text"),
    ],
    ids=str,
)
def test_each_type_has_its_column(type_: DataType, standard: str, broad: str, narrowed: str) -> None:
    found = [str(column_type(type_, normalization)) for normalization in TypeNormalization]
    assert found == [standard, broad, narrowed]
    widths = [column_type(type_, normalization) for normalization in TypeNormalization]
    assert all(holds(wide, widths[0]) for wide in widths)
