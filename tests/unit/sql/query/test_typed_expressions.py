"""Typed expressions are made without SQL text, and printed as Spark SQL; planning imports nothing of Spark."""

from __future__ import annotations

import subprocess
import sys

import attrs
import pytest

from kafkastream.sql.plan.casts import cast, typed_null
from kafkastream.sql.plan.expression import (
    NULL,
    Call,
    ColumnRef,
    FieldAccess,
    Interval,
    IntervalUnit,
    Literal,
    TypedExpression,
    UserCall,
    columns_in,
    conjunction,
    renumbered,
    shifted,
)
from kafkastream.sql.plan.functions import FUNCTIONS, NAMES, call
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.functions.choice_functions import case
from kafkastream.sql.plan.functions.window_functions import unless_null
from kafkastream.sql.plan.spark_text import EvaluationCounter, SparkPrinter, spark_text
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType, Kind


def column(place: int, type_: str) -> ColumnRef:
    return ColumnRef(place, parse_type(type_))


ONE = Literal.whole(1)
NUMBER, TEXT, TIME = column(0, "INT"), column(1, "STRING NOT NULL"), column(2, "TIMESTAMP(3)")
ROW = column(3, "ROW<`a b` INT NOT NULL, r ROW<y STRING>>")
DICE = UserCall("dice", "__function_1_dice", (NUMBER,), DataType.of(Kind.DOUBLE), is_deterministic=False)


@pytest.mark.parametrize(
    ("expression", "text", "type_"),
    [
        (
            call("+", NUMBER, ONE),
            "cast((((cast(c0 as bigint) + 1) & 4294967295L) ^ 2147483648L) - 2147483648L as int)",
            "INT",
        ),
        (call("/", ONE, Literal("2.5", parse_type("DECIMAL(2, 1) NOT NULL"))), None, "DECIMAL(17, 6)"),
        (call("UPPER", TEXT), "upper(c1)", "STRING NOT NULL"),
        (call("COALESCE", NUMBER, ONE), "coalesce(c0, 1)", "INT NOT NULL"),
        (call("-", TIME, Interval(90_061_500)), "(c2 - INTERVAL '1 01:01:01.500' DAY TO SECOND)", "TIMESTAMP(3)"),
        (call("+", TIME, Interval(-2, IntervalUnit.DAY)), "(c2 + INTERVAL '-2' DAY)", "TIMESTAMP(3)"),
        (call("$ITEM", call("$ARRAY", ONE), ONE), "get(array(1), nullif(1, 0) - 1)", "INT"),
        (call("LIKE", TEXT, Literal.text("a\\")), r"(c1 like 'a\\\\')", "BOOLEAN"),
        (FieldAccess.of(ROW, "a b"), "c3.`a b`", "INT"),
        (FieldAccess.of(FieldAccess.of(ROW, "r"), "y"), "c3.`r`.`y`", "STRING"),
        (FieldAccess.of(call("ROW", ONE), "EXPR$0"), "(named_struct('EXPR$0', 1)).`EXPR$0`", "INT NOT NULL"),
        (cast(TEXT, parse_type("INT")), None, "INT NOT NULL"),
        (cast(NUMBER, parse_type("STRING"), tries=True), "cast(c0 as string)", "STRING"),
        (typed_null(parse_type("DATE")), "cast(null as date)", "DATE"),
        (
            case([call("IS NULL", NUMBER)], [ONE], NUMBER),
            "case when (c0 is null) then 1 else c0 end",
            "INT",
        ),
        (DICE, "__function_1_dice(__kept, c0)", "DOUBLE"),
    ],
)
def test_expressions_have_a_type_and_a_text(expression: Call, text: str | None, type_: str) -> None:
    assert str(expression.type) == type_
    assert text is None or spark_text(expression) == text


def test_every_function_can_be_found_by_the_names_of_sql() -> None:
    compiled_apart = {"CURRENT_DATABASE", "JSON_QUERY", "JSON_VALUE", "TIMESTAMPADD", "TIMESTAMPDIFF"}
    assert [name for name in NAMES if name not in FUNCTIONS and name not in compiled_apart] == []


