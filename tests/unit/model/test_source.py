from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.common.types import Types
from kafkastream.model.connectors.kafka_source import Boundedness, KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.offsets_initializers import OffsetResetStrategy, OffsetsInitializer
from kafkastream.model.connectors.record_deserialization import ValueOnlySchema
from kafkastream.model.connectors.subscription import PartitionSet, TopicList, TopicPartition, TopicPattern
from kafkastream.model.formats import SimpleStringSchema


def complete() -> KafkaSourceBuilder[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("b:9092").set_topics("t")
    return builder.set_value_only_deserializer(SimpleStringSchema())


def problems(builder: KafkaSourceBuilder[Any]) -> list[str]:
    with pytest.raises(DefinitionError) as raised:
        builder.build()
    assert (raised.value.code, raised.value.where) == ("invalid-definition", "KafkaSource")
    return raised.value.what.split("; ")


def test_builder_gives_the_value_that_the_constructor_gives() -> None:
    assert complete().set_group_id("g").set_bounded(OffsetsInitializer.latest()).build() == KafkaSource(
        subscription=TopicList(["t"]),
        deserializer=ValueOnlySchema(SimpleStringSchema()),
        stopping_offsets=OffsetsInitializer.latest(),
        boundedness=Boundedness.BOUNDED,
        properties={"bootstrap.servers": "b:9092", "group.id": "g"},
    )


def test_sources_are_values() -> None:
    source = complete().build()
    assert {source} == {complete().build()}
    assert pickle.loads(pickle.dumps(source)) == source


@given(st.permutations(["servers", "topics", "group", "schema", "bounded", "property"]))
def test_order_of_setters_does_not_matter(order: list[str]) -> None:
    builder = KafkaSource.builder()
    setters: dict[str, Callable[[], object]] = {
        "servers": lambda: builder.set_bootstrap_servers("b:9092"),
        "topics": lambda: builder.set_topics("t"),
        "group": lambda: builder.set_group_id("g"),
        "schema": lambda: builder.set_value_only_deserializer(SimpleStringSchema()),
        "bounded": lambda: builder.set_bounded(OffsetsInitializer.latest()),
        "property": lambda: builder.set_property("isolation.level", "read_committed"),
    }
    for name in order:
        assert setters[name]() is builder  # also as statements, as ported jobs have them
    one = complete().set_group_id("g").set_bounded(OffsetsInitializer.latest())
    assert builder.build() == one.set_property("isolation.level", "read_committed").build()


def test_everything_missing_is_said_at_once() -> None:
    assert problems(KafkaSource.builder()) == [
        "Property bootstrap.servers is required but not provided",
        "No subscribe mode is specified, should be one of topics, topic pattern and partition set",
        "Deserialization schema is required but not provided",
    ]


def test_earliest_is_no_stopping_offset() -> None:
    assert problems(complete().set_bounded(OffsetsInitializer.earliest())) == [
        "earliest() is not a stopping offset: nothing would be read (Flink: Illegal stopping offset -2)"
    ]


def test_bootstrap_servers_may_come_as_a_property() -> None:
    builder = KafkaSource.builder().set_topics("t").set_value_only_deserializer(SimpleStringSchema())
    assert builder.set_properties({"bootstrap.servers": "b:1"}).build().bootstrap_servers == "b:1"


@pytest.mark.parametrize("key", ["enable.auto.commit", "commit.offsets.on.checkpoint"])
def test_offset_commit_needs_a_group(key: str) -> None:
    assert problems(complete().set_property(key, "true")) == [
        "Property group.id is required when offset commit is enabled"
    ]
    complete().set_property(key, "false").build()
    complete().set_property(key, "true").set_group_id("g").build()


@pytest.mark.parametrize("setter", ["set_starting_offsets", "set_bounded", "set_unbounded"])
def test_committed_offsets_need_a_group(setter: str) -> None:
    builder = getattr(complete(), setter)(OffsetsInitializer.committed_offsets(OffsetResetStrategy.EARLIEST))
    assert problems(builder) == ["Property group.id is required when using committed offset for offsets initializer"]
    builder.set_group_id("g").build()


def test_the_committed_marker_needs_a_group() -> None:
    offsets = OffsetsInitializer.offsets({TopicPartition("t", 1): -3})
    assert problems(complete().set_starting_offsets(offsets)) == [
        "Property group.id is required because partition t-1 is initialized with committed offset"
    ]


@pytest.mark.parametrize("side", ["key", "value"])
def test_only_byte_array_deserializers_are_taken(side: str) -> None:
    key = f"{side}.deserializer"
    complete().set_property(key, "org.apache.kafka.common.serialization.ByteArrayDeserializer").build()
    problem, advice = problems(complete().set_property(key, "org.example.Json"))
    assert problem == f"{key} = org.example.Json does not deserialize byte[]"
    assert advice == "leave it out, the schema decodes"


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("partition.discovery.interval.ms", "soon", "is not a number of milliseconds"),
        ("enable.auto.commit", "yes", "is neither true nor false"),
        ("commit.offsets.on.checkpoint", "1", "is neither true nor false"),
        ("register.consumer.metrics", "", "is neither true nor false"),
    ],
)
def test_values_that_do_not_fit_are_refused(key: str, value: str, reason: str) -> None:
    assert problems(complete().set_group_id("g").set_property(key, value)) == [f"Property {key} = {value!r} {reason}"]


