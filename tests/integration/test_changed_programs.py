"""Each row of docs/restarting.md: a program that has changed since its checkpoint continues, or is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kafkastream.cli import main
from kafkastream.common import Configuration, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.spark.checkpoint.record import FORMAT
from kafkastream.table import StreamTableEnvironment
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.changed_streams import ACCEPTED, DROPPED, REFUSED, Change, ChangedStreams, outputs
from tests.integration.conftest import Parts


class Program:
    """A job of several queries, which may be changed: its sources read topics of their own."""

    def __init__(self, parts: Parts, new_topic: NewTopic, checkpoints: Path) -> None:
        self.parts = parts
        self.prefix = new_topic()
        self.checkpoints = checkpoints
        self.topics = {name: new_topic() for name in "abcdefg"}
        self.out = new_topic(config={"message.timestamp.type": "LogAppendTime"})  # as Spark itself could copy to

    def environment(self, **settings: str) -> StreamExecutionEnvironment:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(1)
        env.enable_checkpointing(100).get_checkpoint_config().set_checkpoint_storage_dir(self.checkpoints.as_uri())
        configuration = Configuration()
        for key, value in settings.items():
            configuration.set_string(key, value)
        env.configure(configuration)
        return env

    def build(self, change: Change) -> StreamExecutionEnvironment:
        env = self.environment(**change.get("settings", {}))
        ChangedStreams(self.parts.endless, self.parts.sink(self.out), self.topics).build(env, change)
        return env

    def run(self, change: Change, expected: list[str]) -> None:
        """Run it until the output topic has just this."""
        client = self.build(change).execute_async(change.get("job", "changing"))
        ended = client.get_job_execution_result()
        try:
            wait_until(
                lambda: ended.done() or len(self.parts.kafka.consume(self.out)) >= len(expected), 120, "the output"
            )
            if ended.done():
                ended.result()
        finally:
            client.cancel().result(60)
        assert self.parts.values(self.out) == sorted(expected)

    def produce(self, topics: str, text: str) -> None:
        for topic in topics:
            self.parts.kafka.produce(self.topics[topic], [f"{topic}{text}"])


@pytest.fixture
def program(spark: Any, parts: Parts, new_topic: NewTopic, tmp_path: Path) -> Program:
    return Program(parts, new_topic, tmp_path)


def test_streams_that_have_changed(program: Program, tmp_path: Path) -> None:
    program.produce("abcefg", "1")
    first = [*outputs("1"), "count:g1 1"]
    program.run({}, first)
    (folder,) = tmp_path.iterdir()
    for name, (change, message) in REFUSED.items():
        with pytest.raises(DefinitionError, match=re.compile(message, re.DOTALL)):
            program.build(change).execute_async("changing")
        assert not (folder / "owner.json").exists(), name
    program.produce("abcdefg", "2")
    both = [*first, *outputs("2", added="cd"), "count:g2 2"]
    program.run(ACCEPTED, both)
    shown = CliRunner().invoke(main, ["checkpoint", str(tmp_path)], env={"COLUMNS": "200"}).output
    for line in (
        r"Job 'changing'",
        rf"folder {folder}, format {FORMAT}, started last with kafkastream \S+, pyspark \S+",
        r"Query source-c: next micro-batch \d+",
        rf"'source d' +topics {program.topics['d']} +{program.topics['d']}-0: 1",
        r"count +- +keys of",
    ):
        assert re.search(line, shown), (line, shown)
    program.produce("abcdefg", "3")
    program.topics["b"] = program.topics["a"]
    last = [one for one in outputs("3", added="cd") if one != "union:b3"]
    program.run(DROPPED, [*both, *last, "count:g3 3"])


def test_jobs_have_folders_of_their_own_whatever_their_names(program: Program, tmp_path: Path) -> None:
    """Each starts twice: a restart deletes what no source claims, which once was the parent of a source called ``..``."""
    jobs = {"job 1": "in", "job/1": "in", "..": "..", ".": "job.json", "neighbor": "../.."}
    for number, (job, source) in enumerate([*jobs.items(), *jobs.items()]):
        program.produce("a", f" {number}")
        env = program.environment()
        stream = env.from_source(program.parts.bounded(program.topics["a"]), WatermarkStrategy.no_watermarks(), source)
        stream.sink_to(program.parts.sink(program.out))
        env.execute(job)
    folders = [folder for folder in tmp_path.iterdir() if (folder / "job.json").is_file()]
    assert len(folders) == len(jobs) == len(list(tmp_path.iterdir()))
    count = len(jobs)
    assert sorted(map(str, program.parts.values(program.out))) == sorted(
        f"a {number}" for job in range(count) for number in range(2 * count) if number <= count + job
    )


def test_programs_without_a_name_of_their_own_are_told_apart(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(script: str) -> None:
        monkeypatch.setattr("sys.argv", [script])
        env = program.environment()
        stream = env.from_source(program.parts.bounded(program.topics["a"]), WatermarkStrategy.no_watermarks(), "in")
        stream.sink_to(program.parts.sink(program.out))
        env.execute()

    program.produce("a", "1")
    run("/jobs/first.py")
    with pytest.raises(DefinitionError, match=r"made by 'first\.py', and this is 'second\.py'"):
        run("/jobs/second.py")
    run("/moved/first.py")
    assert program.parts.values(program.out) == ["a1"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda file: file.write_text(file.read_text().replace(f'"format": {FORMAT}', '"format": 99')),
            "has format 99",
        ),
        (lambda file: file.write_text(file.read_text()[:40]), r"job\.json of the checkpoint folder cannot be read"),
        (lambda file: file.unlink(), r"has no job\.json"),
        (lambda file: file.write_text(file.read_text().replace('"spoiled"', '"other"')), "belongs to job 'other'"),
        (
            lambda file: file.write_text(file.read_text().replace('"in"', '".."', 1)),
            r"folder '\.\.' of a query lies outside",
        ),
    ],
    ids=["newer format", "half written", "before formats", "of another job", "of the parent"],
)
def test_folders_that_cannot_be_gone_on_with(
    program: Program, tmp_path: Path, spoil: Callable[[Path], Any], message: str
) -> None:
    folder = tmp_path / "spoiled"
    record = {
        "format": FORMAT,
        "job": "spoiled",
        "parts": [{"folder": "in", "sources": [{"key": "in", "name": "in", "reads": "topics a"}]}],
    }
    folder.mkdir()
    (folder / "in.extents.json").write_text("{}")
    (folder / "job.json").write_text(json.dumps(record, indent=1))
    spoil(folder / "job.json")
    env = program.environment()
    env.from_source(program.parts.bounded(program.topics["a"]), WatermarkStrategy.no_watermarks(), "in").print()
    with pytest.raises(DefinitionError, match=message):
        env.execute("spoiled")


QUERY = "INSERT INTO totals SELECT customer, SUM({column}) FROM {table} {where} GROUP BY customer"


def test_queries_that_have_changed(program: Program, parts: Parts, spark: Any) -> None:
    def run(query: str, table: str = "orders", seen: int = 0, added: str = "") -> None:
        env = program.environment()
        t_env = StreamTableEnvironment.create(env)
        t_env.get_config().set("pipeline.name", "totals")
        orders = program.topics["a"]
        servers = f"'properties.bootstrap.servers' = '{parts.kafka.bootstrap_servers}'"
        t_env.execute_sql(
            f"CREATE TABLE {table} ({added} customer STRING, v INT, w INT) WITH ('connector' = 'kafka', {servers}, 'topic' = '{orders}',"
            "'format' = 'json', 'scan.startup.mode' = 'earliest-offset')"
        )
        t_env.execute_sql(
            "CREATE TABLE totals (customer STRING, total INT, PRIMARY KEY (customer) NOT ENFORCED) WITH ("
            f"'connector' = 'upsert-kafka', {servers}, 'topic' = '{program.out}', 'key.format' = 'json', "
            "'value.format' = 'json')"
        )
        client = t_env.execute_sql(query).get_job_client()
        assert client is not None
        try:
            wait_until(lambda: len(parts.kafka.consume(program.out)) >= seen, 120, "the totals")
        finally:
            client.cancel().result(60)

    def order(v: int, w: int) -> None:
        parts.kafka.produce(program.topics["a"], [json.dumps({"customer": "ann", "v": v, "w": w})])

    order(1, 10)
    run(QUERY.format(column="v", table="orders", where=""), seen=1)
    for changed, message in (
        (QUERY.format(column="w", table="orders", where=""), r"SUM|Project"),
        (QUERY.format(column="v", table="orders", where="WHERE w > 5"), r"WHERE"),
    ):
        with pytest.raises(DefinitionError, match=r"does not fit the operator's current computation") as refused:
            run(changed)
        assert re.search(message, str(refused.value))
    order(2, 20)
    run(QUERY.format(column="v", table="renamed_orders", where=""), "renamed_orders", seen=2, added="note STRING,")
    totals = [json.loads(record.value)["total"] for record in parts.kafka.consume(program.out) if record.value]
    assert totals == [1, 3]
