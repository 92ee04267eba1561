"""Dead letters: what cannot be read or written is kept in a topic of its own, and the job goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import JobExecutionResult, SerializationSchema, SimpleStringSchema, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    ConsumerRecord,
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordDeserializationSchema,
    KafkaRecordSerializationSchema,
    KafkaSinkContext,
    ProducerRecord,
)
from kafkastream.datastream.formats.avro import (
    ConfluentRegistryAvroDeserializationSchema,
    ConfluentRegistryAvroSerializationSchema,
)
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from kafkastream.errors import DeliveryError, DeserializationError, UserFunctionError
from kafkastream.model.connectors.record_size import batch_bytes
from kafkastream.testing import ConsumedRecord, KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic
from kafkastream.testing.registry import EmbeddedSchemaRegistry

if TYPE_CHECKING:
    from tests.integration.conftest import Parts, Read

GUARANTEES = [DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE]
guarantees = pytest.mark.parametrize("guarantee", GUARANTEES, ids=lambda guarantee: guarantee.name)


class NoX(SerializationSchema[str]):
    """Text without an x."""

    def serialize(self, element: str) -> bytes:
        if "x" in element:
            raise ValueError("there is an x")
        return element.encode()


def told(letter: ConsumedRecord, *skipped: str) -> dict[str, str]:
    """What a letter's headers say."""
    headers = {name: (value or b"").decode() for name, value in letter.headers}
    return {name.removeprefix("kafkastream.error."): value for name, value in headers.items() if name not in skipped}


def counted(result: JobExecutionResult, operator: str, metric: str) -> int:
    """A counter of all subtasks; 0 where nobody has it."""
    metrics = result.metrics.of_operator(operator)
    return metrics.total(metric) if any(name.endswith(f".{metric}") for name in metrics) else 0


def letters(kafka: KafkaBroker, topic: str) -> list[ConsumedRecord]:
    return sorted(kafka.consume(topic), key=lambda letter: letter.value or b"")


@guarantees
def test_records_that_cannot_be_decoded(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
) -> None:
    target, dead = new_topic(), new_topic()
    values = ['{"id": 1}', "{", '{"id": 2}', '{"id": "?"}']
    parts.kafka.produce(topic, [Record(value, key="k", headers=[("trace", b"7")]) for value in values])
    schema = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["id"], [Types.INT()])).build()
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(dead)
    stream = read(builder.set_value_only_deserializer(schema).build(), "orders").map(str, Types.STRING())
    stream.sink_to(parts.sink_of(parts.serializer(target), guarantee=guarantee)).name("out")
    result = env.execute("dead")
    assert parts.values(target) == ["Row(id=1)", "Row(id=2)"]
    broken, mistyped = sorted(parts.kafka.consume(dead), key=lambda letter: len(letter.value or b""))
    assert (broken.key, broken.value, mistyped.value) == (b"k", b"{", b'{"id": "?"}')
    assert broken.headers[0] == ("trace", b"7")
    assert broken.timestamp_ms == parts.kafka.consume(topic)[1].timestamp_ms
    reason = told(broken, "trace").pop("reason")
    assert told(broken, "trace") == {
        "topic": topic,
        "partition": "0",
        "offset": "1",
        "operator": "orders",
        "reason": reason,
    }
    assert reason.startswith("JSONDecodeError: ")
    assert told(mistyped)["offset"] == "3"
    assert counted(result, "Source: orders", "numRecordsInErrors") == 2
    assert counted(result, "Source: orders", "numRecordsOut") == 2
    assert counted(result, "Sink: orders dead letters", "numRecordsOut") == 2
    in_transactions = guarantee is DeliveryGuarantee.EXACTLY_ONCE
    assert counted(result, "Sink: orders dead letters", "transactionsCommitted") == int(in_transactions)


