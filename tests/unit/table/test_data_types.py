"""Types of columns without SQL: the same values that the types of statements are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType
from kafkastream.table import DataTypes

TYPES: dict[str, DataType] = {
    "CHAR(3)": DataTypes.CHAR(3),
    "VARCHAR(9)": DataTypes.VARCHAR(9),
    "VARCHAR(2147483647)": DataTypes.STRING(),
    "STRING NOT NULL": DataTypes.STRING(nullable=False),
    "BOOLEAN": DataTypes.BOOLEAN(),
    "BINARY(2)": DataTypes.BINARY(2),
    "VARBINARY(2)": DataTypes.VARBINARY(2),
    "BYTES": DataTypes.BYTES(),
    "DECIMAL(38, 18)": DataTypes.DECIMAL(38, 18),
    "DECIMAL(5, 0) NOT NULL": DataTypes.DECIMAL(5, 0, False),
    "TINYINT": DataTypes.TINYINT(),
    "SMALLINT": DataTypes.SMALLINT(),
    "INT": DataTypes.INT(),
    "BIGINT NOT NULL": DataTypes.BIGINT(False),
    "FLOAT": DataTypes.FLOAT(),
    "DOUBLE": DataTypes.DOUBLE(),
    "DATE": DataTypes.DATE(),
    "TIME": DataTypes.TIME(),
    "TIME(3)": DataTypes.TIME(3),
    "TIMESTAMP": DataTypes.TIMESTAMP(),
    "TIMESTAMP(3)": DataTypes.TIMESTAMP(3),
    "TIMESTAMP_LTZ": DataTypes.TIMESTAMP_LTZ(),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3),
    "ARRAY<INT NOT NULL>": DataTypes.ARRAY(DataTypes.INT().not_null()),
    "MAP<STRING NOT NULL, ARRAY<BYTES>> NOT NULL": DataTypes.MAP(
        DataTypes.STRING(False), DataTypes.ARRAY(DataTypes.BYTES()), False
    ),
    "MULTISET<STRING>": DataTypes.MULTISET(DataTypes.STRING()),
    "ROW<a INT, `b ``c` STRING NOT NULL 'it''s'>": DataTypes.ROW(
        [DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("b `c", DataTypes.STRING().not_null(), "it's")]
    ),
    "ROW<>": DataTypes.ROW(),
    "INTERVAL DAY(3) TO SECOND(9)": DataTypes.INTERVAL(DataTypes.DAY(3), DataTypes.SECOND(9)),
    "INTERVAL HOUR TO MINUTE": DataTypes.INTERVAL(DataTypes.HOUR(), DataTypes.MINUTE()),
    "INTERVAL YEAR TO MONTH": DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()),
    "INTERVAL SECOND": DataTypes.INTERVAL(DataTypes.SECOND()),
}


@pytest.mark.parametrize("text", TYPES)
def test_a_type_is_that_of_a_statement(text: str) -> None:
    assert TYPES[text] == parse_type(text)


def test_null_is_taken_and_given() -> None:
    assert str(DataTypes.INT().not_null()) == str(DataTypes.INT().notNull()) == "INT NOT NULL"
    assert DataTypes.INT().not_null().nullable() == DataTypes.INT()


@pytest.mark.parametrize(
    ("make", "what", "where"),
    [
        (lambda: DataTypes.CHAR(0), "Character string length must be between 1 and 2147483647", "DataTypes.CHAR, "),
        (lambda: DataTypes.DECIMAL(39, 0), "Decimal precision must be between 1 and 38", "DataTypes.DECIMAL, "),
        (lambda: DataTypes.DECIMAL(5, 6), "Decimal scale must be between 0 and 5", "DataTypes.DECIMAL, "),
        (lambda: DataTypes.TIME(-1), "Expected a whole number, found '-'", "DataTypes.TIME, "),
        (lambda: DataTypes.TIMESTAMP_LTZ(10), "Timestamp with local time zone precision", "DataTypes.TIMESTAMP_LTZ, "),
        (lambda: DataTypes.INTERVAL(DataTypes.MONTH(), DataTypes.DAY()), "found 'TO'", "DataTypes.INTERVAL, "),
        (
            lambda: DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT()), DataTypes.FIELD("a", DataTypes.INT())]),
            "Field names must be unique. Found duplicates: a.",
            "DataTypes.ROW, ",
        ),
    ],
)
def test_a_type_beyond_limits_is_refused_at_once(make: Callable[[], DataType], what: str, where: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make()
    assert what in caught.value.what
    assert caught.value.where.startswith(where)


def test_what_is_no_type_of_a_column_is_refused() -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        DataTypes.NULL()
    assert caught.value.where == "DataTypes.NULL"


def test_views_have_the_types_of_what_they_hold() -> None:
    assert str(DataTypes.LIST_VIEW(DataTypes.STRING())) == "ARRAY<STRING>"
    assert str(DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.INT())) == "MAP<STRING, INT>"
