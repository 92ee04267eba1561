"""Text that a user gives arrives as it was written, whatever Spark would read in it, and whatever the user has set in Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from kafkastream.cdc.changes import CreateTable, Operation
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.cdc.spec.simple_sinks import ValuesSink
from kafkastream.cdc.spec.values_source import RowChange, ValuesSource
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.common import Configuration, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.table import DataTypes, TableEnvironment
from kafkastream.table.expressions import col, lit
from tests.hostile import hostile
from tests.integration.test_pipelines_at_work import changes, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafkastream.testing import KafkaBroker

TEXTS: Final = [
    *(
        "Dear ${name}",
        "${env:HOME}",
        "${system:user.home}",
        "${spark:spark.app.name}",
        "${hiveconf:x}",
        "$${x}",
        "$1",
        "$",
    ),
    *(
        "\\",
        "\\\\",
        "\\'",
        "it's",
        "''",
        '"',
        '\\"',
        "`",
        "``",
        "\\1",
        "\\n",
        "\\u0041",
        "\\x41",
        "\\101",
        "\\%",
        "\\_",
        "\\Z",
    ),
    *(
        "%",
        "%s",
        "%%",
        "%(a)s",
        "%1$s",
        "_",
        "{}",
        "{0}",
        "{a}",
        "{{a}}",
        "#{a}",
        "?",
        "??",
        ":a",
        "@a",
        "*",
        "a.b",
        "a,b",
        "a;b",
    ),
    *(
        "--",
        "/* a */",
        "#",
        "[red]a[/red]",
        "<b>&amp;",
        "a=b",
        "a/b",
        "a:b",
        "a|b",
        "|>",
        "(?i)a",
        "^a$",
        "SELECT",
        "null",
    ),
    *(
        " a ",
        "a  b",
        "\t",
        "\n",
        "\r\n",
        "\x00",
        "\x1f",
        "\x7f",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "\u0130",
        "e\u0301",
        "\U0001f600",
    ),
    *("number 1", "c0", "__kept", "true", "1E5", "00", "-0"),
]
"""Text that something on the way might read: Spark's parser and its variables, Java's regular expressions and formats, JSON."""
NAMES: Final = [text for text in TEXTS if text.strip() == text]


@pytest.fixture(params=["as Spark has it", "hostile"], autouse=True)
def settings_of_user(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    if request.param == "hostile":
        with hostile(spark):
            yield
    else:
        yield


def quoted(text: str, quote: str = "'") -> str:
    return f"{quote}{text.replace(quote, quote * 2)}{quote}"


def rows(t_env: TableEnvironment, query: str) -> list[list[Any]]:
    with t_env.execute_sql(query).collect() as found:
        return [list(row) for row in found]


def test_literals_and_names_of_sql(t_env: TableEnvironment) -> None:
    literals = ", ".join(f"{quoted(text)} AS {quoted(text, '`')}" for text in NAMES)
    nested = ", ".join(f"CAST(ROW('v') AS ROW<{quoted(text, '`')} STRING>).{quoted(text, '`')}" for text in NAMES)
    result = t_env.execute_sql(f"SELECT {literals}, {nested} FROM (VALUES (1)) AS q(n)")
    assert result.get_table_schema().get_field_names()[: len(NAMES)] == NAMES
    with result.collect() as found:
        assert [list(row) for row in found] == [[*NAMES, *["v"] * len(NAMES)]]


def test_literals_of_sql_that_are_grouped_and_compared(t_env: TableEnvironment) -> None:
    values = ", ".join(f"({quoted(text)})" for text in TEXTS)
    same = " OR ".join(f"s = {quoted(text)} AND '<' || s || '>' = {quoted(f'<{text}>')}" for text in TEXTS)
    found = rows(
        t_env,
        f"SELECT s, MAX(s || {quoted(TEXTS[0])}), COUNT(*) FROM (VALUES {values}) AS t(s) WHERE {same} GROUP BY s",
    )
    assert sorted(found) == sorted([text, text + TEXTS[0], 1] for text in TEXTS)


def test_literals_and_names_of_the_table_api(t_env: TableEnvironment) -> None:
    names = [name for name in NAMES if name != "*"]  # which is all columns
    row = DataTypes.ROW([DataTypes.FIELD(name, DataTypes.STRING()) for name in names])
    table = t_env.from_elements([tuple(names), tuple(names[::-1])], row)
    chosen = table.filter(col(names[0]) == lit(names[0])).select(
        *(col(name).alias(f"{name}1") for name in names), *(lit(name).alias(f"{name}2") for name in names)
    )
    result = chosen.execute()
    assert result.get_table_schema().get_field_names() == [f"{name}{number}" for number in (1, 2) for name in names]
    with result.collect() as found:
        assert [list(one) for one in found] == [names * 2]


def test_literals_and_names_of_transforms(topic: str) -> None:
    table = TableId.parse("shop.${env:HOME}")
    names = [name for name in NAMES if "`" not in name]
    row = {"id": "Dear ${name}", **{f"{name}1": name for name in names}}
    events = (
        CreateTable(table, TableSchema.of([(name, parse_type("STRING")) for name in row])),
        RowChange(table, Operation.INSERT, after=row),
        RowChange(table, Operation.INSERT, after={**row, "id": "Dear "}),
    )
    literals = ", ".join(f"{quoted(name)} AS {quoted(f'{name}2', '`')}" for name in names)
    rule = TransformRule(
        source_table=r"shop.\.*", projection=rf"\*, __table_name__ AS t, {literals}", filter="id = 'Dear ${name}'"
    )
    source, sink = ValuesSource(events=events), ValuesSink(prints=False)
    (change,) = changes(PipelineSpec(source=source, sink=sink, transforms=(rule,), settings=settings(topic)))
    assert change.after == {**row, "t": "${env:HOME}", **{f"{name}2": name for name in names}}


def test_names_and_values_in_messages_and_options(t_env: TableEnvironment, kafka: KafkaBroker, topic: str) -> None:
    columns = ", ".join(f"{quoted(name, '`')} STRING" for name in NAMES)
    t_env.execute_sql(
        f"CREATE TABLE messages ({columns}, price DECIMAL(20, 10)) WITH ('connector' = 'kafka', 'topic' = '{topic}', "
        f"'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', 'format' = 'json', "
        "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', "
        "'properties.client.id' = 'Dear ${name} $1 \\')"
    )
    t_env.execute_sql(f"INSERT INTO messages VALUES ({', '.join(map(quoted, NAMES))}, 1.5)").wait()
    (message,) = kafka.consume(topic, count=1)
    assert json.loads(message.value or b"") == {**dict(zip(NAMES, NAMES, strict=True)), "price": 1.5}
    assert [row[:-1] for row in rows(t_env, "SELECT * FROM messages")] == [NAMES]


def test_paths_partitions_and_options_of_files(t_env: TableEnvironment, tmp_path: Path) -> None:
    path = tmp_path / "Dear ${name}*[a]{b}%20?\\ it's"
    t_env.execute_sql(
        f"CREATE TABLE files (n STRING, k STRING) PARTITIONED BY (k) WITH ('connector' = 'filesystem', "
        f"'path' = {quoted(str(path))}, 'format' = 'csv', 'csv.null-literal' = '${{name}}$1\\')"
    )
    texts = [text for text in TEXTS if text not in "\x00\r\n"]
    values = ", ".join(f"(CAST(NULL AS STRING), {quoted(text)})" for text in texts)
    t_env.execute_sql(f"INSERT INTO files VALUES {values}").wait()
    assert sorted(rows(t_env, "SELECT k, n FROM files")) == sorted([text, None] for text in texts)
    assert {file.read_text() for file in path.rglob("part-*")} == {"${name}$1\\\n"}


def test_elements_names_and_folders_of_streams(tmp_path: Path, spark: SparkSession) -> None:
    folder = tmp_path / "Dear ${name}*[a]{b} it's"
    configuration = Configuration().set_string("execution.checkpointing.dir", folder.as_uri())
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
    stream = env.from_collection(TEXTS, Types.STRING()).name("${env:HOME}").key_by(lambda text: text)
    counted = stream.map(lambda text: f"{text}$1", Types.STRING()).name("a.b`c${name}").uid("\\'${name}")
    assert list(counted.execute_and_collect("Dear ${name} $1")) == [f"{text}$1" for text in TEXTS]
