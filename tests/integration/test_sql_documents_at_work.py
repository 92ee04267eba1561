"""The examples of the documents about Flink's Kafka tables run as they are written there, and give what is shown there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kafkastream.errors import BrokerUnreachableError, DefinitionError, DeserializationError, UnsupportedFeatureError
from kafkastream.kafka.groups import Group
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.table import EnvironmentSettings, TableEnvironment, TableResult
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENTS = Path(__file__).parents[1] / "unit" / "sql" / "documents"
ORDERS, CHANGED = ((DOCUMENTS / name).read_text().splitlines() for name in ("orders.jsonl", "changed_orders.jsonl"))
PRINTED = [
    "+I[202303251202020001, miniAppShop, 2023-03-25 12:02:02, 60.0, 60.0, 2023-03-25 12:03:00, 0002, Bob, 330110]",
    "+I[202303251505050001, appshop, 2023-03-25 15:05:05, 500.0, 400.0, 2023-03-25 15:10:00, 0003, Cindy, 330108]",
    "-U[202303251202020001, miniAppShop, 2023-03-25 12:02:02, 60.0, 60.0, 2023-03-25 12:03:00, 0002, Bob, 330110]",
    "+U[202303251202020001, miniAppShop, 2023-03-25 12:02:02, 60.0, 60.0, 2023-03-25 12:03:00, 0002, Bob, 330111]",
]
START, END = "'scan.startup.mode' = '{}'", "'scan.bounded.mode' = '{}'"
FOR_EVER = {"retention.ms": "-1"}
"""For records whose time is that of an example."""
WHOLE = f"{START.format('earliest-offset')}, {END.format('latest-offset')}"


def examples(document: str, first: int, count: int = 1) -> list[str]:
    """Statements of a document."""
    return (DOCUMENTS / document).read_text().strip().split("\n\n")[first : first + count]


def filled(statement: str, broker: KafkaBroker, topics: Mapping[str, str], group: str = "") -> str:
    """The statement with a broker's address, with topics for those that it names, and with another consumer group."""
    topic = re.sub(r"(?<='topic' = )'(\S+)'", lambda found: f"'{topics[found[1]]}'", statement)
    servers = re.sub(r"(?<='properties.bootstrap.servers' = )'.*?'", f"'{broker.bootstrap_servers}'", topic)
    return re.sub(r"(?<='properties.group.id' = )'.*?'", f"'{group}'", servers)


def completed(number: int, broker: KafkaBroker, topic: str) -> str:
    """An example that leaves columns and options out, with them; its source has an end."""
    (statement,) = examples("kafka_left_out.sql", number)
    columns, _, options = statement.partition(") WITH (")
    added = f"'topic' = '{topic}', 'properties.bootstrap.servers' = '{broker.bootstrap_servers}', {WHOLE}"
    if "'key.format'" not in options and "'format'" not in options:
        added += ", 'format' = 'json'"
    given = re.sub(r"\.\.\.(\s*\))?", lambda found: f"{added}{found[1] or ','}", options)
    return f"{columns.replace('...', '`message` STRING')}) WITH ({given}"


def written(order: str) -> str:
    """What a JSON table writes of an order: its amounts are numbers, where the documents show texts."""
    return re.sub(r'"(\d+)\.00"', r"\1.0", order).replace(", ", ",")


def values(broker: KafkaBroker, topic: str, count: int = 0) -> list[str]:
    return [(record.value or b"").decode() for record in broker.consume(topic, count=count)]


def shown(timestamp_ms: int) -> str:
    """A time as JSON has it: SQL's, without zeros at its end."""
    return f"{datetime.fromtimestamp(timestamp_ms // 1000, timezone.utc):%Y-%m-%d %H:%M:%S}.{timestamp_ms % 1000:03}".rstrip(
        "0"
    )


def environment() -> TableEnvironment:
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "1").set("table.local-time-zone", "UTC")
    return made


