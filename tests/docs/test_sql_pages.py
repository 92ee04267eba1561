"""The reference pages of SQL have the tables that the code gives: of options, of functions, of aggregates, of windows.

Run as a program (``python -m tests.docs.test_sql_pages``), it writes the tables anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.errors import DefinitionError, KafkastreamError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.table_config import TABLE_OPTIONS
from kafkastream.options.tables import markdown_table
from kafkastream.sql.connectors import CONNECTORS
from kafkastream.sql.expressions.aggregate_names import AGGREGATES, GROUP_WINDOWS
from kafkastream.sql.expressions.function_calls import REFUSED_FUNCTIONS
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.formats import FORMATS
from kafkastream.sql.kafka_catalog.options import KAFKA_CATALOG
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.functions import FUNCTIONS, NAMES
from kafkastream.sql.plan.functions.built_in import Forms
from kafkastream.sql.plan.operations import AggregateFunction
from kafkastream.sql.plan.relations import Project
from kafkastream.sql.plan.spark_text import SparkPrinter
from kafkastream.sql.settings import options_of
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import EmbeddedKafka, KafkaBroker
from tests.differential.matrix.compared import KNOWN, session_of
from tests.differential.matrix.family import Family
from tests.differential.matrix.our_aggregates import grouped_values_of, planned_family
from tests.differential.matrix.ours import compiled_family, values_of
from tests.differential.matrix.shown import shown_plain
from tests.docs.aggregate_examples import AGGREGATE_EXAMPLES
from tests.docs.function_examples import EXAMPLES, VARYING
from tests.docs.placed_table import DOCS, PlacedTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Declared = tuple[Iterable[Option[Any] | OptionFamily], Iterable[Option[Any]]]

OPTIONS: Final = DOCS / "sql" / "options.md"
FUNCTIONS_PAGE: Final = DOCS / "sql" / "functions.md"
DECLARED: Final[Mapping[str, Declared]] = {
    **{name: (connector.options, connector.required) for name, connector in CONNECTORS.items()},
    **{name: (options_of(kind), kind.required) for name, kind in FORMATS.items()},
    ParquetFormat.identifier: (options_of(ParquetFormat), ()),
    "CREATE CATALOG": (KAFKA_CATALOG.options, KAFKA_CATALOG.required),
    "SET": (TABLE_OPTIONS, ()),
}
COLUMNS: Final = {
    "s": "STRING",
    "i": "INT",
    "n": "BIGINT",
    "d": "DECIMAL(10, 2)",
    "x": "DOUBLE",
    "ts": "TIMESTAMP(3)",
}
CALLS: Final = """
    SUBSTR(s, 2) | SUBSTRING(s, 2, 3) | SUBSTRING(s, i) | LPAD(s, 5, '0') | RPAD(s, 5, ' ') | REPLACE(s, 'a', 'b')
    REGEXP(s, 'a+') | REGEXP_EXTRACT(s, 'a(b)', 1) | REGEXP_REPLACE(s, 'a+', 'b')
    SPLIT_INDEX(s, ';', i) | JSON_VALUE(s, '$.a') | JSON_VALUE(s, '$.a' RETURNING BIGINT) | JSON_QUERY(s, '$.a')
    JSON_EXISTS(s, '$.a') | TRIM(s) | TRIM(LEADING 'x' FROM s) | POSITION('x' IN s) | OVERLAY(s PLACING 'x' FROM 2)
    LN(x) | LOG10(x) | LOG2(x) | MOD(i, 3) | TRUNCATE(d, 1) | SIGN(x) | ROUND(x, 1) | FLOOR(x) | CEIL(d)
    COALESCE(s, 'none') | IFNULL(i, 0) | NULLIF(i, 0) | IF(i > 0, s, 'none') | GREATEST(i, 0) | LEAST(i, 0) | ROW(i, s)
    CASE WHEN i > 0 THEN s END | CAST(s AS INT) | TRY_CAST(s AS INT) | CAST(ts AS STRING)
    DATE_FORMAT(ts, 'yyyy-MM-dd') | TO_TIMESTAMP(s) | TO_TIMESTAMP(s, 'yyyy/MM/dd') | TO_TIMESTAMP_LTZ(n, 3)
    LOCATE('x', s, 3) | INSTR(s, 'x') | INITCAP(s) | ELT(i, s, 'b') | PRINTF('%s is %d', s, i) | TYPEOF(d) | LOG(2, x)
    REGEXP_COUNT(s, '[a-z]') | REGEXP_EXTRACT_ALL(s, '([a-z])x') | REGEXP_INSTR(s, 'x') | REGEXP_SUBSTR(s, 'x+') | SPLIT(s, ',')
    PARSE_URL(s, 'HOST') | STR_TO_MAP(s) | CONVERT_TZ(s, 'UTC', 'Asia/Shanghai')
    ARRAY_SORT(ARRAY[i]) | ARRAY_SLICE(ARRAY[i], 2) | ARRAY_MAX(ARRAY[i]) | ARRAY_MIN(ARRAY[x]) | ARRAY_POSITION(ARRAY[i], 3)
    ARRAY_REMOVE(ARRAY[i], 3) | ARRAY_UNION(ARRAY[i], ARRAY[3]) | ARRAY_EXCEPT(ARRAY[i], ARRAY[3])
    ARRAY_INTERSECT(ARRAY[i], ARRAY[3]) | MAP_ENTRIES(MAP[s, i]) | MAP_FROM_ARRAYS(ARRAY[s], ARRAY[i])
    MAP_UNION(MAP[s, i], MAP['a', 1]) | JSON_STRING(x) | JSON_QUOTE(s) | JSON_UNQUOTE(s) | JSON_OBJECT('a' VALUE i, 'b' VALUE s)
    JSON_ARRAY(i, s NULL ON NULL) | s IS JSON OBJECT | i BETWEEN SYMMETRIC 5 AND 1
    CURRENT_DATABASE() | IS_ALPHA(s) | FLOOR(ts TO WEEK) | JSON_QUERY(s, '$.a' WITH WRAPPER)
    ELEMENT(ARRAY[n]) | TIMESTAMPADD(HOUR, 1, ts) | TIMESTAMPDIFF(DAY, ts, LOCALTIMESTAMP) | EXTRACT(YEAR FROM ts) | FLOOR(ts TO HOUR)
