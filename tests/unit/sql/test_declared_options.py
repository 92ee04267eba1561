"""Every option is declared once, with the default that Flink documents, and has its row in the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest

from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.records import RECORD_OPTIONS
from kafkastream.options.tables import markdown_table
from kafkastream.sql.connectors import CONNECTORS
from kafkastream.sql.files.parquet_file_format import ParquetFormat
from kafkastream.sql.formats import FORMATS
from kafkastream.sql.kafka_catalog.options import KAFKA_CATALOG
from kafkastream.sql.settings import options_of
from tests.package import modules_of

Options = Iterable[Option[Any] | OptionFamily]
COMMON = {"connector": "(none)", "property-version": "1"}
BOUNDED = {
    "scan.bounded.mode": "unbounded",
    "scan.bounded.specific-offsets": "(none)",
    "scan.bounded.timestamp-millis": "(none)",
    "scan.topic-partition-discovery.interval": "5 min",
    "scan.parallelism": "(none)",
}
WRITING = {
    "sink.delivery-guarantee": "at-least-once",
    "sink.transactional-id-prefix": "(none)",
    "sink.transaction-naming-strategy": "incrementing",
    "sink.parallelism": "(none)",
}
JSON = {
    "ignore-parse-errors": "false",
    "timestamp-format.standard": "SQL",
    "map-null-key.mode": "FAIL",
    "map-null-key.literal": "null",
    "encode.decimal-as-plain-number": "false",
}
DEFAULTS = {
    "kafka": {
        **COMMON,
        "topic": "(none)",
        "topic-pattern": "(none)",
        "properties.bootstrap.servers": "(required)",
        "properties.group.id": "(none)",
        "properties.*": "(none)",
        "format": "(none)",
        "key.format": "(none)",
        "key.fields": "(none)",
        "key.fields-prefix": "(none)",
        "value.format": "(none)",
        "value.fields-include": "ALL",
        "value.fields-prefix": "(none)",
        "scan.startup.mode": "group-offsets",
        "scan.startup.specific-offsets": "(none)",
        "scan.startup.timestamp-millis": "(none)",
        **BOUNDED,
        "scan.header-filter": "(none)",
        "scan.check.duplicated.group.id": "false",
        "sink.partitioner": "default",
        "sink.semantic": "(none)",
        **WRITING,
    },
    "upsert-kafka": {
        **COMMON,
        "topic": "(none)",
        "topic-pattern": "(none)",
        "properties.bootstrap.servers": "(required)",
        "properties.*": "(none)",
        "key.format": "(required)",
        "key.fields-prefix": "(none)",
        "value.format": "(required)",
        "value.fields-include": "ALL",
        "value.fields-prefix": "(none)",
        **BOUNDED,
        **WRITING,
        "sink.buffer-flush.max-rows": "0",
        "sink.buffer-flush.interval": "0 ms",
    },
    "print": {
        **COMMON,
        "print-identifier": "(none)",
        "standard-error": "false",
        "sink.parallelism": "(none)",
    },
    "blackhole": COMMON,
    "filesystem": {
        **COMMON,
        "path": "(required)",
        "format": "(required)",
        "partition.default-name": "__DEFAULT_PARTITION__",
        "source.monitor-interval": "(none)",
        "source.path.regex-pattern": "(none)",
        "source.report-statistics": "ALL",
        "scan.parallelism": "(none)",
        "sink.rolling-policy.file-size": "134217728",
        "sink.rolling-policy.rollover-interval": "30 min",
        "sink.rolling-policy.inactivity-interval": "30 min",
        "sink.rolling-policy.check-interval": "1 min",
        "sink.shuffle-by-partition.enable": "false",
        "sink.partition-commit.trigger": "process-time",
        "sink.partition-commit.delay": "0 ms",
        "sink.partition-commit.watermark-time-zone": "UTC",
        "partition.time-extractor.kind": "default",
        "partition.time-extractor.timestamp-pattern": "(none)",
        "partition.time-extractor.timestamp-formatter": "(none)",
        "sink.partition-commit.policy.kind": "(none)",
        "sink.partition-commit.success-file.name": "_SUCCESS",
        "auto-compaction": "false",
        "sink.parallelism": "(none)",
    },
    "parquet": {
        "utc-timezone": "false",
        "timestamp.time.unit": "micros",
        "write.int64.timestamp": "false",
        "compression": "snappy",
        "block.size": "134217728",
    },
    "nexmark": {
        **COMMON,
        "events.num": "0",
        "first-event.rate": "10000",
        "max-emit-speed": "true",
        "base-time": "2015-07-15 00:00:00",
        "person.proportion": "1",
        "auction.proportion": "3",
        "bid.proportion": "46",
        "person.avg-size": "200",
        "auction.avg-size": "500",
        "bid.avg-size": "100",
        "bid.hot-ratio.auctions": "2",
        "bid.hot-ratio.bidders": "4",
        "auction.hot-ratio.sellers": "4",
        "scan.parallelism": "(none)",
        "next-event.rate": "10000",
        "rate.shape": "SQUARE",
        "rate.period": "10 min",
        "rate.limited": "false",
        "keep-alive": "false",
        "stop-at": "-1",
    },
    "datagen": {
        **COMMON,
        "rows-per-second": "10000",
        "number-of-rows": "(none)",
        "fields.#.kind": "random",
        "fields.#.min": "(none)",
        "fields.#.max": "(none)",
        "fields.#.max-past": "0 ms",
        "fields.#.length": "(none)",
        "fields.#.var-len": "false",
        "fields.#.start": "(none)",
        "fields.#.end": "(none)",
        "fields.#.null-rate": "0.0",
        "scan.parallelism": "(none)",
    },
    "jdbc": {
        **COMMON,
        "url": "(required)",
        "table-name": "(required)",
        "driver": "(none)",
        "username": "(none)",
        "password": "(none)",
        "properties.*": "(none)",
        "connection.max-retry-timeout": "1 min",
        "sink.buffer-flush.max-rows": "100",
        "sink.buffer-flush.interval": "1 s",
        "sink.max-retries": "3",
        "sink.parallelism": "(none)",
        "scan.partition.column": "(none)",
        "scan.partition.num": "(none)",
        "scan.partition.lower-bound": "(none)",
        "scan.partition.upper-bound": "(none)",
        "scan.fetch-size": "0",
        "scan.auto-commit": "true",
        "filter.handling.policy": "always",
        "lookup.cache": "NONE",
        "lookup.max-retries": "3",
        "lookup.partial-cache.max-rows": "(none)",
        "lookup.partial-cache.expire-after-access": "(none)",
        "lookup.partial-cache.expire-after-write": "(none)",
        "lookup.partial-cache.caching-missing-key": "true",
        "lookup.cache.max-rows": "(none)",
        "lookup.cache.ttl": "(none)",
        "lookup.cache.caching-missing-key": "true",
    },
    "json": {
        **JSON,
        "fail-on-missing-field": "false",
        "encode.ignore-null-fields": "false",
        "decode.json-parser.enabled": "true",
        "infer-schema.flatten-nested-columns.enable": "false",
        "infer-schema.primitive-as-string": "false",
    },
    "csv": {
        "field-delimiter": ",",
        "disable-quote-character": "false",
        "quote-character": "(none)",
        "allow-comments": "false",
        "ignore-parse-errors": "false",
        "array-element-delimiter": ";",
        "escape-character": "(none)",
        "null-literal": "(none)",
        "write-bigdecimal-in-scientific-notation": "false",
    },
    "raw": {"charset": "UTF-8", "endianness": "big-endian"},
    "avro": {"encoding": "binary", "codec": "(none)", "timestamp_mapping.legacy": "true"},
    "avro-confluent": {
        "url": "(required)",
        "subject": "(none)",
        "schema": "(none)",
        "auto.register.schemas": "true",
        "ssl.keystore.location": "(none)",
        "ssl.keystore.password": "(none)",
        "ssl.truststore.location": "(none)",
        "ssl.truststore.password": "(none)",
        "basic-auth.credentials-source": "(none)",
        "basic-auth.user-info": "(none)",
        "bearer-auth.credentials-source": "(none)",
        "bearer-auth.token": "(none)",
        "properties.*": "(none)",
    },
    "protobuf": {
        "message-class-name": "(required)",
        "descriptor-file": "(none)",
        "ignore-parse-errors": "false",
        "read-default-values": "false",
        "write-null-string-literal": "(none)",
    },
    "debezium-json": {**JSON, "schema-include": "false"},
    "canal-json": {**JSON, "database.include": "(none)", "table.include": "(none)"},
    "maxwell-json": JSON,
    "CREATE CATALOG": {
        "type": "(required)",
        "properties.bootstrap.servers": "(required)",
        "properties.*": "(none)",
        "format": "(required)",
        "default-database": "kafka",
        "key.fields-prefix": "key_",
        "value.fields-prefix": "value_",
        "timestamp-format.standard": "SQL",
        "infer-schema.flatten-nested-columns.enable": "false",
        "infer-schema.primitive-as-string": "false",
        "infer-schema.parse-key-error.field-name": "col",
        "infer-schema.compacted-topic-as-upsert-table": "true",
        "max.fetch.records": "100",
    },
}

DECLARED: dict[str, tuple[Options, tuple[Option[Any], ...]]] = {
    **{name: (connector.options, connector.required) for name, connector in CONNECTORS.items()},
    **{name: (options_of(kind), kind.required) for name, kind in FORMATS.items()},
    ParquetFormat.identifier: (options_of(ParquetFormat), ()),
    "CREATE CATALOG": (KAFKA_CATALOG.options, KAFKA_CATALOG.required),
}


def test_everything_is_in_the_table_of_defaults() -> None:
    assert DECLARED.keys() == DEFAULTS.keys()


def test_every_option_that_is_declared_can_be_given() -> None:
    listed = [option for options, _ in DECLARED.values() for option in options]
    declared = [one for name in modules_of("kafkastream.sql") for one in vars(import_module(name)).values()]
    options = [one for one in declared if isinstance(one, (Option, OptionFamily))]
    assert options
    assert [option.key for option in options if option not in (*listed, *RECORD_OPTIONS)] == []


@pytest.mark.parametrize("name", DECLARED)
def test_defaults_are_those_of_the_documents(name: str) -> None:
    rows = [line.strip("| ").split(" | ") for line in markdown_table(*DECLARED[name]).splitlines()[2:]]
    assert {key.strip("`"): default.strip("`") for key, default, *_ in rows} == DEFAULTS[name]
    assert len(rows) == len(DEFAULTS[name])


@pytest.mark.parametrize("name", DECLARED)
def test_options_are_documented_and_their_defaults_can_be_written(name: str) -> None:
    options, required = DECLARED[name]
    for option in options:
        assert re.fullmatch(r"[A-Z].*\.", option.doc), option.key
        if isinstance(option, Option) and option.default and option not in required:
            text = getattr(option.default, "value", option.default)
            assert option.parse(str(text).lower() if isinstance(text, bool) else str(text)) == option.default


KAFKA_PAGES = """
    connector topic topic-pattern properties.bootstrap.servers properties.group.id properties.* format key.format
    key.fields key.fields-prefix value.format value.fields-include scan.startup.mode scan.startup.specific-offsets
    scan.startup.timestamp-millis scan.topic-partition-discovery.interval scan.header-filter
    scan.check.duplicated.group.id value.fields-prefix sink.partitioner sink.semantic sink.delivery-guarantee
    sink.transactional-id-prefix sink.parallelism
"""
UPSERT_PAGE = """
    connector topic properties.bootstrap.servers key.format key.fields-prefix value.format value.fields-include
    properties.* sink.parallelism sink.buffer-flush.max-rows sink.buffer-flush.interval
"""


@pytest.mark.parametrize(("name", "page"), [("kafka", KAFKA_PAGES), ("upsert-kafka", UPSERT_PAGE)])
def test_all_options_of_the_vendors_pages_are_there(name: str, page: str) -> None:
    assert set(page.split()) <= {option.key for option in CONNECTORS[name].options}
