"""Flink's types, from text and to text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind, RowField

INT = DataType.of(Kind.INT)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("CHAR", "CHAR(1)"),
        ("char(33)", "CHAR(33)"),
        ("CHARACTER(3)", "CHAR(3)"),
        ("CHARACTER VARYING(3)", "VARCHAR(3)"),
        ("CHAR VARYING", "STRING"),
        ("VARCHAR", "STRING"),
        ("VARCHAR(9)", "VARCHAR(9)"),
        ("String", "STRING"),
        ("BINARY", "BINARY(1)"),
        ("BINARY VARYING(7)", "VARBINARY(7)"),
        ("VARBINARY", "BYTES"),
        ("VARBINARY(2147483647)", "BYTES"),
        ("BYTES", "BYTES"),
        ("BOOLEAN", "BOOLEAN"),
        ("TINYINT", "TINYINT"),
        ("SMALLINT", "SMALLINT"),
        ("INT", "INT"),
        ("INTEGER", "INT"),
        ("BIGINT", "BIGINT"),
        ("FLOAT", "FLOAT"),
        ("DOUBLE", "DOUBLE"),
        ("DOUBLE PRECISION", "DOUBLE"),
        ("DECIMAL", "DECIMAL(10, 0)"),
        ("DEC(5)", "DECIMAL(5, 0)"),
        ("NUMERIC(38, 38)", "DECIMAL(38, 38)"),
        ("DATE", "DATE"),
        ("TIME", "TIME(0)"),
        ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
        ("TIMESTAMP", "TIMESTAMP(6)"),
        ("TIMESTAMP(0)", "TIMESTAMP(0)"),
        ("timestamp(9) without time zone", "TIMESTAMP(9)"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"),
        ("TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(6)"),
        ("TIMESTAMP_LTZ", "TIMESTAMP_LTZ(6)"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP_LTZ(3)"),
        ("INTERVAL YEAR", "INTERVAL YEAR TO MONTH"),
        ("INTERVAL YEAR(4) TO MONTH", "INTERVAL YEAR TO MONTH"),
        ("INTERVAL MONTH", "INTERVAL YEAR TO MONTH"),
        ("INTERVAL DAY(6) TO SECOND(9)", "INTERVAL DAY TO SECOND"),
        ("INTERVAL HOUR TO MINUTE", "INTERVAL DAY TO SECOND"),
        ("INTERVAL SECOND(3)", "INTERVAL DAY TO SECOND"),
        ("ARRAY<INT NOT NULL>", "ARRAY<INT NOT NULL>"),
        ("INT ARRAY", "ARRAY<INT>"),
        ("INT NOT NULL ARRAY NOT NULL", "ARRAY<INT NOT NULL> NOT NULL"),
        ("INT ARRAY ARRAY", "ARRAY<ARRAY<INT>>"),
        ("INT NULL MULTISET NULL", "MULTISET<INT>"),
        ("MULTISET<STRING>", "MULTISET<STRING>"),
        ("MAP<STRING, MAP<INT, BYTES>> NOT NULL", "MAP<STRING, MAP<INT, BYTES>> NOT NULL"),
        ("ROW<a INT, `b c` STRING NOT NULL 'it''s'>", "ROW<`a` INT, `b c` STRING NOT NULL 'it''s'>"),
        ("ROW(a INT, b ROW(c DATE))", "ROW<`a` INT, `b` ROW<`c` DATE>>"),
        ("ROW<a INT 'ARRAY'>", "ROW<`a` INT 'ARRAY'>"),
        ("ROW<>", "ROW<>"),
        ("ROW()", "ROW<>"),
        ("ROW<`date` DATE, a_timestamp TIMESTAMP(3)>", "ROW<`date` DATE, `a_timestamp` TIMESTAMP(3)>"),
        (
            "ROW<`user_id` BIGINT, `item_id` BIGINT, `behavior` STRING>",
            "ROW<`user_id` BIGINT, `item_id` BIGINT, `behavior` STRING>",
        ),
    ],
)
def test_every_way_to_write_a_type(text: str, shown: str) -> None:
    assert str(parse_type(text)) == shown


def test_the_values_behind_the_text() -> None:
    assert parse_type("ROW<a INT NOT NULL 'b', c INT ARRAY>") == DataType.of(
        Kind.ROW,
        fields=(RowField("a", INT.not_null(), "b"), RowField("c", DataType.of(Kind.ARRAY, parts=(INT,)))),
    )


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("CHAR(0)", 6, r"Character string length must be between 1 and 2147483647 \(both inclusive\)."),
        ("VARCHAR(2147483648)", 9, "Variable character string length must be between 1 and 2147483647"),
        ("BINARY(0)", 8, "Binary string length must be"),
        ("VARBINARY(0)", 11, "Variable binary string length must be"),
        ("DECIMAL(39)", 9, "Decimal precision must be between 1 and 38"),
        ("DECIMAL(5, 6)", 12, "Decimal scale must be between 0 and 5"),
        ("DECIMAL(" + "9" * 5000 + ")", 9, "Decimal precision must be"),
        ("TIME(10)", 6, "Time precision must be between 0 and 9"),
        ("TIMESTAMP(10)", 11, "Timestamp precision must be between 0 and 9"),
        ("TIMESTAMP_LTZ(10)", 15, "Timestamp with local time zone precision must be between 0 and 9"),
        ("INTERVAL DAY(7)", 14, "Interval day precision must be between 1 and 6"),
        ("INTERVAL MONTH TO YEAR", 16, "Expected NOT, NULL or the end of the type, found 'TO'"),
        ("INTERVAL DAY TO YEAR", 17, "Expected HOUR, MINUTE or SECOND, found 'YEAR'"),
        ("INTERVAL WEEK", 10, "Expected YEAR, MONTH, DAY, HOUR, MINUTE or SECOND"),
        ("VARCHAR(-1)", 9, "Expected a whole number, found '-'"),
        ("VARCHAR(1.5)", 9, "Expected a whole number, found '1.5'"),
        ("ARRAY<INT", 10, "found the end of the text"),
        ("MAP<INT>", 8, r"Expected WITH|Expected NOT, NULL or ',', found '>'"),
        ("ROW<a INT, a STRING>", 1, "Field names must be unique. Found duplicates: a."),
        ("ROW<INT>", 5, "INT is a reserved word"),
        ("INT NOT", 8, "Expected NULL, found the end"),
        ("STRNG", 1, "'STRNG' is not a type(.|\n)*Did you mean 'STRING'"),
        ("`STRING`", 1, "Expected a type, found `STRING`"),
        ("", 1, "Expected a type, found the end of the text"),
        ("ARRAY<" * 2000 + "INT" + ">" * 2000, 607, "nested more than 100 deep"),
        ("INT " + "ARRAY " * 2000, 1, "nested more than 100 deep"),
    ],
)
def test_what_is_no_type(text: str, column: int, what: str) -> None:
    with pytest.raises(DefinitionError, match=what) as caught:
        parse_type(text)
    assert caught.value.where.splitlines()[0] == f"line 1, column {column}"


@pytest.mark.parametrize(
    "text", ["RAW('a', 'b')", "VARIANT", "REAL", "STRUCTURED<'a'>", "my.Type", "TIMESTAMP(3) WITH TIME ZONE"]
)
def test_what_flink_has_and_this_has_not(text: str) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        parse_type(text)
    assert caught.value.now.startswith("Use ")


NAMES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), min_size=1, max_size=9)
LONG = st.integers(1, 2**31 - 1)
PRECISE = st.integers(0, 9)
FLAT = st.one_of(
    st.builds(DataType.of, st.sampled_from([Kind.CHAR, Kind.VARCHAR, Kind.BINARY, Kind.VARBINARY]), LONG),
    st.builds(DataType.of, st.sampled_from([Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ]), PRECISE),
    st.integers(1, 38).flatmap(
        lambda precision: st.builds(DataType.of, st.just(Kind.DECIMAL), st.just(precision), st.integers(0, precision))
    ),
    st.builds(
        DataType.of,
        st.sampled_from(
            [
                Kind.BOOLEAN,
                Kind.TINYINT,
                Kind.SMALLINT,
                Kind.INT,
                Kind.BIGINT,
                Kind.FLOAT,
                Kind.DOUBLE,
                Kind.DATE,
                Kind.INTERVAL_YEAR_MONTH,
                Kind.INTERVAL_DAY_SECOND,
            ]
        ),
    ),
)


def nullable_or_not(types: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    return types | types.map(DataType.not_null)


def nested(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    fields = st.lists(
        st.builds(RowField, NAMES, inner, st.text(st.characters(exclude_categories=["Cs"]))),
        max_size=4,
        unique_by=lambda field: field.name,
    )
    return nullable_or_not(
        st.one_of(
            inner.map(lambda one: DataType.of(Kind.ARRAY, parts=(one,))),
            inner.map(lambda one: DataType.of(Kind.MULTISET, parts=(one,))),
            st.tuples(inner, inner).map(lambda both: DataType.of(Kind.MAP, parts=both)),
            fields.map(lambda some: DataType.of(Kind.ROW, fields=tuple(some))),
        )
    )


@given(st.recursive(nullable_or_not(FLAT), nested, max_leaves=12))
def test_a_type_reads_what_it_shows(data_type: DataType) -> None:
    assert parse_type(str(data_type)) == data_type
