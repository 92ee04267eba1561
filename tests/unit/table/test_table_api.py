"""Names, errors and results of the Table API that no pair with a text shows."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from kafkastream.common import Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError, KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.row import Row, RowKind
from kafkastream.table import (
    AggregateFunction,
    DataTypes,
    EnvironmentSettings,
    ExplainDetail,
    Schema,
    StreamTableEnvironment,
    Table,
    TableAggregateFunction,
    TableEnvironment,
)
from kafkastream.table.api.data_frames import data_frame
from kafkastream.table.expression import JsonOnNull, JsonQueryWrapper
from kafkastream.table.expressions import (
    call,
    col,
    json_array,
    json_object,
    lit,
    object_of,
    range_,
    row_interval,
    with_columns,
    without_columns,
)
from kafkastream.table.udf import udaf, udf, udtaf, udtf
from kafkastream.table.window import Tumble

Made = Callable[[Table], object]


@pytest.fixture(scope="module")
def t_env() -> TableEnvironment:
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.execute_sql(
        "CREATE TABLE t (i INT, l BIGINT, s STRING, r ROW<x INT, y STRING>, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'datagen')"
    )
    env.execute_sql("CREATE TABLE sink (i INT) WITH ('connector' = 'print')")
    return env


@pytest.fixture
def t(t_env: TableEnvironment) -> Table:
    return t_env.from_path("t")


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (
            lambda t: t.select(col("i").sum, col("l").count + 1, col("i").sum.cast(DataTypes.BIGINT())),
            ["EXPR$0", "_c1", "EXPR$0-BIGINT"],
        ),
        (
            lambda t: t.select(col("i").cast(DataTypes.STRING()), col("i").try_cast(DataTypes.STRING())),
            ["i-STRING", "_c1"],
        ),
        (
            lambda t: t.select(col("s").to_date, col("s").to_time, col("s").to_timestamp),
            ["s-DATE", "s-TIME(0)", "s-TIMESTAMP(3)"],
        ),
        (lambda t: t.select(col("r").get("x"), col("r").get("x") + 1, col("r").flatten.alias("f")), None),
        (lambda t: t.select(col("r").flatten, col("i")), ["r$x", "r$y", "i"]),
        (lambda t: t.select(col("i").sum, col("l").count + 1), ["EXPR$0", "_c1"]),
        (
            lambda t: t.group_by(col("i")).select(col("i"), col("l").sum.alias("x"), col("l").sum, col("l").max),
            ["i", "x", "EXPR$0", "EXPR$1"],
        ),
        (lambda t: t.select(col("i").sum.cast(DataTypes.BIGINT())), ["EXPR$0-BIGINT"]),
        (lambda t: t.group_by((col("i") + 1).alias("k")).select(col("k"), col("l").max), ["k", "EXPR$0"]),
        (lambda t: t.group_by(col("i")).select(col("*")), ["i"]),
    ],
)
def test_names_are_flinks(t: Table, made: Callable[[Table], Table], names: list[str] | None) -> None:
    if names is None:
        with pytest.raises(KafkastreamError):
            made(t)
    else:
        assert made(t).get_schema().get_field_names() == names


@pytest.mark.parametrize(
    ("made", "what"),
    [
        (lambda t: t.select(col("nope")), "Cannot resolve field [nope], input field list:[i, l, s, r, ts]."),
        (lambda t: t.select(col("i"), col("l").alias("i")), "Ambiguous column name: i"),
        (lambda t: t.select("i"), "'i' is not an expression"),
        (lambda t: t.select(), "no columns are selected"),
        (lambda t: t.where(col("i")), "Filter operator requires a boolean expression as input"),
        (lambda t: t.alias("a", "b", "c", "d", "e", "f"), "Aliasing more fields than we actually have."),
        (lambda t: t.join(t), "join relations with ambiguous names: [i, l, s, r, ts]"),
        (lambda t: t.select(col("i")).union_all(t), "different column sizes: 1 and 5"),
        (lambda t: t.drop_columns(col("nope")), "Field nope does not exist in source table"),
        (lambda t: t.drop_columns(col("*")), "no column is left"),
        (lambda t: t.rename_columns(col("nope").alias("j")), "Cannot resolve field [nope]"),
        (lambda t: t.rename_columns(col("i")), "a column is renamed by its name"),
        (lambda t: t.fetch(3).fetch(2), "FETCH is already defined."),
        (lambda t: t.fetch(3).offset(2), "FETCH is already defined."),
        (lambda t: t.fetch(-1), "FETCH should be greater than or equal to 0."),
        (lambda t: t.group_by(col("i")).select(col("l")), "is not being grouped"),
        (lambda t: t.select(col("l").max.over(col("w"))), "the window w is not declared"),
        (lambda t: t.select(col("l").max.over(lit(1))), "an over window is named by its alias"),
        (lambda t: t.select(col("w").start), "w is not the alias of a group window"),
        (lambda t: t.select(col("l").distinct), "DISTINCT belongs to an aggregate"),
        (lambda t: t.select(with_columns(range_("l", "i"))), "The start of the range l to i is after its end."),
        (lambda t: t.select(with_columns(9)), "there is no column 9 of 5"),
        (lambda t: t.select(without_columns("i")), "only accept column names or column indices"),
        (
            lambda t: t.select(with_columns(range_("i", "l")) + 1),
            "an expression of several columns is used as a single value",
        ),
        (lambda t: t.select(col("i").flatten), "flatten needs a row, not INT"),
        (lambda t: t.select(col("r").get(2)), "there is no field 2"),
        (lambda t: t.select(col("i").days), "Invalid constant for an interval"),
        (lambda t: t.select(lit(None)), "Cannot derive a data type for value None"),
        (lambda t: t.select(lit(1, DataTypes.INT())), "must not have a nullable data type"),
        (lambda t: t.select(lit(2**63)), "too great for BIGINT"),
        (lambda t: t.map(col("i")), "a call of a function is expected"),
        (lambda t: t.join_lateral(call("nope", col("i"))), "Undefined function: nope"),
        (lambda t: t.window(tumble()).group_by(col("i")), "GroupBy must contain exactly one window alias."),
        (lambda t: t.window(tumble()).group_by(col("w")).select(col("w")), "Cannot resolve field [w]"),
        (lambda t: t.aggregate(col("i")).select(col("i")), "a call of an aggregate function is expected"),
    ],
)
def test_what_is_wrong_is_told_by_the_method(t: Table, made: Made, what: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        made(t)
    assert what in caught.value.what
    assert caught.value.where


def tumble() -> Any:
    return Tumble.over(lit(5).minutes).on(col("ts")).alias("w")


@pytest.mark.parametrize(
    "made",
    [
        lambda t: t.order_by(col("l")).execute(),
        lambda t: t.insert_into("sink", overwrite=True),
        lambda t: t.select(col("i")).insert_into("sink").compile_plan(),
        lambda _: object_of("a.B", 1),
        lambda _: col("i").as_argument("a"),
        lambda _: col("i").object_update("a", 1),
    ],
)
def test_what_is_refused_names_the_method(t: Table, made: Made) -> None:
    with pytest.raises(UnsupportedFeatureError) as caught:
        made(t)
    assert caught.value.where
    assert "line 1" not in caught.value.where


def test_windows_of_rows_by_event_time_are_refused_as_in_flink(t: Table) -> None:
    windowed = t.window(Tumble.over(row_interval(5)).on(col("ts")).alias("w")).group_by(col("w"))
    with pytest.raises(DefinitionError, match="Count rows by processing time"):
        windowed.select(col("l").sum)


def test_tables_of_two_environments_do_not_mix(t: Table) -> None:
    other = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    with pytest.raises(DefinitionError, match="Only tables from the same TableEnvironment can be joined"):
        t.select(col("i")).union_all(other.from_elements([(1,)], ["i"]))


def test_a_column_is_an_attribute(t: Table) -> None:
    assert str(t.i) == "`i`"
    with pytest.raises(AttributeError, match="no column named 'nope'"):
        t.nope  # noqa: B018


def test_a_table_keeps_what_its_names_meant(t_env: TableEnvironment, t: Table) -> None:
    t_env.create_temporary_view("v", t.select(col("i")))
    kept = t_env.from_path("v").where(col("i") > 1)
    t_env.drop_temporary_view("v")
    assert kept.select(col("i")).join(t.select(col("l")), col("i") == col("l")).get_schema().get_field_names() == [
        "i",
        "l",
    ]


def test_a_pipeline_is_explained_and_added(
    t_env: TableEnvironment, t: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = t.select(col("i")).insert_into("sink")
    assert "default_database.sink" in pipeline.explain(ExplainDetail.CHANGELOG_MODE)
    statements = t_env.create_statement_set().add(pipeline)
    assert statements.explain() == pipeline.explain()
    pipeline.print_explain()
    statements.print_explain()
    t.print_explain(ExplainDetail.PLAN_ADVICE)
    assert capsys.readouterr().out.count("== Optimized Physical Plan ==") == 3


def test_literals() -> None:
    values = (-5, -(2**31), -(2**63), float("inf"), 1e20, Decimal("-1.50"), Decimal(7), b"\x01", "it's")
    times = (datetime.date(2024, 1, 2), datetime.time(3, 4, 5), datetime.datetime(2024, 1, 2, 3, 4, 5, 600))  # noqa: DTZ001
    assert [str(lit(value)) for value in (*values, *times)] == [
        "-5",
        "CAST('-2147483648' AS INT)",
        "CAST('-9223372036854775808' AS BIGINT)",
        "CAST('Infinity' AS DOUBLE)",
        "1E+20",
        "-1.50",
        "CAST(7 AS DECIMAL(1, 0))",
        "X'01'",
        "'it''s'",
        "DATE '2024-01-02'",
        "TIME '03:04:05'",
        "TIMESTAMP '2024-01-02 03:04:05.000600'",
    ]


def test_json_is_written_with_its_clauses() -> None:
    assert str(json_object(JsonOnNull.ABSENT, "k", col("i"))) == "JSON_OBJECT(KEY 'k' VALUE `i` ABSENT ON NULL)"
    assert str(json_array(JsonOnNull.NULL, 1, "a")) == "JSON_ARRAY(1, 'a' NULL ON NULL)"
    query = col("s").json_query("$", JsonQueryWrapper.CONDITIONAL_ARRAY)
    assert str(query) == "JSON_QUERY(`s`, '$' WITH CONDITIONAL ARRAY WRAPPER NULL ON EMPTY NULL ON ERROR)"


class Spread(AggregateFunction):
    """Greatest and least id, of rows."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: Row) -> None:
        accumulator.append(args[0].i)

    def retract(self, accumulator: list[int], *args: Row) -> None:
        accumulator.remove(args[0].i)

    def get_value(self, accumulator: list[int]) -> Row:
        return Row(min(accumulator), max(accumulator))