@pytest.fixture
def t_env(spark: SparkSession) -> TableEnvironment:
    return environment()


def read(t_env: TableEnvironment, queries: Mapping[str, str]) -> dict[str, list[Sequence[str | None]]]:
    """The rows of queries that have one array of texts each, sorted; one job reads them all."""
    rows: dict[str, list[Sequence[str | None]]] = {name: [] for name in queries}
    query = " UNION ALL ".join(f"SELECT '{name}', {query}" for name, query in queries.items())
    with t_env.execute_sql(query).collect() as found:
        for name, row in found:
            rows[name].append(row)
    return {name: sorted(values, key=str) for name, values in rows.items()}


Run = Callable[[list[str]], None]


@pytest.fixture
def run(spark: SparkSession, new_topic: NewTopic) -> Iterator[Run]:
    """Executes statements in an environment of their own, whose last one starts a job; the jobs end before their topics."""
    started: list[TableResult] = []

    def execute(statements: list[str]) -> None:
        own = environment()
        started.append([own.execute_sql(statement) for statement in statements][-1])

    yield execute
    for job in [result.get_job_client() for result in started]:
        assert job is not None
        job.cancel().result(60)


def test_jobs(run: Run, kafka: KafkaBroker, new_topic: NewTopic, capsys: pytest.CaptureFixture[str]) -> None:
    orders, copies, described, changed, latest, upserts, users, same_users = (new_topic() for _ in range(8))
    messages = new_topic(partitions=3, config={"message.timestamp.type": "LogAppendTime"})
    kafka.produce(orders, ["not read: it was there before"])
    kafka.produce(users, ["0,not read,0", '1,"Ann, or Anna",21'])
    Group({"bootstrap.servers": kafka.bootstrap_servers, "group.id": users}).commit({TopicPartition(users, 0): 1})

    def runs(document: str, first: int, count: int, **topics: str) -> None:
        run([filled(one, kafka, topics, users) for one in examples(document, first, count)])

    runs("kafka.sql", 0, 3, SourceKafkaTopic=messages, SinkKafkaTopic=described)
    runs("kafka.sql", 3, 3, KafkaSourceTopic=orders, KafkaSinkTopic=copies)
    runs("upsert_kafka.sql", 0, 3, KafkaTopic=upserts)
    source, sink, insert = examples("upsert_kafka.sql", 3, 3)
    run([filled(source, kafka, {"KafkaTopic": changed}, users), filled(sink, kafka, {"KafkaTopic": latest}), insert])
    runs("kafka_and_sync.sql", 1, 3, source=users, sink=same_users)

    kafka.produce(messages, [Record(order, partition=place) for place, order in enumerate(ORDERS)])
    kafka.produce(orders, ORDERS)
    kafka.produce(upserts, [Record(order, key=order[13:31]) for order in CHANGED])
    kafka.produce(changed, CHANGED)
    kafka.produce(users, ["2,Bob,22"])

    assert values(kafka, copies, 3) == list(map(written, ORDERS))
    assert sorted(values(kafka, described, 3)) == [
        f'{{"topic":"{messages}","partition":{record.partition},"headers":{{}},"leader-epoch":null,"offset":0,'
        f'"timestampType":"LogAppendTime","event_time":"{shown(record.timestamp_ms)}",'
        f'"message":"{escaped(order)}"}}'
        for record, order in zip(kafka.consume(messages), ORDERS, strict=True)
    ]
    assert [(record.key, record.value) for record in kafka.consume(latest, count=3)] == [
        (order[13:31].encode(), written(order).encode()) for order in CHANGED
    ]
    assert values(kafka, same_users, 2) == ['1,"Ann, or Anna",21', "2,Bob,22"]
    lines: list[str] = []

    def are_printed() -> bool:
        lines.extend(capsys.readouterr().out.splitlines())
        return len(lines) >= len(PRINTED)

    wait_until(are_printed, 30, "four printed rows")
    assert lines == PRINTED


def escaped(text: str) -> str:
    return text.replace('"', '\\"')


