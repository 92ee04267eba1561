"""Which queries Spark's real-time mode runs."""

from __future__ import annotations

import pytest

from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.job.latency_mode import latency_refusal
from kafkastream.table import DataTypes, EnvironmentSettings, TableEnvironment
from kafkastream.table.udf import udf

TOPIC = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'here:1', 'scan.startup.mode' = 'earliest-offset'"
TABLES = f"""
CREATE TABLE a (n BIGINT, s STRING, t TIMESTAMP(3), WATERMARK FOR t AS t) WITH ({TOPIC}, 'topic' = 'a', 'format' = 'json');
CREATE TABLE b (n BIGINT, s STRING) WITH ({TOPIC}, 'topic' = 'b', 'format' = 'csv');
CREATE TABLE changes (n BIGINT, s STRING) WITH ({TOPIC}, 'topic' = 'changes', 'format' = 'debezium-json');
CREATE TABLE avro (n BIGINT, s STRING) WITH ({TOPIC}, 'topic' = 'avro', 'format' = 'avro');
CREATE TABLE bounded (n BIGINT, s STRING) WITH ({TOPIC}, 'topic' = 'a', 'format' = 'json',
  'scan.bounded.mode' = 'latest-offset');
CREATE TABLE limited WITH ('properties.spark.maxOffsetsPerTrigger' = '1000') LIKE b;
CREATE TABLE made (n BIGINT, s STRING) WITH ('connector' = 'datagen');
CREATE TABLE target (n BIGINT, s STRING) WITH ({TOPIC}, 'topic' = 'target', 'format' = 'json');
CREATE TABLE stamped (n BIGINT, s STRING, w TIMESTAMP(3) METADATA FROM 'timestamp')
  WITH ({TOPIC}, 'topic' = 'target', 'format' = 'json');
CREATE TABLE placed WITH ('sink.partitioner' = 'fixed') LIKE target;
CREATE TABLE exact WITH ('sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'x') LIKE target;
CREATE TABLE counts (s STRING, n BIGINT, PRIMARY KEY (s) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'properties.bootstrap.servers' = 'here:1', 'topic' = 'counts', 'key.format' = 'raw', 'value.format' = 'json');
CREATE TABLE lines (n BIGINT, s STRING) WITH ('connector' = 'print');
"""


@pytest.fixture(scope="module")
def t_env() -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env._execute_all(TABLES)
    t_env.create_temporary_function("shout", udf(lambda text: text.upper(), result_type=DataTypes.STRING()))
    return t_env


def part(t_env: TableEnvironment, statement: str) -> JobGraph:
    statements = t_env.create_statement_set()
    statements.add_insert_sql(statement)
    plans = [t_env._planner.insert(one) for one in statements._inserts]
    (found,) = t_env._planner.graph(plans).components()
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO target SELECT n * 2, UPPER(s) FROM a WHERE n > 3 AND s LIKE 'x%'",
        "INSERT INTO target SELECT n, s FROM a UNION ALL SELECT n, s FROM b",
        "INSERT INTO changes SELECT n, s FROM a",
        "INSERT INTO target SELECT n, word FROM a CROSS JOIN UNNEST(SPLIT(s, ' ')) AS w(word)",
    ],
)
def test_queries_without_state_and_python_are_taken(t_env: TableEnvironment, statement: str) -> None:
    assert latency_refusal(part(t_env, statement)) is None


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "INSERT INTO counts SELECT s, COUNT(*) FROM a GROUP BY s",
            "operator 'GroupAggregate' of its query has state",
        ),
        ("INSERT INTO target SELECT n, shout(s) FROM a", "its query calls functions in Python"),
        ("INSERT INTO target SELECT n, s FROM avro", "the format of table 'avro' is read in Python"),
        ("INSERT INTO avro SELECT n, s FROM a", "the format of table 'avro' is written in Python"),
        ("INSERT INTO target SELECT n, s FROM bounded", "table 'bounded' is bounded"),
        ("INSERT INTO target SELECT n, s FROM limited", "table 'limited' has a limit for the records of a micro-batch"),
        ("INSERT INTO target SELECT n, s FROM made", "its query does not only read topics"),
        (
            "INSERT INTO target SELECT n, s FROM b UNION ALL SELECT n, 'x' FROM b",
            "its query reads table 'b' more than once",
        ),
        ("INSERT INTO stamped SELECT n, s, t FROM a", "table 'stamped' has timestamps of its own"),
        ("INSERT INTO placed SELECT n, s FROM a", "table 'placed' has a partitioner"),
        ("INSERT INTO exact SELECT n, s FROM a", "table 'exact' is written exactly once"),
        ("INSERT INTO lines SELECT n, s FROM a", "table 'lines' is not a topic"),
    ],
)
def test_others_stay_in_micro_batches_with_a_reason(t_env: TableEnvironment, statement: str, reason: str) -> None:
    assert latency_refusal(part(t_env, statement)) == reason