@pytest.mark.parametrize(
    ("name", "arguments", "what"),
    [
        ("UPPER", (), "Invalid number of arguments to function 'UPPER': 0."),
        ("UPPER", (ROW,), "Cannot apply 'UPPER' to arguments of type"),
        ("+", (NUMBER, TEXT), "Cannot apply '+' to arguments of type '<INT> + <STRING NOT NULL>'"),
        ("=", (NUMBER, TEXT), "implicit type conversion between INT and STRING NOT NULL is not supported on comparing"),
        ("=", (NUMBER, TIME), "implicit type conversion between INT and TIMESTAMP(3) is not supported on comparing"),
        ("COALESCE", (NUMBER, TEXT), "These have no type in common: INT, STRING NOT NULL."),
        ("MAP_KEYS", (NULL,), "Illegal use of 'NULL'"),
        ("ROUND", (column(0, "DOUBLE"), NUMBER), "ROUND takes a number of digits that is written out here."),
        ("CARDINALITY", (TEXT,), "Cannot apply 'CARDINALITY' to arguments of type"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(name: str, arguments: tuple[ColumnRef, ...], what: str) -> None:
    with pytest.raises(CallError) as caught:
        call(name, *arguments)
    assert caught.value.what.startswith(what)


def test_columns_are_found_and_moved() -> None:
    both = conjunction([call("=", NUMBER, column(5, "INT")), call("IS NULL", TEXT)])
    assert both is not None
    assert columns_in(both) == {0, 1, 5}
    assert spark_text(shifted(column(5, "INT"), 3)) == "c2"
    assert spark_text(renumbered(both, {0: 7, 1: 8, 5: 9})) == "(c7 = c9) and (c8 is null)"
    assert (conjunction([]), conjunction([NUMBER])) == (None, NUMBER)


def test_printers_choose_names_and_leave_out_the_words_of_failures() -> None:
    checked = unless_null(TIME, "It's null.", DICE)
    assert spark_text(checked) == r"if(c2 is null, raise_error('It\'s null.'), __function_1_dice(__kept, c0))"
    printer = SparkPrinter("abc".__getitem__, kept="", shows_failures=False)
    assert printer.text(checked) == "if(c is null, null, dice(a))"


def test_the_calls_of_functions_that_are_not_deterministic_are_counted() -> None:
    evaluations = EvaluationCounter()
    assert evaluations(call("+", DICE, DICE)) == 2
    assert evaluations(call("GREATEST", DICE, ONE)) == 2
    assert evaluations(call("GREATEST", call("/", DICE, ONE), ONE)) == 8
    assert evaluations(call("UPPER", TEXT)) == 0


def test_planning_imports_nothing_of_spark() -> None:
    program = """
import sys
from kafkastream.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql("CREATE TABLE t (id INT, s STRING, ts AS TO_TIMESTAMP(s), WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')")
t_env.execute_sql("CREATE VIEW v AS SELECT id / 2 AS half, UPPER(s) AS s FROM t WHERE id > 1")
t_env.execute_sql("DESCRIBE v")
t_env.execute_sql("EXPLAIN SELECT s, COUNT(*) FROM v GROUP BY s")
print(*t_env.from_path("v").get_schema().get_field_data_types())
assert not {"pyspark", "py4j"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "INT STRING"), done.stderr


def test_sums_of_bigint_repeat_no_part_more_than_twice() -> None:
    number = column(0, "BIGINT")
    total: TypedExpression = number
    for place in range(1, 5):
        total = call("+", total, column(place, "BIGINT"))
    text = spark_text(total)
    assert text.startswith("coalesce(try_add(try_add(try_add(try_add(c0, c1), c2), c3), c4), cast(pmod(")
    assert [text.count(f"c{place}") for place in range(5)] == [2] * 5
    assert SparkPrinter(kept="").text(total) == "((((c0 + c1) + c2) + c3) + c4)"


def test_a_sum_calls_a_varying_function_once() -> None:
    varying = attrs.evolve(DICE, type=parse_type("BIGINT"))
    assert spark_text(call("*", varying, ONE)).count("dice") == 1