SUBSCRIBE: dict[str, tuple[Any, str, str]] = {
    "set_topics": (("t",), "topics", "TopicListSubscriber"),
    "set_topic_pattern": (("t.*",), "topic pattern", "TopicPatternSubscriber"),
    "set_partitions": (([TopicPartition("t", 0)],), "partitions", "PartitionSetSubscriber"),
}


@pytest.mark.parametrize("first", SUBSCRIBE)
@pytest.mark.parametrize("second", SUBSCRIBE)
def test_second_subscription_is_refused_even_the_same(first: str, second: str) -> None:
    builder = getattr(KafkaSource.builder(), first)(*SUBSCRIBE[first][0])
    expected = f"Cannot use {SUBSCRIBE[second][1]} for consumption because a {SUBSCRIBE[first][2]}"
    with pytest.raises(DefinitionError, match=expected):
        getattr(builder, second)(*SUBSCRIBE[second][0])


@pytest.mark.parametrize(
    ("builder", "subscription"),
    [
        (KafkaSource.builder().set_topics("a", "b"), TopicList(["a", "b"])),
        (KafkaSource.builder().set_topics(["a", "b"]), TopicList(["a", "b"])),
        (KafkaSource.builder().set_topic_pattern(re.compile("a.*")), TopicPattern("a.*")),
        (KafkaSource.builder().set_partitions({TopicPartition("a", 1)}), PartitionSet([TopicPartition("a", 1)])),
    ],
)
def test_subscriptions_are_values(builder: KafkaSourceBuilder[Any], subscription: object) -> None:
    source = builder.set_bootstrap_servers("b").set_value_only_deserializer(SimpleStringSchema()).build()
    assert source.subscription == subscription


def test_properties_of_the_consumer_are_flinks() -> None:
    assert complete().build().consumer_properties == {
        "bootstrap.servers": "b:9092",
        "enable.auto.commit": "false",
        "commit.offsets.on.checkpoint": "false",
        "register.consumer.metrics": "true",
        "auto.offset.reset": "earliest",
    }
    grouped = complete().set_group_id("g").set_starting_offsets(OffsetsInitializer.latest()).build()
    assert grouped.consumer_properties == {
        "bootstrap.servers": "b:9092",
        "group.id": "g",
        "client.id.prefix": "g",
        "enable.auto.commit": "false",
        "commit.offsets.on.checkpoint": "true",
        "register.consumer.metrics": "true",
        "auto.offset.reset": "latest",
    }


def test_the_users_properties_win_except_where_flink_overrides() -> None:
    own = {"auto.offset.reset": "latest", "register.consumer.metrics": "false", "client.id.prefix": "me"}
    properties = complete().set_properties(own).build().consumer_properties
    assert properties["auto.offset.reset"] == "earliest"  # the starting offsets decide
    assert (properties["register.consumer.metrics"], properties["client.id.prefix"]) == ("false", "me")


def test_partitions_are_discovered_unless_switched_off_or_bounded() -> None:
    interval = "partition.discovery.interval.ms"
    assert complete().build().discovers_partitions
    assert complete().set_property(interval, "1000").build().discovers_partitions
    assert not complete().set_property(interval, "-1").build().discovers_partitions
    assert not complete().set_property(interval, "0").build().discovers_partitions
    bounded = complete().set_bounded(OffsetsInitializer.latest()).set_property(interval, "1000").build()
    assert bounded.consumer_properties[interval] == "-1"
    assert not bounded.discovers_partitions


def test_the_last_of_bounded_and_unbounded_counts() -> None:
    latest, later = OffsetsInitializer.latest(), OffsetsInitializer.timestamp(5)
    source = complete().set_bounded(later).set_unbounded(latest).build()
    assert (source.get_boundedness(), source.stopping_offsets) == (Boundedness.CONTINUOUS_UNBOUNDED, latest)
    assert complete().set_unbounded(latest).set_bounded(later).build().boundedness is Boundedness.BOUNDED


def test_the_schema_decides_the_type() -> None:
    assert complete().build().get_produced_type() == Types.STRING()


def test_secrets_are_not_shown() -> None:
    source = complete().set_property("sasl.jaas.config", 'username="u" password="hidden"').build()
    assert "hidden" not in repr(source)
    with pytest.raises(
        DefinitionError, match=r"value of KafkaSourceBuilder\.set_property must be a str, not a bytes"
    ) as raised:
        complete().set_property("ssl.key.password", b"hidden")  # type: ignore[arg-type]  # what this test is about
    assert "hidden" not in str(raised.value)


def test_a_built_source_does_not_follow_its_builder() -> None:
    builder = complete()
    source = builder.build()
    builder.set_group_id("later")
    assert source.group_id is None
