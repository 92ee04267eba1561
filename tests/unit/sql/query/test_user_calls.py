"""Calls of the user's functions are planned as calls of Spark's, with Flink's types; what Spark would do twice is refused."""

from __future__ import annotations

import pytest

from kafkastream.sql.plan.expression import user_calls
from kafkastream.sql.plan.relations import Project, Relation, Union, computations
from kafkastream.sql.plan.spark_text import spark_text
from kafkastream.sql.planner.computed_columns import compile_columns
from kafkastream.sql.syntax.parser import parse_one
from kafkastream.sql.syntax.statements import CreateTable
from tests.unit.sql.planning import FUNCTIONS, TestCatalog, columns, condition, failure, plan, texts, under

DOUBLE, DICE, TYPED, *_ = FUNCTIONS.known


def project(relation: Relation) -> Project:
    assert isinstance(relation, Project)
    return relation


def test_a_call_has_the_type_of_its_function() -> None:
    found = project(plan("SELECT MY_DOUBLE(id) AS x, `dice`(), default_database.my_double(id) + 1.5e0 FROM orders"))
    assert texts(found) == (f"{DOUBLE}(__kept, c0)", f"{DICE}(__kept)", f"({DOUBLE}(__kept, c0) + 1.5e0D)")
    assert columns(found) == ["x BIGINT", "EXPR$1 DOUBLE", "EXPR$2 DOUBLE"]
    called = {call.spark_name for one in computations(found) for call in user_calls(one)}
    assert called == {DOUBLE, DICE}


def test_arguments_are_cast_to_input_types_where_nothing_is_lost() -> None:
    found = project(plan("SELECT typed(ts, id), typed(NULL, price), my_double(NULL) FROM orders"))
    assert texts(found) == (
        f"{TYPED}(__kept, c3, cast(c0 as decimal(20,2)))",
        f"{TYPED}(__kept, cast(null as timestamp_ntz), cast(c2 as decimal(20,2)))",
        f"{DOUBLE}(__kept, cast(null as string))",
    )
    assert columns(found)[0] == "EXPR$0 ARRAY<TIMESTAMP(3)>"


def test_calls_stand_wherever_other_functions_do() -> None:
    grouped = under(plan("SELECT my_double(id), SUM(my_double(id)) FROM orders GROUP BY my_double(id)"))
    assert texts(grouped.merged[0]) == (f"{DOUBLE}(__kept, c0)",)
    joined = under(plan("SELECT o.id FROM orders AS o JOIN ships AS s ON my_double(o.id) = s.oid"))
    assert texts(joined.merged[0])[-1] == f"cast({DOUBLE}(__kept, c0) as bigint)"
    unfiltered = project(plan("SELECT id FROM orders WHERE my_double(id) > 1 AND cur = 'EUR'"))
    assert condition(unfiltered) == f"({DOUBLE}(__kept, c0) > 1)"
    assert condition(unfiltered.input) == "(c1 = 'EUR')"
    values = plan("VALUES (my_double(1)), (2)")
    assert isinstance(values, Union)
    assert list(map(texts, values.merged)) == [(f"{DOUBLE}(__kept, 1)",), ("cast(2 as bigint)",)]


def test_computed_columns_call_functions() -> None:
    declared = "CREATE TABLE t (a INT, ts AS typed(NULL, a)[1], WATERMARK FOR ts AS ts) WITH ('connector' = 'print')"
    statement = parse_one(declared)
    assert isinstance(statement, CreateTable)
    schema = compile_columns(statement.definition, TestCatalog())
    assert spark_text(schema.expressions[1]).startswith(f"get({TYPED}(__kept, ")
    assert str(schema.fields[1].type) == "TIMESTAMP(3)"


@pytest.mark.parametrize(
    ("query", "place", "what"),
    [
        (
            "SELECT typed(ts) FROM orders",
            "line 1, column 8",
            "2 arguments are expected, and 1 given. Supported signatures are: typed(TIMESTAMP(3), DECIMAL(20, 2))",
        ),
        ("SELECT typed(ts, cur) FROM orders", "line 1, column 8", "STRING is not DECIMAL(20, 2)"),
        ("SELECT my_double(INTERVAL '1' DAY) FROM orders", "line 1, column", "which no Python function gets"),
        ("SELECT CASE dice() WHEN 1 THEN 1 WHEN 2 THEN 2 END FROM orders", "line 1, column", "not deterministic"),
        ("SELECT CARDINALITY(ARRAY[dice()]) FROM orders", "line 1, column", "needs the result of a function more than"),
        ("SELECT ARRAY_CONTAINS(tags, my_double(1)) FROM ships", "line 1, column", "call of a Python function inside"),
        (
            "SELECT o.id FROM orders AS o JOIN ships AS s ON o.id = s.oid + dice()",
            "line 1, column",
            "A condition that joins",
        ),
        ("SELECT elsewhere.my_double(id) FROM orders", "line 1, column 8", "No match found for function signature"),
    ],
)
def test_calls_that_are_refused(query: str, place: str, what: str) -> None:
    error = failure(query)
    assert what in error.what
    assert place in error.where
    assert error.now


def test_a_function_that_is_not_deterministic_may_stand_more_than_once() -> None:
    found = project(plan("SELECT dice() + dice(), COALESCE(dice(), 1) FROM orders"))
    assert texts(found)[0] == f"({DICE}(__kept) + {DICE}(__kept))"