"""
ARGUMENTS: Final = ("n", "d", "x", "s")
FORMS: Final = {"PERCENTILE": "PERCENTILE({}, 0.5)", "JSON_OBJECTAGG": "JSON_OBJECTAGG(KEY s VALUE {})"}
"""Calls of aggregates that take more than a column."""


def place(name: str) -> PlacedTable:
    page = OPTIONS if name in DECLARED else FUNCTIONS_PAGE
    return PlacedTable(page, f"<!-- Made by tests/docs/test_sql_pages.py: {name} -->")


def environment() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set_local_timezone("UTC")
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    t_env.execute_sql(f"CREATE TABLE t ({columns}, WATERMARK FOR ts AS ts) WITH ('connector' = 'datagen')")
    return t_env


def functions() -> str:
    """Of the functions that are the same whatever their arguments are."""
    rows = (
        f"| `{name}` | {' <br> '.join(f'`{_with_letters(form)}`' for form in write.templates)} |\n"
        for name in NAMES
        if name in FUNCTIONS and isinstance(write := FUNCTIONS[name].write, Forms)
    )
    return "".join(("| Function | In Spark SQL |\n", "|---|---|\n", *rows))


def _with_letters(form: str) -> str:
    def shown(found: re.Match[str]) -> str:
        return "a, b, …" if found[1] == "*" else "abc"[int(found[1])] if found[1] else found[0][0]

    return re.sub(r"\{\{|\}\}|\{([*\d])\}", shown, form)


def calls(t_env: TableEnvironment) -> str:
    """Of the functions that look at their arguments, each with an example."""
    written = [call.strip() for call in CALLS.replace("\n", "|").split("|") if call.strip()]
    relation = t_env.sql_query(f"SELECT {', '.join(written)} FROM t")._relation
    assert isinstance(relation, Project)
    printer = SparkPrinter(lambda place: list(COLUMNS)[place], kept="")
    texts = (printer.text(one).replace("|", r"\|") for one in relation.expressions)
    rows = (f"| `{call}` | `{text}` |\n" for call, text in zip(written, texts, strict=True))
    return "".join(("| Call | In Spark SQL |\n", "|---|---|\n", *rows))


def examples(session: SparkSession) -> str:
    """Of constants, each with its result; of calls that vary, the type. All are computed by one query."""
    family = Family("examples", (("one", "INT"),), ((1,),), (*EXAMPLES, *VARYING.values()))
    planned = able(compiled_family(family))
    found = values_of(session, family, planned)
    assert [one for one, values in found.items() if values == [False]] == []
    rows = [(_code(one), _result_text(found[one][0])) for one in EXAMPLES]
    rows += [(_code(one), f"a {planned[one].type}") for one in VARYING.values()]
    return _table(("Example", "Result"), rows)


def rows_of_aggregates() -> str:
    """Of the rows that the examples of aggregates have."""
    names = [name for name, _ in AGGREGATE_EXAMPLES.columns]
    return _table(names, [[shown_plain(one, inside=False) for one in row] for row in AGGREGATE_EXAMPLES.rows])


def aggregate_examples(kafka: KafkaBroker, topic: str) -> str:
    """Of aggregates by groups of rows, each with its results. All are computed by one query over several micro-batches."""
    family = AGGREGATE_EXAMPLES
    found = grouped_values_of(kafka, topic, family, able(planned_family(family)))
    rows = [(_code(one), *map(_result_text, found[one])) for one in family.expressions]
    return _table(("Example", *(f"{family.by} {group}" for group in family.groups)), rows)


def able(planned: Mapping[str, TypedExpression | KafkastreamError]) -> dict[str, TypedExpression]:
    """Return the planned expressions, none of which may be refused."""
    found = {one: made for one, made in planned.items() if not isinstance(made, KafkastreamError)}
    assert [one for one in planned if one not in found] == []
    return found


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" if row else "|---" * len(names) + "|\n" for row in (names, (), *rows))


def _result_text(value: str | None) -> str:
    return _code("NULL" if value is None else value)


def _code(text: str) -> str:
    written = text.replace("|", r"\|")
    return f"`` {written} ``" if "`" in text else f"`{written}`" if text.strip() else "(empty)"


def refused() -> str:
    """Of the functions of Flink that are refused, with what works in place of each."""
    rows = (f"| `{name}` | {now} |\n" for name, now in sorted(REFUSED_FUNCTIONS.items()))
    return "".join(("| Function | In place of it |\n", "|---|---|\n", *rows))


def differences() -> str:
    """Of the reasons for which results differ from Flink's, each with calls."""
    rows = []
    for reason, families in KNOWN.items():
        calls = [call for told in families.values() for call in told]
        rows.append(f"| {reason} | {', '.join(_code(call) for call in calls[:2])} |\n")
    return "".join(("| Difference | For example |\n", "|---|---|\n", *rows))