class Words(KafkaRecordDeserializationSchema[str]):
    """The words of a record; none of one that shouts."""

    def deserialize(self, record: ConsumerRecord) -> Iterable[str]:
        for word in (record.value or b"").decode().split():
            if word.isupper():
                raise ValueError(f"{word} is too loud")
            yield word


def test_schema_of_ones_own_and_no_kafka_sink(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    dead = new_topic()
    parts.kafka.produce(topic, ["a b", "c D e", "f"])
    builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(dead)
    with read(builder.set_deserializer(Words()).build()).execute_and_collect() as words:
        assert sorted(words) == ["a", "b", "f"]
    (letter,) = parts.kafka.consume(dead)
    assert (letter.value, told(letter)["reason"]) == (b"c D e", "ValueError: D is too loud")


@guarantees
def test_elements_that_cannot_be_serialized(
    env: StreamExecutionEnvironment,
    read: Read,
    parts: Parts,
    topic: str,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
) -> None:
    target, dead = new_topic(), new_topic()
    parts.kafka.produce(topic, [Record(value, key="k") for value in ("a axe b", "ox", "c")])
    words = read(parts.bounded(topic)).flat_map(str.split, Types.STRING()).map(lambda word: word + "!", Types.STRING())
    words.sink_to(parts.sink_of(parts.serializer(target, NoX()), guarantee=guarantee, dead_letters=dead)).name("out")
    result = env.execute("poison")
    assert parts.values(target) == ["a!", "b!", "c!"]
    axe, ox = letters(parts.kafka, dead)
    assert (axe.key, axe.value) == (b"k", b"a axe b")
    assert told(axe) == {
        "topic": topic,
        "partition": "0",
        "offset": "0",
        "operator": "out",
        "reason": "ValueError: there is an x",
        "element": "'axe!'",
    }
    assert (ox.value, told(ox)["offset"], told(ox)["element"]) == (b"ox", "1", "'ox!'")
    assert counted(result, "Sink: out", "numRecordsOut") == 3
    assert counted(result, "Sink: out", "numRecordsOutErrors") == 2
    assert counted(result, "Sink: out", "numRecordsSendErrors") == 2


def test_elements_behind_a_keyed_operator_have_no_record(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    parts.kafka.produce(topic, [Record(value, key="k", headers=[("trace", b"7")]) for value in ("a", "axe", "ox", "c")])
    words = read(parts.bounded(topic)).key_by(len).map(lambda word: word + "!", Types.STRING())
    topics = {guarantee: (new_topic(), new_topic()) for guarantee in DeliveryGuarantee}
    for guarantee, (target, dead) in topics.items():
        sink = parts.sink_of(parts.serializer(target, NoX()), guarantee=guarantee, dead_letters=dead)
        words.sink_to(sink).name(guarantee.name)
    result = env.execute("behind keys")
    for guarantee, (target, dead) in topics.items():
        assert parts.values(target) == ["a!", "c!"]
        axe, ox = letters(parts.kafka, dead)
        assert (axe.key, axe.value, ox.value) == (None, b"'axe!'", b"'ox!'")
        assert told(axe) == {
            "operator": guarantee.name,
            "reason": "ValueError: there is an x",
            "element": "'axe!'",
        }
        assert counted(result, f"Sink: {guarantee.name}", "numRecordsOut") == 2
        assert counted(result, f"Sink: {guarantee.name}", "numRecordsOutErrors") == 2


class Named(KafkaRecordSerializationSchema[str]):
    """``topic: text``."""

    def serialize(self, element: str, context: KafkaSinkContext, timestamp: int | None) -> ProducerRecord | None:
        topic, _, text = element.partition(": ")
        return ProducerRecord(topic, text.encode()) if text else None


def by_selector() -> KafkaRecordSerializationSchema[Any]:
    schema = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda element: element.partition(": ")[0])
    return schema.set_value_serialization_schema(SimpleStringSchema()).build()


@guarantees
@pytest.mark.parametrize("schema", [Named(), by_selector()], ids=["own", "built"])
def test_records_that_no_topic_takes(
    env: StreamExecutionEnvironment,
    parts: Parts,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
    schema: KafkaRecordSerializationSchema[Any],
) -> None:
    """Too large for the client, too large for their topic, or for a topic that does not exist."""
    wide, narrow, dead = new_topic(), new_topic(config={"max.message.bytes": "2000"}), new_topic()
    large, huge = "l" * 3000, "h" * 1_100_000
    elements = [f"{wide}: a", f"{narrow}: {large}", f"{wide}: {large}", f"{wide}: {huge}", "nowhere: b", f"{narrow}: c"]
    stream = env.from_collection(elements, Types.STRING())
    stream.sink_to(parts.sink_of(schema, {"max.block.ms": "1500"}, guarantee, dead)).name("out")
    env.execute()
    taken = {topic: [len(record.value or b"") for record in parts.kafka.consume(topic)] for topic in (wide, narrow)}
    shift = 0 if isinstance(schema, Named) else len(f"{wide}: ")
    assert {topic: len(sizes) for topic, sizes in taken.items()} == {wide: 2, narrow: 1}
    assert sorted(taken[wide])[-1] == 3000 + shift
    reasons = sorted(told(letter)["reason"] for letter in parts.kafka.consume(dead))
    assert [reason.partition(", and")[2] for reason in reasons] == [
        f" 1,048,576 may be written to topic '{wide}'",
        f" 2,000 may be written to topic '{narrow}'",
        "",
    ]
    assert reasons[-1] == "ValueError: topic 'nowhere' does not exist"
    left_out = [told(letter).get("left.out") for letter in parts.kafka.consume(dead) if letter.value is None]
    assert left_out == [f"the value, {len(repr(elements[3])):,} bytes"]


@pytest.mark.parametrize("key", [None, b"key"])
def test_the_size_of_a_record_is_the_brokers(kafka: KafkaBroker, new_topic: NewTopic, key: bytes | None) -> None:
    """One byte more than what just fits is refused by the broker, too."""
    from confluent_kafka import Producer

    topic = new_topic(config={"max.message.bytes": "2000"})
    headers = (("name", b"value"), ("null", None))
    value = b"v" * (2000 - batch_bytes(key, b"v" * 1900, headers) + 1900)
    assert batch_bytes(key, value, headers) == 2000
    answers: list[str | None] = []
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "batch.size": 1})
    for sent in (value, value + b"v"):
        producer.produce(
            topic,
            sent,
            key,
            headers=list(headers),
            on_delivery=lambda error, _: answers.append(None if error is None else error.name()),
        )
    producer.flush(30)
    assert answers == [None, "MSG_SIZE_TOO_LARGE"]


