"""Tables of SQL in files, at work."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafkastream.errors import DeserializationError, StorageError, UnsupportedFeatureError
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.testing import KafkaBroker, wait_until
from kafkastream.testing.pytest_plugin import NewTopic


def create(t_env: TableEnvironment, name: str, columns: str, path: Path, options: str, partitions: str = "") -> None:
    given = f"'connector' = 'filesystem', 'path' = '{path}', {options}"
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}) {partitions} WITH ({given})")


def rows(t_env: TableEnvironment, query: str) -> list[list[object]]:
    with t_env.execute_sql(query).collect() as found:
        return sorted((list(row) for row in found), key=str)


def stop(result: TableResult) -> None:
    job = result.get_job_client()
    assert job is not None
    job.cancel().result(120)


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


class Archive:
    """A job that writes the records of a topic by hour, with a micro-batch for each call of ``produce``."""

    def __init__(self, kafka: KafkaBroker, topic: str, folder: Path) -> None:
        self._kafka = kafka
        self._topic = topic
        self._folder = folder
        self.out = folder / "out"

    def start(self, bounded: str = "") -> TableResult:
        t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        config = t_env.get_config().set("parallelism.default", "2").set("pipeline.name", "archive")
        config.set("execution.checkpointing.dir", (self._folder / "checkpoints").as_uri())
        config.set("execution.checkpointing.interval", "200 ms")
        t_env.execute_sql(
            "CREATE TABLE records (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ("
            f"'connector' = 'kafka', 'topic' = '{self._topic}', 'format' = 'json', "
            f"'properties.bootstrap.servers' = '{self._kafka.bootstrap_servers}', {bounded}"
            "'scan.startup.mode' = 'earliest-offset')"
        )
        commit = {
            "sink.partition-commit.trigger": "partition-time",
            "sink.partition-commit.delay": "1 h",
            "sink.partition-commit.policy.kind": "success-file",
            "partition.time-extractor.timestamp-pattern": "$dt $h:00:00",
        }
        options = ", ".join(f"'{key}' = '{value}'" for key, value in {"format": "json", **commit}.items())
        create(t_env, "files", "id INT NOT NULL, dt STRING, h STRING", self.out, options, "PARTITIONED BY (dt, h)")
        return t_env.execute_sql(
            "INSERT INTO files SELECT id, DATE_FORMAT(ts, 'yyyy-MM-dd'), DATE_FORMAT(ts, 'HH') FROM records WHERE id > 0"
        )

    def produce(self, id_: int, time: str) -> None:
        """Produce a record and, if it is no tick, wait until it is in a file."""
        self._kafka.produce(self._topic, [f'{{"id":{id_},"ts":"2026-03-01 {time}"}}'])
        wait_until(lambda: not id_ or self._is_written(id_), 120, f"record {id_} in a file")

    def _is_written(self, id_: int) -> bool:
        return f'{{"id":{id_}}}' in self.lines

    @property
    def lines(self) -> list[str]:
        return [line for file in self.out.rglob("part-*") for line in file.read_text().splitlines()]

    @property
    def committed(self) -> set[str]:
        return {file.parent.name for file in self.out.rglob("_SUCCESS")}


def test_partitions_are_committed_when_the_watermark_has_passed_them(
    spark: SparkSession, kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path
) -> None:
    archive = Archive(kafka, new_topic(), tmp_path)
    running = archive.start()
    archive.produce(1, "10:05:00")
    archive.produce(2, "11:00:00")  # the watermark is 1 ms before 11:00
    archive.produce(3, "10:59:59")
    assert archive.committed == set()
    stop(running)
    running = archive.start()
    archive.produce(0, "11:00:00.002")  # the query drops it, and the watermark passes 10:00 + 1 h
    wait_until(lambda: archive.committed == {"h=10"}, 120, "the commit of a partition from before the restart")
    (success,) = archive.out.rglob("_SUCCESS")
    success.unlink()
    archive.produce(4, "10:30:00")
    wait_until(success.exists, 120, "another commit, after late data")
    assert archive.committed == {"h=10"}
    stop(running)
    archive.start(bounded="'scan.bounded.mode' = 'latest-offset', ").wait()
    assert archive.committed == {"h=10", "h=11"}
    assert sorted(archive.lines) == [f'{{"id":{id_}}}' for id_ in (1, 2, 3, 4)]


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
    assert contents(tmp_path / "c") == {"day=19844/ts=2024-05-01T10%3A00%3A00.120": '1,2.50,"x,""y",-\n'}
    plain = "id, d, s, ts, `day`"
    assert rows(t_env, f"SELECT {plain} FROM p") == rows(t_env, f"SELECT {plain} FROM c")
    # Flink compares the elements of an array with the null literal, never the array.
    assert rows(t_env, "SELECT CARDINALITY(arr), arr[1] FROM c") == [[1, None]]
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