def aggregates(t_env: TableEnvironment) -> str:
    """Of the aggregates: what they give, by the types of their arguments."""
    header = " | ".join(f"of {COLUMNS[argument]}" for argument in ARGUMENTS)
    forms = {name: FORMS.get(name, f"{name}({{}})") for name in AGGREGATES}
    rows = (
        f"| `{name}` | {' | '.join(_result(t_env, form.format(argument)) for argument in ARGUMENTS)} |\n"
        for name, form in forms.items()
    )
    return "".join((f"| Aggregate | {header} |\n", "|---|---|---|---|---|\n", *rows))


def _result(t_env: TableEnvironment, call: str) -> str:
    try:
        return f"`{t_env.sql_query(f'SELECT {call} FROM t').get_schema().get_field_data_type(0)}`"
    except DefinitionError:
        return "-"


@pytest.mark.parametrize("name", DECLARED)
def test_options_are_those_that_are_declared(name: str) -> None:
    assert place(name).written == markdown_table(*DECLARED[name])


def test_functions_are_those_that_are_declared() -> None:
    t_env = environment()
    assert place("functions").written == functions()
    assert place("calls").written == calls(t_env)
    assert place("aggregates").written == aggregates(t_env)


def test_examples_have_the_results_that_spark_gives(spark: SparkSession) -> None:
    assert place("examples").written == examples(session_of(spark))