def test_letters_of_a_micro_batch_that_fails_are_taken_back(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic, tmp_path: Any
) -> None:
    """Under EXACTLY_ONCE, a letter is there once, however often its record is read."""
    env.enable_checkpointing(200).get_checkpoint_config().set_checkpoint_storage_dir(tmp_path.as_uri())
    target, dead, unread = new_topic(), new_topic(), new_topic()
    parts.kafka.produce(topic, [b"a", b"\xff", b"ox", b"last"])
    for last in ("fails", "passes"):

        def check(word: str, last: str = last) -> str:
            if (word, last) == ("last", "fails"):
                raise ValueError(word)
            return word

        builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(unread)
        stream = read(parts.text(builder)).map(check, Types.STRING())
        sink = parts.sink_of(parts.serializer(target, NoX()), None, DeliveryGuarantee.EXACTLY_ONCE, dead)
        stream.sink_to(sink).name("out")
        if last == "fails":
            with pytest.raises(UserFunctionError):
                env.execute("twice")
            assert (parts.kafka.consume(dead), parts.kafka.consume(unread)) == ([], [])
        else:
            env.execute("twice")
    assert parts.values(target) == ["a", "last"]
    assert [letter.value for letter in parts.kafka.consume(dead)] == [b"ox"]
    assert [letter.value for letter in parts.kafka.consume(unread)] == [b"\xff"]


