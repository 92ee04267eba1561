"""Tables of SQL in files, at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkastream.errors import DeserializationError, StorageError, UnsupportedFeatureError
from kafkastream.table import TableEnvironment
from kafkastream.testing import KafkaBroker
from kafkastream.testing.pytest_plugin import NewTopic


def create(t_env: TableEnvironment, name: str, columns: str, path: Path, options: str, partitions: str = "") -> None:
    given = f"'connector' = 'filesystem', 'path' = '{path}', {options}"
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}) {partitions} WITH ({given})")


def rows(t_env: TableEnvironment, query: str) -> list[list[object]]:
    with t_env.execute_sql(query).collect() as found:
        return sorted((list(row) for row in found), key=str)


def contents(folder: Path) -> dict[str, str]:
    """What each file holds, by its directory."""
    return {str(file.parent.relative_to(folder)): file.read_text() for file in folder.rglob("part-*") if file.is_file()}


def test_records_become_files_and_files_are_joined_with_records(
    t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    topic = new_topic()
    kafka.produce(topic, ['{"id":1,"k":"a/b"}', '{"id":2,"k":null}', '{"id":3,"k":"a/b"}'])
    t_env.execute_sql(
        f"CREATE TABLE records (id INT, k STRING) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', "
        f"'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', 'scan.startup.mode' = 'earliest-offset', "
        "'scan.bounded.mode' = 'latest-offset')"
    )
    out, success = tmp_path / "out", "'sink.partition-commit.policy.kind' = 'success-file'"
    create(
        t_env, "files", """id INT, k STRING, `o'n"e` INT""", out, f"'format' = 'json', {success}", "PARTITIONED BY (k)"
    )
    t_env.execute_sql("INSERT INTO files SELECT id, k, 7 FROM records").wait()
    assert contents(out) == {
        "k=a%2Fb": """{"id":1,"o'n\\"e":7}\n{"id":3,"o'n\\"e":7}\n""",
        "k=__DEFAULT_PARTITION__": """{"id":2,"o'n\\"e":7}\n""",
    }
    assert {file.parent.name for file in out.rglob("_SUCCESS")} == {"k=a%2Fb", "k=__DEFAULT_PARTITION__"}
    create(t_env, "joined", "id INT, k STRING", tmp_path / "joined", "'format' = 'csv', 'csv.null-literal' = '-'")
    t_env.execute_sql("INSERT INTO joined SELECT r.id, f.k FROM records r JOIN files f ON r.id = f.id").wait()
    assert rows(t_env, "SELECT * FROM joined") == [[1, "a/b"], [2, None], [3, "a/b"]]
    with pytest.raises(UnsupportedFeatureError, match="a 'filesystem' table, without state, together with"):
        t_env.execute_sql("SELECT id FROM records UNION ALL SELECT id FROM files")


def test_rows_come_back_from_files(t_env: TableEnvironment, spark: SparkSession, tmp_path: Path) -> None:
    columns = "id BIGINT, d DECIMAL(10, 2), s STRING, ts TIMESTAMP(3), `day` DATE, arr ARRAY<INT>"
    row = "(CAST(1 AS BIGINT), CAST(2.50 AS DECIMAL(10, 2)), 'x,\"y', TIMESTAMP '2024-05-01 10:00:00.120', DATE '2024-05-01', "
    values = f"VALUES {row} CAST(NULL AS ARRAY<INT>))"
    statements = t_env.create_statement_set()
    formats = {"p": "'format' = 'parquet'", "c": "'format' = 'csv', 'csv.null-literal' = '-'"}
    for name, options in formats.items():
        create(t_env, name, columns, tmp_path / name, options, "PARTITIONED BY (`day`, ts)")
        statements.add_insert_sql(f"INSERT INTO {name} {values}")
    statements.execute().wait()
    assert contents(tmp_path / "c") == {"day=19844/ts=2024-05-01T10%3A00%3A00.120": '1,2.5,"x,""y",-\n'}
    assert rows(t_env, "SELECT * FROM p") == rows(t_env, "SELECT * FROM c")
    read = spark.read.option("recursiveFileLookup", "true").parquet(str(tmp_path / "p"))
    assert [tuple(one)[:1] + tuple(one)[2:] for one in read.collect()] == [(1, 'x,"y', None)]


def test_lines_that_do_not_fit_are_named_or_left_out(t_env: TableEnvironment, tmp_path: Path) -> None:
    folder = tmp_path / "in put"
    folder.mkdir()
    (folder / "a.json").write_text('{"id":1}\n\nbad\n')
    create(t_env, "strict", "id INT", folder, "'format' = 'json'")
    ignoring = "'format' = 'json', 'json.ignore-parse-errors' = 'true'"
    create(t_env, "loose", "id INT, name STRING METADATA FROM 'file.name' VIRTUAL", folder, ignoring)
    with pytest.raises(DeserializationError, match="Failed to deserialize JSON") as caught:
        rows(t_env, "SELECT * FROM strict")
    assert caught.value.where == f"file {folder}/a.json, line 3"
    assert rows(t_env, "SELECT name, COUNT(*) FROM loose GROUP BY name") == [["a.json", 1]]
    create(t_env, "no_parquet", "id INT", folder, "'format' = 'parquet'")
    with pytest.raises(StorageError, match="cannot read"):
        rows(t_env, "SELECT * FROM no_parquet")
