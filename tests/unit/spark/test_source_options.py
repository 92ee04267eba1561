from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.kafka_source_builder import KafkaSourceBuilder
from kafkastream.model.connectors.offsets_initializers import OffsetsInitializer
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.formats import SimpleStringSchema
from kafkastream.spark.checkpoint.source_options import offsets_json, offsets_of_json, source_options, stop_condition

STARTS = {TopicPartition("b", 0): 7, TopicPartition("a", 1): 5, TopicPartition("a", 0): 3}
DISCOVERY = "partition.discovery.interval.ms"


def builder(**properties: str) -> KafkaSourceBuilder[Any]:
    return KafkaSource.builder().set_bootstrap_servers("k:9092").set_properties(properties)


def options(of: KafkaSourceBuilder[Any], starts: Any = STARTS, **more: bool) -> Mapping[str, str]:
    return source_options(of.set_value_only_deserializer(SimpleStringSchema()).build(), starts, **more)


def test_topics_are_subscribed_with_an_offset_for_each_partition() -> None:
    assert options(builder().set_topics("b", "a")) == {
        "kafka.bootstrap.servers": "k:9092",
        "kafka.fetch.max.wait.ms": "10",
        "subscribe": "b,a",
        "startingOffsets": '{"a": {"0": 3, "1": 5}, "b": {"0": 7}}',
        "includeHeaders": "false",
    }


@pytest.mark.parametrize("off", ["0", "-1"])
def test_without_discovery_the_partitions_of_the_start_are_assigned(off: str) -> None:
    found = options(builder().set_topics("a", "b").set_property(DISCOVERY, off))
    assert "subscribe" not in found
    assert json.loads(found["assign"]) == {"a": [0, 1], "b": [0]}


def test_bounded_sources_never_discover() -> None:
    found = options(
        builder().set_topics("a", "b").set_bounded(OffsetsInitializer.latest()).set_property(DISCOVERY, "5")
    )
    assert json.loads(found["assign"]) == {"a": [0, 1], "b": [0]}


def test_partitions_are_assigned_even_with_discovery() -> None:
    found = options(builder().set_partitions([TopicPartition("a", 1)]), {TopicPartition("a", 1): 5})
    assert (json.loads(found["assign"]), found["startingOffsets"]) == ({"a": [1]}, '{"a": {"1": 5}}')


def test_patterns_match_whole_names_from_the_offsets_of_the_topics_that_are_there() -> None:
    found = options(builder().set_topic_pattern("orders-.*"), headers=True)
    assert found == {
        "kafka.bootstrap.servers": "k:9092",
        "kafka.fetch.max.wait.ms": "10",
        "subscribePattern": "^(?:orders-.*)$",
        "startingOffsets": '{"a": {"0": 3, "1": 5}, "b": {"0": 7}}',
        "includeHeaders": "true",
    }


def test_pattern_without_discovery_is_what_it_matched_at_the_start() -> None:
    found = options(builder().set_topic_pattern("a|b").set_property(DISCOVERY, "-1"))
    assert json.loads(found["assign"]) == {"a": [0, 1], "b": [0]}


def test_pattern_that_matches_nothing_stays_one() -> None:
    found = options(builder().set_topic_pattern("none").set_bounded(OffsetsInitializer.latest()), {})
    assert (found["subscribePattern"], found["startingOffsets"]) == ("^(?:none)$", "{}")


def test_client_properties_go_to_the_client_and_the_sources_own_do_not() -> None:
    given = {
        "group.id": "g",
        "isolation.level": "read_committed",
        "fetch.min.bytes": "5",
        "auto.offset.reset": "latest",
        "enable.auto.commit": "false",
        "commit.offsets.on.checkpoint": "true",
        "client.id.prefix": "p",
        "register.consumer.metrics": "false",
        DISCOVERY: "1000",
        "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
        "interceptor.classes": "org.example.Spy",
    }
    found = options(builder(**given).set_topics("a", "b"))
    assert {key: value for key, value in found.items() if key.startswith("kafka.")} == {
        "kafka.bootstrap.servers": "k:9092",
        "kafka.fetch.max.wait.ms": "10",
        "kafka.client.id": "p",
        "kafka.isolation.level": "read_committed",
        "kafka.fetch.min.bytes": "5",
    }


def test_consumers_do_not_wait_for_more_unless_they_are_told_to() -> None:
    assert options(builder().set_topics("a"))["kafka.fetch.max.wait.ms"] == "10"
    assert options(builder(**{"fetch.max.wait.ms": "700"}).set_topics("a"))["kafka.fetch.max.wait.ms"] == "700"


def test_options_of_spark_go_to_spark_by_its_own_names() -> None:
    given = {"spark.maxOffsetsPerTrigger": "7", "spark.failOnDataLoss": "false"}
    found = options(builder(**given).set_topics("a", "b"))
    assert (found["maxOffsetsPerTrigger"], found["failOnDataLoss"]) == ("7", "false")
    assert not [key for key in found if "spark" in key]


def test_options_of_spark_that_change_results_are_refused() -> None:
    with pytest.raises(DefinitionError, match=r"spark\.minPartitions is not an option .* spark\.maxOffsetsPerTrigger"):
        options(builder(**{"spark.minPartitions": "7"}).set_topics("a"))


def test_security_goes_to_sparks_client_as_it_is_and_is_not_shown() -> None:
    given = {
        "security.protocol": "SASL_SSL",
        "sasl.jaas.config": 'M required password="hunter2";',
        "ssl.key.password": "",
    }
    found = options(builder(**given).set_topics("a"))
    assert {key: found[f"kafka.{key}"] for key in given} == given
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"client.id": "mine"}, "mine"),
        ({"client.id": "mine", "group.id": "g"}, "g"),
        ({"group.id": "g"}, "g"),
        ({}, None),
    ],
)
def test_consumers_are_named_after_the_prefix_or_the_group(given: dict[str, str], name: str | None) -> None:
    assert options(builder(**given).set_topics("a")).get("kafka.client.id") == name


def test_offsets_are_sorted_json() -> None:
    assert json.loads(offsets_json(STARTS)) == {"a": {"0": 3, "1": 5}, "b": {"0": 7}}
    assert offsets_json({}) == "{}"


def test_offsets_are_read_as_they_are_written() -> None:
    assert offsets_of_json(offsets_json(STARTS)) == STARTS
    assert offsets_of_json(None) == {}


def test_stop_offsets_are_not_read_themselves() -> None:
    assert stop_condition(STARTS) == (
        "offset < CASE topic WHEN 'a' THEN CASE partition WHEN 0 THEN 3 WHEN 1 THEN 5 END"
        " WHEN 'b' THEN CASE partition WHEN 0 THEN 7 END END"
    )
    assert stop_condition({}) == "false"