@pytest.mark.parametrize(
    ("value", "topic_config"),
    [("h" * 1_100_000, {}), ("l" * 3000, {"max.message.bytes": "2000"})],
    ids=["client", "topic"],
)
@guarantees
def test_without_dead_letters_a_record_too_large_fails_the_job(
    env: StreamExecutionEnvironment,
    parts: Parts,
    new_topic: NewTopic,
    guarantee: DeliveryGuarantee,
    value: str,
    topic_config: dict[str, str],
) -> None:
    target = new_topic(config=topic_config)
    env.from_collection([value], Types.STRING()).sink_to(parts.sink_of(parts.serializer(target), guarantee=guarantee))
    with pytest.raises(DeliveryError) as raised:
        env.execute()
    assert f"topic {target}, record b'{value[:20]}" in raised.value.where
    assert len(raised.value.where) < 500
    assert raised.value.now.startswith("Raise max.request.size")
    assert parts.kafka.consume(target, isolation="read_uncommitted") == []


def test_dead_letter_topic_that_does_not_exist(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic
) -> None:
    sink = parts.sink_of(parts.serializer(new_topic(), NoX()), {"max.block.ms": "1000"}, dead_letters="no-such-dead")
    env.from_collection(["ox"], Types.STRING()).sink_to(sink)
    with pytest.raises(DeliveryError) as raised:
        env.execute()
    assert "topic no-such-dead" in raised.value.where


def test_plan_shows_the_letters_way(env: StreamExecutionEnvironment, read: Read, parts: Parts) -> None:
    source = parts.text(parts.unbound("orders").set_dead_letter_topic("dead"))
    read(source, "orders").print()
    nodes = json.loads(env.get_execution_plan())["nodes"]
    assert [node["type"] for node in nodes] == [
        "Source: orders",
        "Sink: orders dead letters",
        "Sink: Print to Std. Out",
    ]


def test_registry_that_is_away_is_no_records_fault(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, new_topic: NewTopic
) -> None:
    dead, reader = new_topic(), '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
    with EmbeddedSchemaRegistry() as registry:
        writing = ConfluentRegistryAvroSerializationSchema.for_generic("orders", reader, registry.url)
        node = '{"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}'
        nulls = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]}'
        parts.kafka.produce(topic, [writing.serialize({"id": 1}) or b"", b"\0\0\0\0\x63\2", b"\1"])
        for schema, data in ((node, b"\2" * 5_000 + b"\0"), (nulls, b"\x80\x84\xaf\x5f\0"), ("{}", b"")):
            registered = registry.register("hostile", schema, "JSON" if schema == "{}" else "AVRO")
            parts.kafka.produce(topic, [b"\0" + registered.to_bytes(4, "big") + data])

        def job() -> None:
            schema = ConfluentRegistryAvroDeserializationSchema.for_generic(reader, registry.url)
            builder = parts.unbound(topic).set_bounded(KafkaOffsetsInitializer.latest()).set_dead_letter_topic(dead)
            read(builder.set_value_only_deserializer(schema).build()).print()
            env.execute()

        job()
        reasons = [told(letter)["reason"].partition(":")[2] for letter in letters(parts.kafka, dead)]
        expected = (
            "the schema registry answered /schemas/ids/99 with HTTP 404",
            "Unknown data format. Magic number does not match",
            "nested deeper than 200",
            "more than 1000 values without bytes",
            "of type JSON, not AVRO",
        )
        assert len(reasons) == len(expected)
        assert [text for text in expected if not any(text in reason for reason in reasons)] == []
    parts.kafka.produce(topic, [b"\0\0\0\0\x64\2"])  # which no worker has asked for before
    with pytest.raises(DeserializationError, match="no schema registry answered"):
        job()
