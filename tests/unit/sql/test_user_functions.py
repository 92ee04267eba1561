"""User-defined functions: how they are made, named, found and dropped; no Spark yet."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.session_functions import SessionFunctions
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.user_functions import FunctionKind
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.table.udf import (
    AggregateFunction,
    FunctionContext,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)

MODULE = """
from kafkastream.table.udf import udf

@udf(result_type="BIGINT")
def twice(number):
    return 2 * number

def plain(number):
    return number
"""


class Next(ScalarFunction):
    def eval(self, *args: int) -> int:
        return args[0] + 1

    def is_deterministic(self) -> bool:
        return False


@pytest.fixture
def t_env() -> TableEnvironment:
    return TableEnvironment.create(EnvironmentSettings.in_streaming_mode())


@pytest.fixture
def python_file(tmp_path: Path) -> Iterator[str]:
    """A module that only this file has."""
    path, before = tmp_path / "shipped_functions.py", list(sys.path)
    path.write_text(MODULE, encoding="utf-8")
    yield str(path)
    sys.path[:] = before
    sys.modules.pop("shipped_functions", None)


def names(t_env: TableEnvironment, statement: str) -> list[str]:
    with t_env.execute_sql(statement).collect() as rows:
        return [row[0] for row in rows]


def test_a_function_is_made_by_a_decorator_or_a_call() -> None:
    @udf(result_type="ROW<a INT>", input_types=["BIGINT", parse_type("STRING")], deterministic=False, name="pair")
    def made(a: int, b: str) -> tuple[int]:
        return (a,)

    assert (made.name, made.result_type, made.is_deterministic) == ("pair", parse_type("ROW<a INT>"), False)
    assert made.input_types == (parse_type("BIGINT"), parse_type("STRING"))
    called = udf(lambda i: i, parse_type("ROW<a INT, b DATE>"), parse_type("INT"), func_type="pandas")
    assert called.input_types == (parse_type("INT"), parse_type("DATE"))
    assert (called.name, called.is_pandas, called.is_deterministic) == ("<lambda>", True, True)
    assert udf(Next(), "INT", result_type="INT").input_types == (parse_type("INT"),)
    assert not udf(Next(), result_type="INT").is_deterministic


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"f": Next, "result_type": "INT"}, "Invalid function: not a function or callable"),
        ({"f": 7, "result_type": "INT"}, "Invalid function: not a function or callable"),
        ({"f": len}, "a function for SQL needs a result type"),
        ({"f": len, "result_type": int}, "<class 'int'> is not a type"),
        ({"f": len, "result_type": "INTEGERS"}, "INTEGERS"),
        ({"f": len, "result_type": "INT", "func_type": "arrow"}, "The func_type must be one of 'general, pandas'"),
        ({"f": Next(), "result_type": "INT", "deterministic": True}, "Inconsistent deterministic: True and False"),
    ],
)
def test_what_is_no_function(given: dict[str, object], what: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        udf(**given)  # type: ignore[call-overload]
    assert what in caught.value.what


class Rows(TableFunction):
    def eval(self, *args: int) -> list[int]:
        return list(args)


class Total(AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], *args: int) -> None:
        accumulator[0] += sum(args)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Typed(Total):
    def get_result_type(self) -> str:
        return "BIGINT"

    def get_accumulator_type(self) -> str:
        return "ARRAY<BIGINT>"


class Top(TableAggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: int) -> None:
        accumulator.extend(args)

    def emit_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


def test_a_table_function_has_a_row_of_columns() -> None:
    for types, row in (
        (["BIGINT", "STRING"], "ROW<`f0` BIGINT, `f1` STRING> NOT NULL"),
        ("INT", "ROW<`f0` INT> NOT NULL"),
        (parse_type("DATE"), "ROW<`f0` DATE> NOT NULL"),
        ("ROW<a INT, b STRING>", "ROW<`a` INT, `b` STRING> NOT NULL"),
    ):
        made = udtf(Rows(), result_types=types)
        assert (str(made.result_type), made.kind, made.name) == (row, FunctionKind.TABLE, "Rows")
    assert str(made.call_type) == "ARRAY<ROW<`a` INT, `b` STRING> NOT NULL>"


def test_an_aggregate_function_knows_its_types_or_is_given_them() -> None:
    made = udaf(Total(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")
    assert (str(made.result_type), made.accumulator_type) == ("BIGINT", "ARRAY<BIGINT>")
    assert (str(udaf(Typed()).result_type), udaf(Typed()).name) == ("BIGINT", "Typed")
    assert udaf(lambda v: v.mean(), result_type="DOUBLE", func_type="pandas").is_pandas
    top = udtaf(Top(), result_type="ROW<v BIGINT>", accumulator_type="ARRAY<BIGINT>")
    assert (str(top.result_type), top.kind) == ("ROW<`v` BIGINT> NOT NULL", FunctionKind.TABLE_AGGREGATE)


def test_an_aggregate_function_with_types_needs_no_udaf(t_env: TableEnvironment) -> None:
    t_env.create_temporary_function("total", Typed())
    assert t_env.list_user_defined_functions() == ["total"]
    with pytest.raises(DefinitionError, match="Method get_accumulator_type is not implemented"):
        t_env.create_temporary_function("other", Total())


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: udtf(len), "a table function needs result types"),
        (lambda: udtf(Next(), result_types="INT"), "Next is not a TableFunction"),
        (lambda: udf(Rows(), result_type="INT"), "Rows is not a ScalarFunction"),
        (lambda: udf(UserDefinedFunction(), result_type="INT"), "UserDefinedFunction is not a ScalarFunction"),
        (
            lambda: udaf(len, result_type="INT"),
            "a Python function is an aggregate function only with func_type='pandas'",
        ),
        (lambda: udaf(Total()), "Method get_accumulator_type is not implemented"),
        (lambda: udaf(Total(), accumulator_type="ARRAY<INT>"), "Method get_result_type is not implemented"),
        (lambda: udtaf(Top(), result_type="INT", accumulator_type="INT", func_type="pandas"), "must be 'general'"),
    ],
)
def test_what_is_no_function_of_its_kind(make: Callable[[], object], what: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make()
    assert what in caught.value.what


def test_what_only_flink_has() -> None:
    with pytest.raises(UnsupportedFeatureError, match="no values of type INTERVAL"):
        udf(len, result_type="INTERVAL DAY TO SECOND")
    with pytest.raises(UnsupportedFeatureError, match="no metrics"):
        FunctionContext().get_metric_group()


def test_functions_are_named_listed_and_forgotten(t_env: TableEnvironment) -> None:
    twice = udf(lambda i: 2 * i, result_type="INT")
    t_env.create_temporary_function("default_database.Twice", twice)
    t_env.create_temporary_system_function("upper", twice)
    assert t_env.list_user_defined_functions() == ["twice", "upper"]
    assert names(t_env, "SHOW USER FUNCTIONS LIKE 't%'") == ["twice"]
    assert {"twice", "upper", "lower"} <= set(names(t_env, "SHOW FUNCTIONS"))
    t_env.execute_sql("CREATE DATABASE other")
    t_env.use_database("other")
    assert t_env.list_user_defined_functions() == ["upper"]
    t_env.use_database("default_database")
    with pytest.raises(DefinitionError, match=r"'default_catalog\.default_database\.TWICE' already exists"):
        t_env.create_temporary_function("TWICE", twice)
    assert [t_env.drop_temporary_function("twice"), t_env.drop_temporary_function("twice")] == [True, False]
    assert [t_env.drop_temporary_system_function("UPPER") for _ in range(2)] == [True, False]
    assert t_env.list_user_defined_functions() == []


def test_a_system_function_may_not_change_what_is_more_than_a_call(t_env: TableEnvironment) -> None:
    for name in ("sum", "Trim", "TUMBLE", "proctime"):
        with pytest.raises(UnsupportedFeatureError, match=f"the built-in function {name.upper()} cannot be replaced"):
            t_env.create_temporary_system_function(name, udf(len, result_type="INT"))


def test_only_what_udf_returns_is_taken(t_env: TableEnvironment) -> None:
    for given, what in (
        (Next(), "Next has no result type"),
        (len, "len has no result type"),
        ("len", "'len' is not a function"),
    ):
        with pytest.raises(DefinitionError, match=what):
            t_env.create_temporary_function("f", given)  # type: ignore[arg-type]


def test_statements_create_and_drop_functions(t_env: TableEnvironment, python_file: str) -> None:
    t_env.add_python_file(python_file)
    t_env.execute_sql("CREATE FUNCTION f AS 'shipped_functions.twice' LANGUAGE PYTHON")
    t_env.execute_sql("CREATE FUNCTION IF NOT EXISTS f AS 'shipped_functions.twice' LANGUAGE PYTHON")
    t_env.execute_sql("CREATE TEMPORARY FUNCTION f AS 'shipped_functions.twice' LANGUAGE PYTHON")
    t_env.execute_sql("CREATE TEMPORARY SYSTEM FUNCTION g AS 'shipped_functions.twice' LANGUAGE PYTHON")
    assert t_env.list_user_defined_functions() == ["f", "g"]
    with pytest.raises(DefinitionError, match=r"Temporary function .*f exists. Drop it first"):
        t_env.execute_sql("DROP FUNCTION f")
    for statement in ("DROP TEMPORARY FUNCTION f", "DROP FUNCTION f", "DROP TEMPORARY SYSTEM FUNCTION g"):
        t_env.execute_sql(statement)
        with pytest.raises(DefinitionError, match=r"does not exist.\n  at line 1, column 1"):
            t_env.execute_sql(statement)
        t_env.execute_sql(statement.replace("FUNCTION", "FUNCTION IF EXISTS"))


@pytest.mark.parametrize(
    ("function", "what"),
    [
        ("twice", "'twice' has no module"),
        ("nowhere.at_all.f", "there is no Python module 'nowhere'"),
        ("shipped_functions.twic", "the module 'shipped_functions' has no function 'twic'"),
        ("shipped_functions.plain", "plain has no result type"),
        ("shipped_functions.__name__", "'shipped_functions' is not a function"),
    ],
)
def test_a_function_that_cannot_be_imported(
    t_env: TableEnvironment, python_file: str, function: str, what: str
) -> None:
    t_env.get_config().set("python.files", python_file)
    with pytest.raises(DefinitionError, match="at CREATE FUNCTION f, line 2, column 1") as caught:
        t_env.execute_sql(f"\nCREATE FUNCTION f AS '{function}' LANGUAGE PYTHON")
    assert caught.value.what == what


def test_a_module_that_raises(t_env: TableEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raising_functions.py").write_text("import absent_package", encoding="utf-8")
    (tmp_path / "broken_functions.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DefinitionError, match="there is no Python module 'absent_package'") as caught:
        t_env.execute_sql("CREATE FUNCTION f AS 'raising_functions.f' LANGUAGE PYTHON")
    assert caught.value.now == "The module 'raising_functions' imports it. Install it."
    with pytest.raises(DefinitionError, match="'broken_functions' cannot be imported: ZeroDivisionError"):
        t_env.execute_sql("CREATE FUNCTION f AS 'broken_functions.f' LANGUAGE PYTHON")


def test_a_function_that_cannot_be_sent() -> None:
    from kafkastream.spark.worker.pickling import sent

    lock = threading.Lock()
    with pytest.raises(DefinitionError, match="the function 'f' cannot be sent to Spark's workers"):
        sent(lambda: lock, lambda: "the function 'f'")


def test_functions_of_two_sessions_can_be_in_one_job() -> None:
    known: set[str] = set()
    for session in (SessionFunctions(), SessionFunctions()):
        session.create(("c", "d", "f"), udf(len, result_type="INT"), "here", temporary=True)
        known |= session.known.keys()
    assert len(known) == 2
