"""Rows are fitted to the schema that the sink has."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from kafkastream.cdc.fitting import conversion, row_fitting
from kafkastream.cdc.rows import row_class
from kafkastream.cdc.tables import TableSchema
from kafkastream.sql.syntax.data_types import parse_type


@pytest.mark.parametrize(
    ("of", "to", "value", "expected"),
    [
        ("INT", "BIGINT", 7, 7),
        ("INT", "DOUBLE", 7, 7.0),
        ("INT", "DECIMAL(12, 2)", 7, Decimal("7.00")),
        ("INT", "STRING", -7, "-7"),
        ("BIGINT", "INT", 7, None),
        ("BIGINT", "BOOLEAN", 7, None),
        ("BOOLEAN", "STRING", True, "true"),
        ("BOOLEAN", "INT", True, None),
        ("FLOAT", "DOUBLE", 1.5, 1.5),
        ("DOUBLE", "STRING", 1e10, "1.0E10"),
        ("DOUBLE", "BIGINT", 1.0, None),
        ("DECIMAL(5, 2)", "DECIMAL(9, 4)", Decimal("1.25"), Decimal("1.25")),
        ("DECIMAL(5, 2)", "DECIMAL(4, 1)", Decimal("1.25"), Decimal("1.3")),
        ("DECIMAL(5, 2)", "DECIMAL(3, 2)", Decimal("123.25"), None),
        ("DECIMAL(5, 2)", "DOUBLE", Decimal("1.25"), 1.25),
        ("DECIMAL(38, 2)", "STRING", Decimal("1E+3"), "1000"),
        ("DATE", "TIMESTAMP(3)", "2024-05-01", "2024-05-01 00:00:00"),
        ("DATE", "TIMESTAMP_LTZ(3)", "2024-05-01", "2024-05-01 00:00:00Z"),
        ("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)", "2024-05-01 10:00:00.5", "2024-05-01 10:00:00.5Z"),
        ("TIMESTAMP(3)", "STRING", "2024-05-01 10:00:00.5", "2024-05-01 10:00:00.5"),
        ("TIMESTAMP(3)", "DATE", "2024-05-01 10:00:00.5", None),
        ("BYTES", "STRING", b"\x00\xff", "AP8="),
        ("VARCHAR(10)", "VARCHAR(3)", "four", None),
        ("VARCHAR(10)", "VARCHAR(4)", "four", "four"),
        ("STRING", "INT", "7", None),
        ("ARRAY<INT>", "STRING", [1, 2], "[1,2]"),
        ("ROW<a INT>", "STRING", {"a": 1}, '{"a":1}'),
    ],
)
def test_values_become_what_flink_cdc_makes_of_them(of: str, to: str, value: Any, expected: Any) -> None:
    convert = conversion(parse_type(of), parse_type(to))
    found = value if convert is None else convert(value)
    assert (found, type(found)) == (expected, type(expected))


def test_columns_go_by_name() -> None:
    of = TableSchema.of([("a", parse_type("INT")), ("b", parse_type("STRING")), ("gone", parse_type("INT"))])
    to = TableSchema.of([("b", parse_type("STRING")), ("new", parse_type("INT")), ("a", parse_type("BIGINT"))])
    fit = row_fitting(of, to)
    assert fit is not None
    assert msgspec.structs.astuple(fit(row_class(of.columns)(1, "x", 2))) == ("x", None, 1)


def test_null_stays_null() -> None:
    of, to = TableSchema.of([("a", parse_type("INT"))]), TableSchema.of([("a", parse_type("STRING"))])
    fit = row_fitting(of, to)
    assert fit is not None
    assert msgspec.structs.astuple(fit(row_class(of.columns)(None))) == (None,)


def test_a_row_that_fits_is_not_copied() -> None:
    of = TableSchema.of([("a", parse_type("INT NOT NULL"))])
    assert row_fitting(of, TableSchema.of([("a", parse_type("BIGINT"))], ["a"])) is None
