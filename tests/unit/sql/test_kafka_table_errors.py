"""What is wrong with a table of the connector ``kafka``: what, where, what now."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.connectors import kafka_sink, kafka_source
from tests.unit.sql.tables import BIGINT, STRING, Make, at, error, metadata, physical, table

KAFKA = {"connector": "kafka", "properties.bootstrap.servers": "k:9092", "topic": "orders", "format": "json"}
KEYED = {"key.format": "json", "key.fields": "id"}
SPECIFIC = {"scan.startup.mode": "specific-offsets"}
BOUNDED = {"scan.bounded.mode": "specific-offsets"}
NO_FORMAT = {key: value for key, value in KAFKA.items() if key != "format"}
NO_TOPIC = {key: value for key, value in KAFKA.items() if key != "topic"}


BOTH: list[tuple[Mapping[str, str], str, str | None]] = [
    (
        {**KAFKA, "scan.startup.modes": "latest-offset"},
        "Unsupported options found for 'kafka'. Unsupported options: scan.startup.modes. Supported options: connector, ",
        "scan.startup.modes",
    ),
    ({**KAFKA, "scan.startup.modes": "latest-offset"}, "Did you mean 'scan.startup.mode'?", "scan.startup.modes"),
    (
        {**KAFKA, "json.ignore-parse-error": "true"},
        "Did you mean 'json.ignore-parse-errors'?",
        "json.ignore-parse-error",
    ),
    ({**KAFKA, "csv.null-literal": "-"}, "Unsupported options: csv.null-literal.", "csv.null-literal"),
    (
        {**KAFKA, "json.ignore-parse-errors": "true", "value.json.ignore-parse-errors": "true"},
        "Unsupported options: value.json.ignore-parse-errors.",
        "value.json.ignore-parse-errors",
    ),
    (
        {key: value for key, value in KAFKA.items() if key != "properties.bootstrap.servers"},
        "One or more required options are missing. Missing required options are: properties.bootstrap.servers",
        None,
    ),
    (NO_TOPIC, "Either 'topic' or 'topic-pattern' must be set.", None),
    ({**KAFKA, "topic": ";"}, "Either 'topic' or 'topic-pattern' must be set.", "topic"),
    (
        {**KAFKA, "topic-pattern": "o.*"},
        "Option 'topic' and 'topic-pattern' shouldn't be set together.",
        "topic-pattern",
    ),
    ({**KAFKA, "format": "jsno"}, "Could not find any format for identifier 'jsno'. Available are avro, ", "format"),
    ({**KAFKA, "format": "jsno"}, "Did you mean 'json'?", "format"),
    (
        {**KAFKA, "key.fields": "id"},
        "The option 'key.fields' can only be declared if a key format is defined using 'key.format'.",
        "key.fields",
    ),
    (
        {**KAFKA, "key.format": "json"},
        "A key format 'key.format' requires the declaration of one or more of key fields using 'key.fields'.",
        "key.format",
    ),
    (
        {**KAFKA, **KEYED, "key.fields": "nmae"},
        (
            "Could not find the field 'nmae' in the table schema for usage in the key format. A key field must be a "
            "regular, physical column. The following columns can be selected in the 'key.fields' option: [id, name]"
        ),
        "key.fields",
    ),
    ({**KAFKA, **KEYED, "key.fields": "nmae"}, "Did you mean 'name'?", "key.fields"),
    (
        {**KAFKA, **KEYED, "key.fields-prefix": "i"},
        (
            "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. "
            "Set it to 'EXCEPT_KEY' instead to avoid field overlaps."
        ),
        "key.fields-prefix",
    ),
    (
        {**KAFKA, **KEYED, "key.fields-prefix": "k_", "value.fields-include": "EXCEPT_KEY"},
        (
            "All fields in 'key.fields' must be prefixed with 'k_' when option 'key.fields-prefix' is set but field 'id' "
            "is not prefixed."
        ),
        "key.fields-prefix",
    ),
    (
        {**KAFKA, "value.fields-prefix": "v_"},
        (
            "All fields of the value must be prefixed with 'v_' when option 'value.fields-prefix' is set but field 'id' "
            "is not prefixed."
        ),
        "value.fields-prefix",
    ),
    (
        {
            **KAFKA,
            **KEYED,
            "key.fields-prefix": "i",
            "value.fields-prefix": "id",
            "value.fields-include": "EXCEPT_KEY",
        },
        "'key.fields-prefix' = 'i' and 'value.fields-prefix' = 'id': one begins with the other",
        "value.fields-prefix",
    ),
    (
        {**KAFKA, **KEYED, "key.format": "debezium-json"},
        (
            "A key format should only deal with INSERT-only records. But debezium-json has a changelog mode of "
            "[INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE]."
        ),
        "key.format",
    ),
    (
        {**KAFKA, "value.fields-include": "SOME"},
        "Unsupported value 'SOME' for 'value.fields-include': expected one of ALL, EXCEPT_KEY",
        "value.fields-include",
    ),
    (
        {**KAFKA, "json.ignore-parse-errors": "yes"},
        "Unsupported value 'yes' for 'json.ignore-parse-errors': expected true or false",
        "json.ignore-parse-errors",
    ),
    (
        {**KAFKA, "format": "avro-confluent"},
        "Missing required options are: avro-confluent.url",
        "format",
    ),
    (
        {**KAFKA, "format": "raw"},
        (
            "The 'raw' format only supports single physical column. However the defined schema contains multiple physical "
            "columns: [`id` BIGINT, `name` STRING]"
        ),
        "format",
    ),
    ({**KAFKA, "topic": "${env:NOT_SET_HERE}"}, "there is no environment variable 'NOT_SET_HERE'", "topic"),
]


@pytest.mark.parametrize("make", [kafka_source, kafka_sink])
@pytest.mark.parametrize(("options", "text", "key"), BOTH)
def test_wrong_for_sources_and_sinks(make: Make, options: Mapping[str, str], text: str, key: str | None) -> None:
    said = error(make, table(options))
    assert text in said
    assert "table default_catalog.default_database.orders" in said
    assert key is None or at(options, key) in said


@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        (NO_FORMAT, "Could not find required scan format 'value.format'.", None),
        (
            {**KAFKA, "scan.startup.mode": "earliest"},
            (
                "Unsupported value 'earliest' for 'scan.startup.mode': expected one of earliest-offset, latest-offset, "
                "group-offsets, timestamp, specific-offsets"
            ),
            "scan.startup.mode",
        ),
        (
            {**KAFKA, "scan.startup.mode": "timestamp"},
            "'scan.startup.timestamp-millis' is required in 'timestamp' startup mode but missing.",
            "scan.startup.mode",
        ),
        (
            {**KAFKA, "scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "2024-01-01"},
            "Unsupported value '2024-01-01' for 'scan.startup.timestamp-millis': expected a whole number",
            "scan.startup.timestamp-millis",
        ),
        (
            {**KAFKA, "scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "-1"},
            "the offsets timestamp -1 is negative",
            "scan.startup.timestamp-millis",
        ),
        (
            {**KAFKA, **SPECIFIC},
            "'scan.startup.specific-offsets' is required in 'specific-offsets' startup mode but missing.",
            "scan.startup.mode",
        ),
        (
            {**KAFKA, **SPECIFIC, "scan.startup.specific-offsets": "partition:0;offset:42"},
            (
                "Invalid properties 'scan.startup.specific-offsets' should follow the format "
                "'partition:0,offset:42;partition:1,offset:300', but is 'partition:0;offset:42'."
            ),
            "scan.startup.specific-offsets",
        ),
        (
            {**KAFKA, **SPECIFIC, "scan.startup.specific-offsets": ""},
            "Invalid properties 'scan.startup.specific-offsets' should follow",
            "scan.startup.specific-offsets",
        ),
        (
            {**KAFKA, **SPECIFIC, "scan.startup.specific-offsets": "partition:0,offset:-9"},
            "Invalid starting offset {'orders-0': -9}",
            "scan.startup.specific-offsets",
        ),
        (
            {**KAFKA, **SPECIFIC, "topic": "a;b", "scan.startup.specific-offsets": "partition:0,offset:1"},
            "Currently Kafka source only supports specific offset for single topic.",
            "scan.startup.specific-offsets",
        ),
        (
            {**NO_TOPIC, **SPECIFIC, "topic-pattern": "a", "scan.startup.specific-offsets": "partition:0,offset:1"},
            "Currently Kafka source only supports specific offset for single topic.",
            "scan.startup.specific-offsets",
        ),
        (
            {**KAFKA, "scan.bounded.mode": "timestamp"},
            "'scan.bounded.timestamp-millis' is required in 'timestamp' bounded mode but missing.",
            "scan.bounded.mode",
        ),
        (
            {**KAFKA, **BOUNDED},
            "'scan.bounded.specific-offsets' is required in 'specific-offsets' bounded mode but missing.",
            "scan.bounded.mode",
        ),
        (
            {**KAFKA, "properties.auto.offset.reset": "first"},
            "auto.offset.reset can not be set to 'first'. Valid values: [latest,earliest,none]",
            "properties.auto.offset.reset",
        ),
        (
            {**KAFKA, "scan.topic-partition-discovery.interval": "5 fortnights"},
            "Unsupported value '5 fortnights' for 'scan.topic-partition-discovery.interval': unknown unit",
            "scan.topic-partition-discovery.interval",
        ),
        (
            {**KAFKA, "scan.header-filter": "depart"},
            "Unsupported value 'depart' for 'scan.header-filter': expected key:value between & and |",
            "scan.header-filter",
        ),
        (
            {**KAFKA, "scan.check.duplicated.group.id": "1"},
            "Unsupported value '1' for 'scan.check.duplicated.group.id': expected true or false",
            "scan.check.duplicated.group.id",
        ),
        (
            {**KAFKA, "scan.parallelism": "0"},
            "Unsupported value '0' for 'scan.parallelism': expected a whole number greater than zero",
            "scan.parallelism",
        ),
        ({**KAFKA, "properties.enable.auto.commit": "maybe"}, "enable.auto.commit = 'maybe' is neither true nor", None),
    ],
)
def test_wrong_for_sources(options: Mapping[str, str], text: str, key: str | None) -> None:
    said = error(kafka_source, table(options))
    assert text in said
    assert at(options, key) in said if key else "table default_catalog.default_database.orders" in said


def not_a_partitioner() -> str:
    return "fixed"


def broken() -> str:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        (NO_FORMAT, "Could not find required sink format 'value.format'.", None),
        ({**KAFKA, "topic": "a;b"}, "A sink writes to one topic, and 'topic' lists 2: a; b", "topic"),
        ({**NO_TOPIC, "topic-pattern": "a.*"}, "A sink cannot find its topics by a pattern", "topic-pattern"),
        (
            {**KAFKA, "sink.partitioner": ""},
            "Option 'sink.partitioner' should be a non-empty string.",
            "sink.partitioner",
        ),
        (
            {**KAFKA, **KEYED, "sink.partitioner": "round-robin"},
            "Currently 'round-robin' partitioner only works when option 'key.fields' is not specified.",
            "sink.partitioner",
        ),
        (
            {**KAFKA, "sink.partitioner": "org.mycompany.MyPartitioner"},
            "Could not find and instantiate partitioner class 'org.mycompany.MyPartitioner'",
            "sink.partitioner",
        ),
        (
            {**KAFKA, "sink.partitioner": "org.mycompany.MyPartitioner"},
            "Write 'module:name' for a KafkaPartitioner in Python",
            "sink.partitioner",
        ),
        (
            {**KAFKA, "sink.partitioner": "no_such_module:Partitioner"},
            "No module named 'no_such_module'",
            "sink.partitioner",
        ),
        ({**KAFKA, "sink.partitioner": f"{__name__}:Missing"}, "has no attribute 'Missing'", "sink.partitioner"),
        ({**KAFKA, "sink.partitioner": f"{__name__}:broken"}, "RuntimeError('no luck')", "sink.partitioner"),
        (
            {**KAFKA, "sink.partitioner": f"{__name__}:not_a_partitioner"},
            "should implement the required class KafkaPartitioner",
            "sink.partitioner",
        ),
        (
            {**KAFKA, "sink.delivery-guarantee": "once"},
            "Unsupported value 'once' for 'sink.delivery-guarantee': expected one of exactly-once, at-least-once, none",
            "sink.delivery-guarantee",
        ),
        (
            {**KAFKA, "sink.delivery-guarantee": "exactly-once"},
            "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE.",
            "sink.delivery-guarantee",
        ),
        (
            {**KAFKA, "sink.semantic": "exactly-once"},
            "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE.",
            "sink.semantic",
        ),
        (
            {**KAFKA, "sink.parallelism": "many"},
            "Unsupported value 'many' for 'sink.parallelism': expected a whole number",
            "sink.parallelism",
        ),
        (
            {**KAFKA, "format": "debezium-json", "debezium-json.schema-include": "true"},
            "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been set to true.",
            "format",
        ),
    ],
)
def test_wrong_for_sinks(options: Mapping[str, str], text: str, key: str | None) -> None:
    said = error(kafka_sink, table(options))
    assert text in said
    assert key is None or at(options, key) in said


def test_several_topics_of_a_registry_need_a_subject() -> None:
    options = {**KAFKA, "topic": "a;b", "format": "avro-confluent", "avro-confluent.url": "http://r:8081"}
    said = error(kafka_sink, table(options, (physical("id"), metadata("topic", STRING))))
    assert "Option avro-confluent.subject is required for serialization" in said
    assert at(options, "format") in said


@pytest.mark.parametrize("make", [kafka_source, kafka_sink])
@pytest.mark.parametrize("key", [("id",), ("id", "offset")])
def test_rows_that_are_only_added_have_no_primary_key(make: Make, key: tuple[str, ...]) -> None:
    columns = (physical("id"), metadata("offset", BIGINT, is_virtual=True))
    assert (
        "The Kafka table 'default_catalog.default_database.orders' with 'json' format doesn't support defining PRIMARY "
        "KEY constraint on the table, because it can't guarantee the semantic of primary key."
    ) in error(make, table(KAFKA, columns, key))


DEW = {
    "dew.endpoint": "kms.xx.com",
    "dew.csms.secretName": "xx",
    "dew.csms.decrypt.fields": "properties.ssl.truststore.password",
    "dew.csms.version": "v1",
}


def test_secrets_in_huaweis_vault_are_refused_with_what_works() -> None:
    options = {**KAFKA, **DEW}
    said = error(kafka_source, table(options), UnsupportedFeatureError)
    assert all(key in said for key in DEW)
    assert "'properties.ssl.truststore.password' = '${env:NAME}'" in said
    assert at(options, "dew.endpoint") in said


def test_certificates_elsewhere_are_refused() -> None:
    options = {**KAFKA, "properties.ssl.truststore.location": "obs://xx/client.jks"}
    said = error(kafka_source, table(options), UnsupportedFeatureError)
    assert "'obs://xx/client.jks' is not a file on this machine" in said
    assert at(options, "properties.ssl.truststore.location") in said


@pytest.mark.parametrize(
    "options",
    [
        {**KAFKA, "format": "avro-confluent", "avro-confluent.url": "ftp://u:hunter2@r"},
        {**KAFKA, "properties.ssl.key.password": "hunter2", "scan.startup.modes": "x"},
        {**KAFKA, "json.ignore-parse-errors": "${env:PW}"},
        {**KAFKA, "properties.auto.offset.reset": "${env:PW}"},
        {**KAFKA, **SPECIFIC, "scan.startup.specific-offsets": "${env:PW}"},
        {**KAFKA, "format": "${env:PW}"},
    ],
)
def test_errors_tell_no_secrets(options: Mapping[str, str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        kafka_source(table(options), {"PW": "hunter2"})
    assert "hunter2" not in f"{caught.value!r} {caught.value} {caught.value.__cause__!r}"