class Every(TableAggregateFunction):
    """All ids, of rows."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: Row) -> None:
        accumulator.append(args[0].i)

    def emit_value(self, accumulator: list[int]) -> list[Row]:
        return [Row(one) for one in accumulator]


def test_functions_take_whole_rows(t: Table) -> None:
    made = udf(lambda row: Row(row.i, row.s), result_type="ROW<n INT, name STRING>", name="made")
    assert t.map(made).get_schema().get_field_names() == ["n", "name"]
    assert t.map(made(col("i"), col("s")).alias("a", "b")).get_schema().get_field_names() == ["a", "b"]
    assert t.map(udf(lambda row: row.i, result_type="INT", name="id")).get_schema().get_field_names() == ["_c0"]
    parts = udtf(lambda row: row.s.split(), result_types=["STRING"], name="parts")
    assert t.flat_map(parts).get_schema().get_field_names() == ["f0"]
    assert t.flat_map(parts.alias("part")).get_schema().get_field_names() == ["part"]
    assert t.select(col("i"), col("s")).join_lateral(parts.alias("part")).get_schema().get_field_names() == [
        "i",
        "s",
        "part",
    ]


def test_aggregates_take_whole_rows(t: Table) -> None:
    spread = udaf(Spread(), result_type="ROW<a INT, b INT>", accumulator_type="ARRAY<INT>")
    found = t.group_by(col("s")).aggregate(spread.alias("least", "most")).select(col("s"), col("most") - col("least"))
    assert found.get_schema().get_field_names() == ["s", "_c1"]
    windowed = (
        t.window(tumble()).group_by(col("w"), col("s")).aggregate(spread).select(col("a"), col("w").end.alias("e"))
    )
    assert windowed.get_schema().get_field_names() == ["a", "e"]
    every = udtaf(Every(), result_type="ROW<one INT>", accumulator_type="ARRAY<INT>")
    assert t.flat_aggregate(every.alias("n")).select(col("n")).get_schema().get_field_names() == ["n"]
    changed = t.group_by(col("i")).select(col("i"), col("l").sum.alias("l"))
    with pytest.raises(DefinitionError, match="Method retract is not implemented"):
        changed.flat_aggregate(every).select(col("one"))
    with pytest.raises(DefinitionError, match="a call of an aggregate function"):
        t.flat_aggregate(col("i")).select(col("i"))


def test_rows_become_a_data_frame(t_env: TableEnvironment) -> None:
    schema = t_env.from_elements(
        [(1, 1.5, True, "a", datetime.datetime(2024, 1, 1))],  # noqa: DTZ001
        DataTypes.ROW(
            [
                DataTypes.FIELD("i", DataTypes.INT()),
                DataTypes.FIELD("d", DataTypes.DOUBLE()),
                DataTypes.FIELD("b", DataTypes.BOOLEAN()),
                DataTypes.FIELD("s", DataTypes.STRING()),
                DataTypes.FIELD("t", DataTypes.TIMESTAMP(3)),
            ]
        ),
    ).get_schema()
    kept = Row(1, 1.5, True, "a", datetime.datetime(2024, 1, 1))  # noqa: DTZ001
    gone, deleted = Row(None, None, None, None, None), Row(None, None, None, None, None)
    deleted.set_row_kind(RowKind.DELETE)
    frame = data_frame([gone, kept, deleted], schema, "UTC")
    assert [str(kind) for kind in frame.dtypes] == ["int32", "float64", "bool", "object", "datetime64[ns]"]
    assert frame["i"].tolist() == [1]
    assert str(data_frame([gone], schema, "UTC")["i"].dtype) == "float64"


def test_a_data_frame_becomes_a_table(t_env: TableEnvironment) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [[1.5], None]})
    assert str(t_env.from_pandas(frame).get_schema()) == "root\n |-- a: BIGINT\n |-- b: STRING\n |-- c: ARRAY<DOUBLE>"
    assert t_env.from_pandas(frame, ["x", "y", "z"]).get_schema().get_field_names() == ["x", "y", "z"]
    typed = t_env.from_pandas(frame[["a"]], [DataTypes.INT()])
    assert typed.get_schema().get_field_data_types() == [DataTypes.INT()]
    with pytest.raises(DefinitionError, match="expected pandas"):
        t_env.from_pandas([1])  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="1 columns are given for 3"):
        t_env.from_pandas(frame, ["a"])
    with pytest.raises(UnsupportedFeatureError, match="SQL has no type for column 'd'"):
        t_env.from_pandas(pd.DataFrame({"d": [datetime.timedelta(1)]}))


def test_the_fields_of_a_stream_are_named_by_expressions() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    streams = StreamTableEnvironment.create(env)
    stream = env.from_collection([(1, "a")], Types.TUPLE([Types.LONG(), Types.STRING()]))

    def names(*fields: object) -> list[str]:
        return streams.from_data_stream(stream, *fields).get_schema().get_field_names()

    assert names(col("f1"), col("f0").alias("id")) == ["f1", "id"]
    assert names(col("id"), col("name")) == ["id", "name"]
    assert names(col("id")) == ["id"]
    with pytest.raises(UnsupportedFeatureError, match="a time attribute"):
        names(col("id"), col("ts").rowtime)
    with pytest.raises(DefinitionError, match="one Schema, or expressions alone"):
        names(Schema.new_builder().build(), col("id"))


def test_computed_columns_of_a_stream_take_fields_that_are_not_declared() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    streams = StreamTableEnvironment.create(env)
    stream = env.from_collection([(1, "a")], Types.TUPLE([Types.LONG(), Types.STRING()]))
    schema = Schema.new_builder().column_by_expression("more", "f0 + 1").column("f1", "STRING").build()
    assert streams.from_data_stream(stream, schema).get_schema().get_field_names() == ["more", "f1"]


def test_views_and_tables_are_made_and_dropped() -> None:
    env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    env.execute_sql("CREATE TABLE made (i INT) WITH ('connector' = 'datagen')")
    env.create_view("seen", env.from_path("made").where(col("i") > 1))
    env.create_view("seen", env.from_path("made"), ignore_if_exists=True)
    assert env.list_views() == ["seen"]
    assert env.drop_view("seen")
    assert not env.drop_view("seen")
    assert env.drop_table("made")
    with pytest.raises(DefinitionError):
        env.drop_table("made", ignore_if_not_exists=False)


def test_a_schema_takes_expressions() -> None:
    def built(computed: Any, watermark: Any) -> Schema:
        builder = Schema.new_builder().column("ts", "TIMESTAMP(3)").column("n", "INT")
        return builder.column_by_expression("m", computed).watermark("ts", watermark).build()

    assert str(built(col("n") + 1, col("ts") - lit(3).seconds)) == str(built("`n` + 1", "`ts` - INTERVAL '3' SECOND"))
