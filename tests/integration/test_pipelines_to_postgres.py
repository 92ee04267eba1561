"""Pipelines into a real PostgreSQL: tables follow their records, and each row is right once."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import attrs
import psycopg
import pytest

from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.postgres_sink import PostgresSink
from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.cdc.spec.settings import KafkaCollector
from kafkastream.errors import JobError, KafkaError
from kafkastream.spark.job.pipelines import start
from kafkastream.testing import EmbeddedPostgres, KafkaBroker, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.test_pipelines_at_work import event, settings, source

pytestmark = pytest.mark.usefixtures("spark")


def rows(server: EmbeddedPostgres, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(server.url) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture
def schema(postgres: EmbeddedPostgres, topic: str) -> str:
    return topic.rsplit("-", 1)[-1]


def pipeline(kafka: KafkaBroker, topic: str, server: EmbeddedPostgres, folder: Path, **options: Any) -> PipelineSpec:
    return PipelineSpec(
        source=source(kafka, topic),
        sink=PostgresSink.of_url(server.url),
        transforms=(TransformRule(source_table=r"\.*.orders", primary_keys=("id",)),),
        settings=settings(topic, configuration={"execution.checkpointing.dir": folder.as_uri()}, **options),
    )


def test_tables_follow_the_records(
    kafka: KafkaBroker, topic: str, postgres: EmbeddedPostgres, schema: str, tmp_path: Path
) -> None:
    orders = f"{schema}.orders"

    def run(*records: str) -> list[tuple[Any, ...]]:
        kafka.produce(topic, list(records))
        start(pipeline(kafka, topic, postgres, tmp_path)).wait()
        return rows(postgres, f'SELECT * FROM "{schema}".orders ORDER BY 1')

    first = [event("c", orders, {"id": number, "note": f"n{number}"}) for number in (1, 2, 3)]
    assert run(*first) == [(1, "n1"), (2, "n2"), (3, "n3")]
    assert run(
        event("u", orders, {"id": 1, "note": "ink", "price": 2}, {"id": 1, "note": "n1"}),
        event("d", orders, before={"id": 2, "note": "n2"}),
    ) == [(1, "ink", 2), (3, "n3", None)]
    assert run(event("c", orders, {"id": 4, "price": 2.5})) == [(1, "ink", 2.0), (3, "n3", None), (4, None, 2.5)]
    assert run() == [(1, "ink", 2.0), (3, "n3", None), (4, None, 2.5)]


def test_a_task_that_fails_has_written_nothing(
    kafka: KafkaBroker, topic: str, postgres: EmbeddedPostgres, schema: str, tmp_path: Path
) -> None:
    table = f"{schema}.log"
    kafka.produce(topic, [event("c", table, {"text": "a"}), event("d", table, before={"text": "a"})])
    with pytest.raises(JobError, match="without primary key cannot take DELETE"):
        start(pipeline(kafka, topic, postgres, tmp_path)).wait()
    assert rows(postgres, f'SELECT * FROM "{schema}".log') == []


def test_a_password_is_in_no_error(kafka: KafkaBroker, topic: str, postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1})])
    sink = PostgresSink(
        hostname=postgres.host, port=postgres.port, database="no_such", username=postgres.user, password="s3cret-pw"
    )
    spec = PipelineSpec(source=source(kafka, topic), sink=sink, settings=settings(topic))
    with pytest.raises(JobError) as failure:
        start(spec).wait()
    assert "s3cret-pw" not in str(failure.value)


def test_names_with_quotes_and_a_thousand_columns(
    kafka: KafkaBroker, topic: str, postgres: EmbeddedPostgres, schema: str, tmp_path: Path
) -> None:
    row = {"id": 1, **{f'the "{number}", it\'s `{number}`': number for number in range(1000)}}
    kafka.produce(topic, [event("c", f"{schema}.orders", row)])
    start(pipeline(kafka, topic, postgres, tmp_path)).wait()
    assert rows(postgres, f'SELECT * FROM "{schema}".orders') == [tuple(row.values())]


def test_records_name_no_table_of_the_database_or_of_kafkastream(
    kafka: KafkaBroker, topic: str, new_topic: NewTopic, postgres: EmbeddedPostgres, schema: str, tmp_path: Path
) -> None:
    own = f"100%s {schema}"
    marker = {"job": "j", "topic": topic, "partition": 0, "reached": 0, "writer": "w"}
    hostile: dict[str, dict[str, Any]] = {
        f"{own}.kafkastream_progress": marker,
        "pg_catalog.pg_authid": {"rolname": "eve", "rolsuper": True},
        "information_schema.sql_features": {"feature_id": "x"},
        f"{own}.{'x' * 64}": {"id": 1},
        f"{own}.a\0b": {"id": 1},
        f"{own}.orders": {"id": 1, "ctid": 1},
        f"{own}.log": {"": 1},
    }
    good = [event("c", f"{own}.orders", {"id": number}) for number in range(2)]
    kafka.produce(topic, [good[0], *(event("c", table, row) for table, row in hostile.items()), good[1]])
    dead = new_topic(1)
    spec = attrs.evolve(
        pipeline(kafka, topic, postgres, tmp_path, dirty_data_collector=KafkaCollector(dead)),
        source=source(kafka, topic, ignores_errors=True),
        sink=PostgresSink.of_url(postgres.url, schema=own),
    )
    for _ in range(2):
        start(spec).wait()
    assert rows(postgres, f'SELECT id FROM "{own}".orders ORDER BY 1') == [(0,), (1,)]
    assert rows(postgres, f'SELECT topic, reached FROM "{own}".kafkastream_progress') == [(topic, len(hostile) + 2)]
    assert rows(postgres, "SELECT rolname FROM pg_authid WHERE rolname = 'eve'") == []
    reasons = [str(dict(letter.headers)["kafkastream.error.reason"]) for letter in kafka.consume(dead)]
    assert len(reasons) == len(hostile)
    assert "kafkastream_progress' is reserved" in reasons[0]


def test_a_database_may_be_away_for_a_while(kafka: KafkaBroker, topic: str, tmp_path: Path) -> None:
    with EmbeddedPostgres() as server:
        spec = pipeline(kafka, topic, server, tmp_path)
        job = start(attrs.evolve(spec, source=source(kafka, topic, ends=False)))
        kafka.produce(topic, [event("c", "shop.orders", {"id": 1})])
        wait_until(lambda: is_there(server, "SELECT 1 FROM shop.orders"), 60, "the first row")
        server.stop(keep_data=True)
        kafka.produce(topic, [event("c", "shop.orders", {"id": number}) for number in (2, 3)])
        kafka.produce(topic, [event("c", "shop.orders", {"id": 4, "note": "ink"})])
        with socket.create_server((server.host, server.port)) as listener:
            listener.settimeout(60)
            listener.accept()[0].close()  # the job misses the database
        server.start()
        wait_until(lambda: is_there(server, "SELECT 1 FROM shop.orders WHERE note = 'ink'"), 60, "the last row")
        job.cancel().result(60)
        expected = [(1, None), (2, None), (3, None), (4, "ink")]
        assert rows(server, "SELECT * FROM shop.orders ORDER BY id") == expected


def is_there(server: EmbeddedPostgres, query: str) -> bool:
    try:
        return bool(rows(server, query))
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
        return False


def test_topic_that_is_made_again_loses_nothing_to_the_markers_of_the_old_one(
    kafka: KafkaBroker, topic: str, postgres: EmbeddedPostgres, schema: str, tmp_path: Path
) -> None:
    orders = f"{schema}.orders"
    spec = pipeline(kafka, topic, postgres, tmp_path)
    kafka.produce(topic, [event("c", orders, {"id": number}) for number in (1, 2, 3)])
    start(spec).wait()
    kafka.delete_topic(topic)
    kafka.create_topic(topic, 1)
    kafka.produce(topic, [event("c", orders, {"id": 9})])
    with pytest.raises(KafkaError, match=f"{topic}-0 holds offsets 0 to 1, read is 3"):
        start(spec).wait()
    start(tolerant(spec)).wait()
    assert rows(postgres, f'SELECT id FROM "{schema}".orders ORDER BY 1') == [(1,), (2,), (3,), (9,)]


def test_topic_that_is_made_again_beside_a_running_pipeline_is_written_from_its_first_record(
    kafka: KafkaBroker,
    topic: str,
    postgres: EmbeddedPostgres,
    schema: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    orders, ids = f"{schema}.orders", f'SELECT id FROM "{schema}".orders ORDER BY 1'
    spec = attrs.evolve(pipeline(kafka, topic, postgres, tmp_path), source=source(kafka, topic, ends=False))
    kafka.produce(topic, [event("c", orders, {"id": number}) for number in (1, 2, 3)])
    job = start(tolerant(spec))
    wait_until(lambda: is_there(postgres, f"{ids} OFFSET 2"), 60, "the first records")
    kafka.delete_topic(topic)
    kafka.create_topic(topic, 1)
    wait_until(lambda: "was deleted or created again" in caplog.text, 60, "the loss to be seen")
    kafka.produce(topic, [event("c", orders, {"id": number}) for number in (7, 8)])
    wait_until(lambda: is_there(postgres, f"{ids} OFFSET 4"), 60, "the records of the new topic")
    job.cancel().result(60)
    assert rows(postgres, ids) == [(1,), (2,), (3,), (7,), (8,)]


def tolerant(spec: PipelineSpec) -> PipelineSpec:
    """Return a pipeline that goes on where records are lost."""
    assert isinstance(spec.source, KafkaPipelineSource)
    kept = spec.source.source
    changed = attrs.evolve(kept, properties={**kept.properties, "spark.failOnDataLoss": "false"})
    return attrs.evolve(spec, source=attrs.evolve(spec.source, source=changed))
