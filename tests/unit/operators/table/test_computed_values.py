"""Values of expressions in Python, as Flink computes them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.patterns import computed_values
from kafkastream.operators.table.patterns.computed_values import computation
from kafkastream.sql.plan.expression import Call, ColumnRef
from kafkastream.sql.plan.functions import call
from kafkastream.sql.plan.match_operation import EVALUATED
from kafkastream.sql.types import DataType, Kind

INT, BIGINT, FLOAT, DOUBLE = (DataType.of(kind) for kind in (Kind.INT, Kind.BIGINT, Kind.FLOAT, Kind.DOUBLE))
MONEY = DataType.of(Kind.DECIMAL, 6, 2)
BOOLEAN, STRING = DataType.of(Kind.BOOLEAN), DataType.string()


def computed(name: str, *given: tuple[Any, DataType]) -> Any:
    columns = [ColumnRef(at, type_) for at, (_, type_) in enumerate(given)]
    return computation(call(name, *columns))([value for value, _ in given])


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("+", ((2**31 - 1, INT), (1, INT)), -(2**31)),
        ("-", ((-(2**31), INT), (1, INT)), 2**31 - 1),
        ("*", ((2**40, BIGINT), (2**40, BIGINT)), 0),
        ("/", ((-7, INT), (2, INT)), -3),
        ("%", ((-7, INT), (2, INT)), -1),
        ("/", ((7, INT), (2.0, DOUBLE)), 3.5),
        ("/", ((1.0, DOUBLE), (0.0, DOUBLE)), math.inf),
        ("+", ((0.1, FLOAT), (0.2, FLOAT)), 0.30000001192092896),
        ("*", ((Decimal("1.25"), MONEY), (3, INT)), Decimal("3.75")),
        ("/", ((Decimal("1.00"), MONEY), (Decimal("3.00"), MONEY)), Decimal("0.333333333")),
        ("-", ((None, INT), (1, INT)), None),
        ("ABS", ((-5, INT),), 5),
        ("$NEGATE", ((5, INT),), -5),
        ("=", ((2**53 + 1, BIGINT), (float(2**53), DOUBLE)), True),
        ("<", ((Decimal("1.5"), MONEY), (2, INT)), True),
        (">", ((math.nan, DOUBLE), (1.0, DOUBLE)), False),
        ("<", (("Z", STRING), ("a", STRING)), True),
        ("IN", ((1, INT), (2, INT), (None, INT)), None),
        ("IN", ((1, INT), (1, INT), (None, INT)), True),
        ("BETWEEN", ((5, INT), (None, INT), (4, INT)), False),
        ("AND", ((None, BOOLEAN), (False, BOOLEAN)), False),
        ("OR", ((None, BOOLEAN), (True, BOOLEAN)), True),
        ("NOT", ((None, BOOLEAN),), None),
        ("IS NOT TRUE", ((None, BOOLEAN),), True),
        ("IS DISTINCT FROM", ((None, INT), (1, INT)), True),
        ("IS NOT DISTINCT FROM", ((None, INT), (None, INT)), True),
        ("COALESCE", ((None, INT), (2.5, DOUBLE)), 2.5),
    ],
)
def test_value_is_that_of_flink(name: str, given: tuple[tuple[Any, DataType], ...], wanted: Any) -> None:
    found = computed(name, *given)
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize("name", ["/", "%"])
def test_division_by_zero_fails(name: str) -> None:
    with pytest.raises(DefinitionError, match="/ by zero"):
        computed(name, (1, INT), (0, INT))


def test_all_functions_that_the_planner_lets_through_are_there() -> None:
    tables = (
        computed_values._DECIDED_BY,
        computed_values._LOGIC,
        computed_values._COMPARING,
        computed_values._ARITHMETIC,
    )
    assert {name for table in tables for name in table} == EVALUATED


@pytest.mark.parametrize(("name", "decides"), [("AND", False), ("OR", True)])
def test_what_a_part_decides_is_not_computed(name: str, decides: bool) -> None:
    fails = call("=", call("/", ColumnRef(1, INT), ColumnRef(2, INT)), ColumnRef(1, INT))
    connected = computation(call(name, ColumnRef(0, BOOLEAN), fails))
    assert connected([decides, 1, 0]) is decides
    with pytest.raises(DefinitionError, match="/ by zero"):
        connected([not decides, 1, 0])


def test_a_function_that_is_not_there_is_an_error_of_the_planner() -> None:
    with pytest.raises(KeyError):
        computation(Call("UPPER", (ColumnRef(0, INT),), STRING))
