"""Tables of the connector ``datagen``."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.sql.connectors import DataGenTableSource, source_of
from kafkastream.sql.connectors.datagen import RandomValues, SequenceValues
from kafkastream.sql.types import DataType, Kind, RowField
from tests.unit.sql.tables import BIGINT, INT, STRING, at, metadata, physical, table

DATAGEN = {"connector": "datagen"}
TINYINT, DOUBLE, DECIMAL = DataType.of(Kind.TINYINT), DataType.of(Kind.DOUBLE), DataType.of(Kind.DECIMAL, 32, 2)
VARCHAR, CHAR, BYTES = DataType.of(Kind.VARCHAR, 20), DataType.of(Kind.CHAR, 4), DataType.bytes_()
TIMESTAMP, BOOLEAN = DataType.of(Kind.TIMESTAMP, 3), DataType.of(Kind.BOOLEAN)
ARRAY, MAP = DataType.of(Kind.ARRAY, parts=(INT,)), DataType.of(Kind.MAP, parts=(STRING, INT))
ROW = DataType.of(Kind.ROW, fields=(RowField("first", STRING), RowField("age", INT)))


def source(type_: DataType, options: dict[str, str]) -> DataGenTableSource:
    made = source_of(table({**DATAGEN, **options}, (physical("f", type_),)))
    assert isinstance(made, DataGenTableSource)
    return made


@pytest.mark.parametrize(
    ("type_", "options", "values"),
    [
        (INT, {}, RandomValues(type=INT)),
        (INT, {"fields.f.kind": "random"}, RandomValues(type=INT)),
        (INT, {"fields.f.min": "1", "fields.f.max": "10"}, RandomValues(type=INT, min=1, max=10)),
        (DOUBLE, {"fields.f.min": "0.5"}, RandomValues(type=DOUBLE, min=0.5)),
        (DECIMAL, {"fields.f.max": "99.5"}, RandomValues(type=DECIMAL, max=99.5)),
        (BOOLEAN, {"fields.f.null-rate": "0.25"}, RandomValues(type=BOOLEAN, null_rate=0.25)),
        (TIMESTAMP, {"fields.f.max-past": "1 d"}, RandomValues(type=TIMESTAMP, max_past=86_400_000)),
        (DataType.of(Kind.DATE), {}, RandomValues(type=DataType.of(Kind.DATE))),
        (STRING, {}, RandomValues(type=STRING, length=100)),
        (STRING, {"fields.f.length": "7"}, RandomValues(type=STRING, length=7)),
        (BYTES, {"fields.f.var-len": "true"}, RandomValues(type=BYTES, length=100, var_len=True)),
        (VARCHAR, {}, RandomValues(type=VARCHAR, length=20)),
        (CHAR, {}, RandomValues(type=CHAR, length=4)),
        (
            ARRAY,
            {"fields.f.element.max": "9"},
            RandomValues(type=ARRAY, length=3, parts=(RandomValues(type=INT, max=9),)),
        ),
        (
            MAP,
            {"fields.f.length": "2", "fields.f.key.length": "5", "fields.f.value.min": "0"},
            RandomValues(
                type=MAP, length=2, parts=(RandomValues(type=STRING, length=5), RandomValues(type=INT, min=0))
            ),
        ),
        (
            ROW,
            {"fields.f.age.max": "120", "fields.f.null-rate": "1"},
            RandomValues(
                type=ROW,
                null_rate=1.0,
                parts=(RandomValues(type=STRING, length=100), RandomValues(type=INT, max=120)),
            ),
        ),
        (
            STRING,
            {"fields.f.kind": "sequence", "fields.f.start": "1", "fields.f.end": "1000"},
            SequenceValues(STRING, 1, 1000),
        ),
    ],
    ids=str,
)
def test_values_of_a_column(type_: DataType, options: dict[str, str], values: object) -> None:
    (column,) = source(type_, options).columns
    assert (column.name, column.values) == ("f", values)


def test_rows() -> None:
    made = source(INT, {"rows-per-second": "5", "number-of-rows": "10", "scan.parallelism": "2"})
    assert (made.rows_per_second, made.number_of_rows, made.parallelism, made.is_bounded) == (5, 10, 2, True)
    made = source(INT, {})
    assert (made.rows_per_second, made.number_of_rows, made.parallelism, made.is_bounded) == (10_000, None, None, False)
    assert source(INT, {"fields.f.kind": "sequence", "fields.f.start": "1", "fields.f.end": "2"}).is_bounded


@pytest.mark.parametrize(
    ("type_", "options", "text", "key"),
    [
        (INT, {"fields.g.min": "1"}, "Did you mean 'fields.f.min'?", "fields.g.min"),
        (INT, {"fields.f.length": "1"}, "Unsupported options: fields.f.length.", "fields.f.length"),
        (STRING, {"fields.f.min": "1"}, "Unsupported options: fields.f.min.", "fields.f.min"),
        (INT, {"fields.f.start": "1"}, "Unsupported options: fields.f.start.", "fields.f.start"),
        (INT, {"fields.f.kind": "serial"}, "expected one of random, sequence", "fields.f.kind"),
        (INT, {"fields.f.min": "1.5"}, "expected a whole number", "fields.f.min"),
        (TINYINT, {"fields.f.max": "128"}, "expected a whole number from -128 to 127", "fields.f.max"),
        (DOUBLE, {"fields.f.max": "many"}, "expected a number", "fields.f.max"),
        (
            INT,
            {"fields.f.min": "5", "fields.f.max": "1"},
            "'fields.f.min' = 5 is greater than 'fields.f.max' = 1",
            "fields.f.min",
        ),
        (INT, {"fields.f.null-rate": "1.5"}, "expected a number from 0 to 1", "fields.f.null-rate"),
        (VARCHAR, {"fields.f.length": "21"}, "'fields.f.length' = 21 is longer than VARCHAR(20)", "fields.f.length"),
        (
            INT,
            {"fields.f.kind": "sequence", "fields.f.start": "1"},
            "Could not find required property 'fields.f.end' for sequence generator.",
            "fields.f.kind",
        ),
        (
            INT,
            {"fields.f.kind": "sequence", "fields.f.start": "3", "fields.f.end": "1"},
            "'fields.f.start' = 3 is greater than 'fields.f.end' = 1",
            "fields.f.start",
        ),
        (
            TIMESTAMP,
            {"fields.f.kind": "sequence", "fields.f.start": "1", "fields.f.end": "2"},
            "Unsupported type: TIMESTAMP(3)",
            "fields.f.kind",
        ),
        (INT, {"rows-per-second": "0"}, "expected a whole number greater than zero", "rows-per-second"),
        (INT, {"number-of-rows": "all"}, "expected a whole number", "number-of-rows"),
    ],
)
def test_wrong_options(type_: DataType, options: dict[str, str], text: str, key: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        source(type_, options)
    assert text in str(caught.value)
    assert at({**DATAGEN, **options}, key) in str(caught.value)


def test_made_up_rows_have_no_metadata() -> None:
    with pytest.raises(
        DefinitionError, match="declares metadata columns, but the underlying DynamicTableSource"
    ) as caught:
        source_of(table(DATAGEN, (physical("f"), metadata("offset", BIGINT, is_virtual=True))))
    assert "column 'offset', line 2, column 7" in str(caught.value)
