"""A job with two tests, one in the test's own process and one on a real broker: run it with pytest."""

from kafkastream.common import SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.testing import JobTestDriver, KafkaBroker, Record
from kafkastream.testing.pytest_plugin import NewTopic


def shout(servers: str, topic_in: str, topic_out: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic_in)
    source.set_bounded(KafkaOffsetsInitializer.latest()).set_value_only_deserializer(SimpleStringSchema())
    schema = KafkaRecordSerializationSchema.builder().set_topic(topic_out)
    schema.set_value_serialization_schema(SimpleStringSchema())
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema.build())
    sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    words = env.from_source(source.build(), WatermarkStrategy.no_watermarks(), "words")
    words.map(str.upper, Types.STRING()).sink_to(sink.build())
    env.execute("shout")


def test_words_are_shouted() -> None:
    with JobTestDriver.of(shout, "broker:9092", "words", "shouted") as driver:
        driver.send("words", "stop")
        assert driver.values("shouted") == [b"STOP"]


def test_words_are_shouted_at_their_time(kafka: KafkaBroker, new_topic: NewTopic) -> None:
    words, shouted = new_topic(), new_topic()
    kafka.produce(words, [Record("stop", timestamp_ms=1_700_000_000_000), "go"])
    shout(kafka.bootstrap_servers, words, shouted)
    stop, go = kafka.consume(shouted)
    assert (stop.value, stop.timestamp_ms) == (b"STOP", 1_700_000_000_000)
    assert go.value == b"GO"
