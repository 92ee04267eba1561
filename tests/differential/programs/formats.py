"""Topics read and written: formats both ways, keys, topics, offsets."""

from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetResetStrategy,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
    KafkaTopicPartition,
)
from pyflink.datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from pyflink.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema

from tests.differential.program import Topic, bounded

NO_WATERMARKS = WatermarkStrategy.no_watermarks()
ORDER = Types.ROW_NAMED(
    ["id", "item", "price", "paid", "tags"],
    [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN(), Types.OBJECT_ARRAY(Types.STRING())],
)
FLAT = Types.ROW_NAMED(["id", "item", "price", "paid"], [Types.LONG(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN()])


def source(servers, topic, schema=None, starting=None, stopping=None):
    starting = starting or KafkaOffsetsInitializer.earliest()
    stopping = stopping or KafkaOffsetsInitializer.latest()
    builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic).set_group_id("differential")
    builder = builder.set_starting_offsets(starting).set_bounded(stopping)
    return builder.set_value_only_deserializer(schema or SimpleStringSchema()).build()


def sink(servers, record):
    return KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(record.build()).build()


def record(topic, schema=None):
    builder = KafkaRecordSerializationSchema.builder().set_topic(topic)
    return builder.set_value_serialization_schema(schema or SimpleStringSchema())


def values(*texts):
    return [(None, text if isinstance(text, bytes) else text.encode()) for text in texts]


ORDERS = values(
    '{"id": 1, "item": "apple", "price": 1.5, "paid": true, "tags": ["a", "b"]}',
    '{"id": "2", "item": 7, "price": "2.50", "paid": "true", "tags": []}',
    '{"paid": false, "id": 3, "other": {"x": 1}, "price": 3, "item": null, "tags": null}',
    '{"id": 9007199254740993, "item": "ß \\u00e9", "price": 1e3, "paid": false, "tags": ["", null]}',
)


@bounded(topics={"in": Topic(ORDERS), "out": Topic()})
def json(env, servers, topics):
    rows = JsonRowDeserializationSchema.builder().type_info(ORDER).build()
    stream = env.from_source(source(servers, topics["in"], rows), NO_WATERMARKS, "orders")
    stream.sink_to(
        sink(servers, record(topics["out"], JsonRowSerializationSchema.builder().with_type_info(ORDER).build()))
    )
    return stream


@bounded(topics={"in": Topic(values("1,apple,1.5,true", "2,,2,false", '3,"a ""b"", c",1e3,true', "4,-,-0.5,false"))})
def csv_in(env, servers, topics):
    schema = CsvRowDeserializationSchema.Builder(FLAT).build()
    return env.from_source(source(servers, topics["in"], schema), NO_WATERMARKS, "orders")


@bounded(topics={"in": Topic(values("1;'a;b';1.5;true", "#no", "2;n/a;2;x"))})
def csv_with_options(env, servers, topics):
    schema = (
        CsvRowDeserializationSchema.Builder(FLAT)
        .set_field_delimiter(";")
        .set_quote_character("'")
        .set_allow_comments(True)
        .set_null_literal("n/a")
        .set_ignore_parse_errors(True)
        .build()
    )
    return env.from_source(source(servers, topics["in"], schema), NO_WATERMARKS, "orders")


@bounded(topics={"plain": Topic(), "options": Topic()})
def csv_out(env, servers, topics):
    rows = [
        Row(1, "apple", 1.5, True),
        Row(2, 'a "b", c', 2.0, False),
        Row(3, None, 1e20, True),
        Row(4, "", 0.1, False),
    ]
    stream = env.from_collection(rows, FLAT)
    stream.sink_to(sink(servers, record(topics["plain"], CsvRowSerializationSchema.Builder(FLAT).build())))
    options = (
        CsvRowSerializationSchema.Builder(FLAT).set_field_delimiter("|").set_null_literal("-").set_line_delimiter("")
    )
    stream.sink_to(sink(servers, record(topics["options"], options.build())))


@bounded(topics={"in": Topic(values("a 1", "b 2", "a 3")), "out": Topic(partitions=3), "a": Topic(), "b": Topic()})
def keys_and_topics(env, servers, topics):
    """Records with keys, and topics that are chosen by the element."""
    stream = env.from_source(source(servers, topics["in"]), NO_WATERMARKS, "words")
    stream.sink_to(sink(servers, record(topics["out"]).set_key_serialization_schema(SimpleStringSchema())))
    chosen = KafkaRecordSerializationSchema.builder().set_topic_selector(lambda line: topics[line[0]])
    stream.sink_to(sink(servers, chosen.set_value_serialization_schema(SimpleStringSchema())))


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value) * 1000


@bounded(topics={"in": Topic(values("5", "7"))})
def assigners_of_sources(env, servers, topics):
    """Timestamps by a strategy in from_source: records have the times 1000 and 2000."""
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    return {
        "of records": env.from_source(source(servers, topics["in"]), strategy, "plain"),
        "assigned": env.from_source(
            source(servers, topics["in"]), strategy.with_timestamp_assigner(Second()), "assigned"
        ),
        "assigned later": env.from_source(
            source(servers, topics["in"]), NO_WATERMARKS, "later"
        ).assign_timestamps_and_watermarks(
            WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
        ),
    }


TEN = Topic(values(*(f"n{n}" for n in range(10))), partitions=2)


@bounded(topics={"in": TEN}, order="none")
def offsets(env, servers, topics):
    """Where a source begins and where it ends: records have the times 1000, 2000 …"""
    zero, one = KafkaTopicPartition(topics["in"], 0), KafkaTopicPartition(topics["in"], 1)

    def read(starting=None, stopping=None):
        return env.from_source(source(servers, topics["in"], None, starting, stopping), NO_WATERMARKS, "numbers")

    return {
        "all": read(),
        "from a time": read(KafkaOffsetsInitializer.timestamp(6500)),
        "to a time": read(None, KafkaOffsetsInitializer.timestamp(4000)),
        "between": read(
            KafkaOffsetsInitializer.offsets({zero: 1, one: 3}), KafkaOffsetsInitializer.offsets({zero: 3, one: 5})
        ),
        "of a group without offsets": read(
            KafkaOffsetsInitializer.committed_offsets(KafkaOffsetResetStrategy.EARLIEST)
        ),
        "after the last": read(KafkaOffsetsInitializer.timestamp(99000)),
    }
