"""Documents of the product whose options a pipeline takes, at work: Kafka in place of MySQL, and an end for each topic."""

from __future__ import annotations

import json
import re

import psycopg
import pytest

from kafkastream.errors import JobError
from kafkastream.pipeline import Pipeline
from kafkastream.testing import KafkaBroker
from kafkastream.testing.postgres import PostgresDatabase
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.test_pipelines_at_work import event
from tests.unit.cdc import test_seed_documents as of_seed

pytestmark = pytest.mark.usefixtures("spark")

TABLES = ("mydb.mytable1", "mydb.mytable2")
OBJECTS = [
    '{"col1": "db1", "col2": "t1", "id": 1, "name": "2024-05-01"}',
    '{"col1": "db1", "col2": "t2", "id": 2}',
]
CREATED = re.compile(r"CreateTableEvent.*?columns=\{(.*?)\}")
INSERTED = re.compile(r"tableId=(.*?), before=\[\], after=\[(.*?)\], op=INSERT")


def placed(text: str, kafka: KafkaBroker, topic: str, database: str = "mydb", **variables: str) -> Pipeline:
    """Return a document at work: on the tests' broker, with a database's name that no other test has."""
    text = text.replace("localhost:9092", "host:9092").replace("host:9092", kafka.bootstrap_servers)
    text = text.replace("topic: test-topic", f"topic: {topic}\n  scan.bounded.mode: latest-offset")
    text = text.replace("topic: ${kafka.topic}", f"topic: {topic}\n  scan.bounded.mode: latest-offset")
    text = text.replace("mydb", database).replace(": mytable", f": {database}-").replace(":mytable", f":{database}-")
    text += f"\npipeline: {{name: {topic}, parallelism: 1}}\n" if "pipeline:" not in text else ""
    known = {**of_seed.VARIABLES, "kafka.bootstraps.server": kafka.bootstrap_servers, **variables}
    return Pipeline.from_text(text, known)


def test_tables_of_json_documents(
    kafka: KafkaBroker, topic: str, new_topic: NewTopic, capfd: pytest.CaptureFixture[str]
) -> None:
    kafka.produce(topic, OBJECTS)

    def found(text: str, source: str = topic) -> tuple[list[str], list[str]]:
        """Run a document, and return the columns of its tables and their rows, as they are printed."""
        capfd.readouterr()
        placed(text, kafka, source).run()
        printed = capfd.readouterr().out.replace("`", "")
        return CREATED.findall(printed), [f"{table}: {row}" for table, row in INSERTED.findall(printed)]

    assert found(of_seed.TABLE_IDS + of_seed.SINK) == (
        ["col1 STRING,col2 STRING,id BIGINT,name DATE", "col1 STRING,col2 STRING,id BIGINT"],
        ["db1.t1: db1, t1, 1, 2024-05-01", "db1.t2: db1, t2, 2"],
    )
    table_ids = "  json.decode.parser-table-id.fields: col1,col2\n"
    assert found(of_seed.DDLS + table_ids + of_seed.SINK) == (
        ["id BIGINT,name VARCHAR(10),col1 STRING,col2 STRING", "id BIGINT,col1 STRING,col2 STRING"],
        ["db1.t1: 1, 2024-05-01, db1, t1", "db1.t2: 2, db1, t2"],
    )
    assert found(of_seed.FIXED + of_seed.SINK) == (
        ["col1 STRING,col2 STRING,id BIGINT,name VARCHAR(10)"],
        [f"{topic}: db1, t1, 1, 2024-05-01", f"{topic}: db1, t2, 2, null"],
    )

    dirty = new_topic()
    kafka.produce(dirty, ["{", '{"key1": 1, "key2": 2, "name": "ink"}', "[]"])
    with pytest.raises(JobError, match="2 records could not be read, more than the 1"):
        found(of_seed.TOLERANT.replace("1000", "1") + of_seed.SINK, dirty)
    logged = of_seed.ALL_TOLERANT + of_seed.SINK + of_seed.KEYS + of_seed.LOGGED
    assert found(logged, dirty) == (
        ["key1 BIGINT NOT NULL,key2 BIGINT NOT NULL,name STRING"],
        [f"{dirty}: 1, 2, ink"],
    )


def test_topics_and_the_tables_in_their_messages(kafka: KafkaBroker, topic: str) -> None:
    database = topic.rsplit("-", 1)[-1]
    tables = [table.replace("mydb", database) for table in TABLES]
    kafka.produce(topic, [event("c", table, {"id": 1}) for table in tables])

    def written(text: str, *topics: str, **variables: str) -> list[list[str]]:
        """Run a document, and return the tables that the messages of each topic name."""
        placed(text, kafka, topic, database, **variables).run()
        found = [[json.loads(one.value or b"")["source"] for one in kafka.consume(name)] for name in topics]
        for name in topics:
            kafka.delete_topic(name)
        return [[".".join(filter(None, (source["db"], source["table"]))) for source in of_one] for of_one in found]

    assert written(of_seed.DOCUMENTS["no mapping"], *tables) == [[table] for table in tables]
    assert written(of_seed.GROUPED_SYNTAX, *tables) == [[table] for table in tables]
    routed, target = of_seed.KAFKA + of_seed.ROUTED_BY_VARIABLES, f"{database}-ods"
    variables = {"mysql.source.table": ",".join(tables), "kafka.topic": target}
    assert written(routed, target, **variables) == [[target] * 2]
    routed = of_seed.KAFKA + of_seed.INDENTED_ROUTE
    assert written(routed, f"{database}-1") == [[f"{database}-1"] * 2]
    for name in ("mapped", "mapped one by one"):
        assert written(of_seed.DOCUMENTS[name], f"{database}-") == [tables]


def test_into_hologres(kafka: KafkaBroker, topic: str, postgres_database: PostgresDatabase) -> None:
    kafka.produce(topic, [event("c", "shop.orders", {"id": 1, "note": "ink"})])
    text = of_seed.INTO_HOLOGRES.replace("<yourEndpoint>", f"{postgres_database.host}:{postgres_database.port}")
    text = text.replace("<yourDbname>", postgres_database.database)
    text = text.replace("${secret_values.ak_id}", postgres_database.user)
    text = text.replace("${secret_values.ak_secret}", postgres_database.password)
    placed(text, kafka, topic).run()
    with psycopg.connect(postgres_database.url) as connection:
        assert connection.execute("SELECT * FROM shop.orders").fetchall() == [(1, "ink")]