USER = "ARRAY[CAST(ts AS STRING), CAST(user_id AS STRING), CAST(item_id AS STRING), behavior]"
CHANGES = {
    "debezium-json": '{"before":null,"after":{"id":1,"name":"a"},"op":"c"}',
    "canal-json": '{"data":[{"id":"1","name":"a"}],"type":"INSERT"}',
    "maxwell-json": '{"data":{"id":1,"name":"a"},"type":"insert"}',
}


def test_formats_keys_and_values(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topics = [new_topic(config=FOR_EVER) for _ in range(3)]
    for number, topic in enumerate(topics):
        t_env.execute_sql(f"CREATE DATABASE d{number}")
        t_env.execute_sql(f"USE d{number}")
        t_env.execute_sql(completed(number, kafka, topic))
    t_env.execute_sql(
        """
        EXECUTE STATEMENT SET BEGIN
          INSERT INTO d0.KafkaTable VALUES (TIMESTAMP '2024-05-01 10:00:00.123', 1, 10, 'buy');
          INSERT INTO d1.KafkaTable VALUES (TIMESTAMP '2024-05-01 10:00:00.123', 1, 10, 'buy');
          INSERT INTO d2.KafkaTable VALUES (7, 1, 10, 8, 'buy');
        END
        """
    ).wait()
    plain, keyed, prefixed = (kafka.consume(topic)[0] for topic in topics)
    whole, stamp_ms = b'{"user_id":1,"item_id":10,"behavior":"buy"}', 1714557600123
    assert (plain.key, plain.value, plain.timestamp_ms) == (None, whole, stamp_ms)
    assert (keyed.key, keyed.value, keyed.timestamp_ms) == (b'{"user_id":1,"item_id":10}', whole, stamp_ms)
    assert prefixed.key == b'{"version":7,"user_id":1,"item_id":10}'
    assert prefixed.value == b'{"version":8,"behavior":"buy"}'

    kafka.produce(topics[0], ["no JSON", Record('{"user_id":"x","item_id":"11"}', timestamp_ms=1000)])
    kafka.produce(topics[1], [Record('{"user_id":2}', '{"user_id":1}', timestamp_ms=1000), Record(whole, "no JSON")])
    t_env.execute_sql("USE default_database")
    csv, nested = new_topic(config=FOR_EVER), new_topic()
    kafka.produce(csv, [Record('543,11,"a ""b"""', timestamp_ms=1000)])
    kafka.produce(nested, ['{"id":1,"name":"n","properties":{"engine":"e","owner":"o"}}'])
    for place in (0, 9):
        (table,) = examples("kafka_and_sync.sql", place)
        t_env.execute_sql(filled(table, kafka, {"user_behavior": csv, "xxx": nested}, csv))
    changes = {f"d{number}.changes": format_ for number, format_ in enumerate(CHANGES)}
    for name, format_ in changes.items():
        topic = new_topic()
        kafka.produce(topic, [CHANGES[format_], "no JSON", '{"type":"ALTER"}'])
        t_env.execute_sql(
            f"""
            CREATE TABLE {name} (id INT, name STRING) WITH (
              'connector' = 'kafka', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', 'topic' = '{topic}',
              'format' = '{format_}', '{format_}.ignore-parse-errors' = 'true', {WHOLE}
            )
            """
        )
    stamp, ended = "2024-05-01 10:00:00.123", f"/*+ OPTIONS({END.format('latest-offset')}) */"
    version = "CAST(k_version AS STRING), CAST(k_user_id AS STRING), CAST(version AS STRING)"
    assert read(
        t_env,
        {
            "plain": f"{USER} FROM d0.KafkaTable",
            "keyed": f"{USER} FROM d1.KafkaTable",
            "prefixed": f"ARRAY[{version}, behavior] FROM d2.KafkaTable",
            "csv": f"{USER} FROM KafkaTable {ended}",
            "nested": f"ARRAY[id, name, properties.`owner`, properties.engine] FROM kafka_source {ended}",
            **{format_: f"ARRAY[CAST(id AS STRING), name] FROM {name}" for name, format_ in changes.items()},
        },
    ) == {
        "plain": [["1970-01-01 00:00:01.000", None, "11", None], [stamp, "1", "10", "buy"]],
        "keyed": [["1970-01-01 00:00:01.000", "2", None, None], [stamp, "1", "10", "buy"]],
        "prefixed": [["7", "1", "8", "buy"]],
        "csv": [["1970-01-01 00:00:01.000", "543", "11", 'a "b"']],
        "nested": [["1", "n", "o", "e"]],
        **{format_: [["1", "a"]] for format_ in CHANGES},
    }


def test_positions_topics_and_headers(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic, other = new_topic(2, FOR_EVER), new_topic(config=FOR_EVER)
    headers = [("depart", "toy")], [("depart", "book"), ("env", "test")], [("depart", "toy"), ("env", "test")]
    places = [(partition, offset) for partition in range(2) for offset in range(3)]
    records = [
        Record(f'{{"message":"{one}{place}"}}', f"k{one}{place}", headers[place], one, (place + 1) * 1000)
        for one, place in places
    ]
    kafka.produce(topic, records)
    kafka.produce(other, [Record('{"message":"0"}', timestamp_ms=1000)])
    for group, offsets in {topic: {0: 1, 1: 2}, other: {0: 2}}.items():
        committed = {TopicPartition(topic, partition): offset for partition, offset in offsets.items()}
        Group({"bootstrap.servers": kafka.bootstrap_servers, "group.id": group}).commit(committed)
    t_env.execute_sql(completed(3, kafka, topic))
    t_env.execute_sql(
        f"""
        CREATE TABLE many WITH (
          'connector' = 'kafka', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}', 'format' = 'json',
          'topic-pattern' = '{topic[:-1]}.|{other}', {WHOLE}
        ) LIKE kafka_source (EXCLUDING OPTIONS)
        """
    )
    t_env.execute_sql("CREATE TABLE raw_keys (k STRING METADATA FROM '__raw_key__') LIKE kafka_source")
    group = f"{START.format('group-offsets')}, 'properties.group.id'"
    specific = "specific-offsets' = 'partition:0,offset:2;partition:1,offset:1'"
    hints = {
        "earliest": START.format("earliest-offset"),
        "latest": START.format("latest-offset"),
        "group": f"{group} = '{topic}'",
        "group or earliest": f"{group} = '{other}', 'properties.auto.offset.reset' = 'earliest'",
        "group or latest": f"{group} = '{other}', 'properties.auto.offset.reset' = 'latest'",
        "timestamp": f"{START.format('timestamp')}, 'scan.startup.timestamp-millis' = '2001'",
        "specific": f"{START.format('specific-offsets')}, 'scan.startup.{specific}",
        "to group": f"{END.format('group-offsets')}, 'properties.group.id' = '{topic}'",
        "to timestamp": f"{END.format('timestamp')}, 'scan.bounded.timestamp-millis' = '2000'",
        "to specific": f"{END.format('specific-offsets')}, 'scan.bounded.{specific}",
        "headers": "'scan.header-filter' = 'depart:toy|depart:book&!env:test'",
        "two topics": f"'topic' = '{topic};{other}'",
    }
    metadata = "ARRAY[record_topic, CAST(ts AS STRING), CAST(record_offset AS STRING), message]"
    rows = read(
        t_env,
        {
            **{name: f"ARRAY[message] FROM kafka_source /*+ OPTIONS({hint}) */" for name, hint in hints.items()},
            "metadata": f"{metadata} FROM many WHERE message IN ('0', '12')",
            "raw key": "ARRAY[k] FROM raw_keys WHERE message = '01'",
        },
    )
    whole = ["00", "01", "02", "10", "11", "12"]
    assert rows.pop("metadata") == sorted(
        [[other, "1970-01-01 00:00:01.000", "0", "0"], [topic, "1970-01-01 00:00:03.000", "2", "12"]]
    )
    assert {name: [text for (text,) in found] for name, found in rows.items()} == {
        "earliest": whole,
        "latest": [],
        "group": ["01", "02", "12"],
        "group or earliest": ["02", "10", "11", "12"],
        "group or latest": ["02"],
        "timestamp": ["02", "12"],
        "specific": ["02", "11", "12"],
        "to group": ["00", "10", "11"],
        "to timestamp": ["00", "10"],
        "to specific": ["00", "01", "10"],
        "headers": ["00", "10"],
        "two topics": ["0", *whole],
        "raw key": ["k01"],
    }


EVENTS = (
    r'{"id":3,"distinct_id":1,"name":"n","properties":"{\"order_id\":\"o1\"}"}',
    '{"distinct_id":2,"name":"m","properties":"{}"}',
)


def test_tables_made_of_others(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    """``CREATE TABLE ... AS TABLE ... ADD COLUMN``, where the vendor's other connector is Kafka's."""
    topic, *targets = (new_topic(config=FOR_EVER) for _ in range(4))
    kafka.produce(topic, [Record(event, f'{{"id":{place}}}', timestamp_ms=1000) for place, event in enumerate(EVENTS)])
    places, copied, keys, computed, more = examples("kafka_and_sync.sql", 4, 5)
    places = re.sub(r",\s*'json.infer-schema.*", ")", places, flags=re.DOTALL)  # only the vendor has it
    computed = computed.replace("`properties`", "`key_id` INT, `properties`")  # which the example forgets, and:
    computed = computed.replace("'key_'", "'key_', 'value.fields-include' = 'EXCEPT_KEY'")
    statements = []
    for number, (table, copy) in enumerate([(places, copied), (keys, copied), (computed, more)]):
        t_env.execute_sql(f"CREATE DATABASE d{number}")
        t_env.execute_sql(f"USE d{number}")
        ended = table.replace(START.format("earliest-offset"), WHOLE)
        t_env.execute_sql(filled(ended, kafka, {"kafka_evolution_demo": topic}))
        options = (
            f"'kafka', 'topic' = '{targets[number]}', 'properties.bootstrap.servers' = '{kafka.bootstrap_servers}'"
        )
        own = copy.replace("hologres.kafka", f"d{number}").replace("vvp.`default`", f"d{number}")
        statements.append(own.replace("'hologres'", f"{options}, 'format' = 'json'"))
    only_metadata, *statements = statements
    with pytest.raises(UnsupportedFeatureError, match="only metadata columns"):
        t_env.execute_sql(only_metadata)
    t_env.execute_sql(f"EXECUTE STATEMENT SET BEGIN {' '.join(statements)} END").wait()
    date = ',"timestamp":"1970-01-01 00:00:01Z","date":"1970-01-01"'
    assert [values(kafka, target) for target in targets[1:]] == [
        ['{"key_id":0,"val_name":"n"}', '{"key_id":1,"val_name":"m"}'],
        [
            r'{"distinct_id":1,"key_id":0,"properties":"{\"order_id\":\"o1\"}"' + date + ',"order_id":"o1"}',
            '{"distinct_id":2,"key_id":1,"properties":"{}"' + date + ',"order_id":"default"}',
        ],
    ]


def test_secured_tables(
    t_env: TableEnvironment, secured_kafka: EmbeddedKafka, capsys: pytest.CaptureFixture[str]
) -> None:
    secured_kafka.create_topic("secured-users")
    secured_kafka.create_topic("secured-orders")
    login, stores = secured_kafka.listener("SASL_SSL", "PLAIN").client_properties, secured_kafka.certificates
    secured_kafka.produce("secured-orders", ORDERS[:1])

    def secured(statement: str) -> str:
        user = statement.replace('"username"', '"ann"').replace('"password"', '"secret of ann"')
        location = f"\\1'{stores.truststore('JKS')['ssl.truststore.location']}'"
        trusted = re.sub(r"('properties.ssl.truststore.location' = )'.*?'", location, user)
        return re.sub(r"\n.*(keystore|'dew\.).*", "", trusted).replace("test1234", "changeit")

    for name, number, protocol in (("plain", 5, "SASL_PLAINTEXT"), ("scram", 6, "SASL_SSL")):
        listener = secured_kafka.listener(protocol)  # type: ignore[arg-type]
        t_env.execute_sql(f"CREATE DATABASE {name}")
        t_env.execute_sql(f"USE {name}")
        t_env.execute_sql(secured(completed(number, listener, "secured-users")))
    t_env.execute_sql("INSERT INTO `plain`.KafkaTable VALUES (1, 10, 'buy', NOW())").wait()
    source, sink, insert = map(secured, examples("kafka.sql", 6, 3))
    source = source.replace("= 'xx',", f"= '{login['sasl.jaas.config']}',")
    source = re.sub(r"'v1'|,(?=\s*\);)", "", source)
    t_env.execute_sql(filled(source, secured_kafka.listener("SASL_SSL"), {"KafkaTopic": "secured-orders"}, "orders"))
    t_env.execute_sql(sink)
    t_env.execute_sql(f"{insert.strip().rstrip(';')} /*+ OPTIONS({WHOLE}) */").wait()
    assert capsys.readouterr().out.splitlines() == [
        "+I[202103241000000001, webShop, 2021-03-24T10:00, 100.0, 100.0, 2021-03-24 10:02:03, 0001, Alice, 330106]"
    ]
    users = "ARRAY[CAST(user_id AS STRING), behavior] FROM scram.KafkaTable"
    assert read(t_env, {"users": users}) == {"users": [["1", "buy"]]}


INSERTS = {
    "INSERT INTO seen SELECT id, name FROM kafka_source": "Different number of columns",
    "INSERT INTO seen\n  SELECT name FROM kafka_source": "Incompatible types for sink column 'id'",
    "INSERT INTO counts\n  SELECT COUNT(*) FROM kafka_source": "doesn't support consuming update",
}


def test_errors(t_env: TableEnvironment, kafka: KafkaBroker, new_topic: NewTopic) -> None:
    topic = new_topic()
    kafka.produce(topic, ['{"id":1}', '{"id":"x"}'])
    (table,) = examples("kafka_and_sync.sql", 9)
    t_env.execute_sql(filled(table.replace("id          VARCHAR", "id INT"), kafka, {"xxx": topic}))
    t_env.execute_sql("CREATE TABLE seen (id INT) WITH ('connector' = 'print')")
    servers = f"'properties.bootstrap.servers' = '{kafka.bootstrap_servers}'"
    options = f"'connector' = 'kafka', 'topic' = '{topic}', 'format' = 'json', {servers}"
    t_env.execute_sql(f"CREATE TABLE counts (n BIGINT) WITH ({options})")
    for insert, what in INSERTS.items():
        with pytest.raises(DefinitionError, match=what) as refused:
            t_env.execute_sql(insert)
        assert "INSERT INTO default_catalog.default_database." in refused.value.where + refused.value.what
        assert "line 1, column 1" in refused.value.where
        assert refused.value.now
    hint = (
        "/*+ OPTIONS('properties.bootstrap.servers' = 'localhost:1', 'properties.default.api.timeout.ms' = '1000') */"
    )
    with pytest.raises(BrokerUnreachableError, match="localhost:1"):
        t_env.execute_sql(f"INSERT INTO seen SELECT id FROM kafka_source {hint}").wait()
    with pytest.raises(DeserializationError, match="Fail to deserialize at field: id") as caught:
        t_env.execute_sql("INSERT INTO seen SELECT id FROM kafka_source").wait()
    assert caught.value.where == f"topic {topic}, partition 0, offset 1"
    assert "'ignore-parse-errors'" in caught.value.now