@pytest.mark.usefixtures("spark")
def test_examples_of_aggregates_have_the_results_of_a_job(kafka: KafkaBroker) -> None:
    assert place("rows of aggregates").written == rows_of_aggregates()
    assert place("examples of aggregates").written == aggregate_examples(kafka, "sales-of-the-page")


def test_every_function_has_an_example() -> None:
    told = " ".join((*EXAMPLES, *VARYING.values()))
    assert [name for name in NAMES if not re.search(rf"\b{name}\b", told)] == []
    assert [
        name for name in AGGREGATES if not re.search(rf"\b{name}\b", " ".join(AGGREGATE_EXAMPLES.expressions))
    ] == []


def test_refused_functions_and_differences_are_on_the_page() -> None:
    assert place("refused").written == refused()
    assert place("differences").written == differences()
    assert [name for name in REFUSED_FUNCTIONS if name in NAMES] == []


def test_every_function_is_on_the_page() -> None:
    page = FUNCTIONS_PAGE.read_text(encoding="utf-8")
    assert [name for name in (*NAMES, *AGGREGATES) if f"| `{name}" not in page] == []


def test_windows_of_the_page_can_be_planned() -> None:
    t_env = environment()
    page = FUNCTIONS_PAGE.read_text(encoding="utf-8")
    windows = re.findall(r"^\| `(TABLE\(.*?\))` \|", page, re.MULTILINE)
    groups = re.findall(r"^\| `GROUP BY (.*?)` \| (.*) \|$", page, re.MULTILINE)
    for window in windows:
        t_env.explain_sql(f"SELECT window_start, window_end, COUNT(*) FROM {window} GROUP BY window_start, window_end")
    for window, bounds in groups:
        named = re.findall(r"`(\w+)\(…\)`", bounds)
        columns = ", ".join(f"{name}({window.partition('(')[2]}" for name in named)
        t_env.explain_sql(f"SELECT {columns} FROM t GROUP BY {window}")
    told = {window.partition("(")[0] for window, _ in groups} | set(re.findall(r"`(\w+)\(…\)`", page))
    assert told == {name for name in GROUP_WINDOWS if not name.endswith("PROCTIME")}
    assert {window.removeprefix("TABLE(").partition("(")[0] for window in windows} == {
        "TUMBLE",
        "HOP",
        "CUMULATE",
        "SESSION",
    }
    assert AggregateFunction.SUM0.value not in page


def write() -> None:
    from kafkastream.spark.session.session import spark_session

    t_env = environment()
    for name, declared in DECLARED.items():
        place(name).write(markdown_table(*declared))
    place("functions").write(functions())
    place("calls").write(calls(t_env))
    place("aggregates").write(aggregates(t_env))
    place("refused").write(refused())
    place("differences").write(differences())
    place("examples").write(examples(session_of(spark_session())))
    place("rows of aggregates").write(rows_of_aggregates())
    with EmbeddedKafka() as kafka:
        place("examples of aggregates").write(aggregate_examples(kafka, "sales"))


if __name__ == "__main__":
    write()
