"""Which connector a table has."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kafkastream.sql.connectors import sink_of, source_of
from tests.unit.sql.tables import Make, at, error, table


@pytest.mark.parametrize("make", [source_of, sink_of])
@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        ({"topic": "a"}, "Table options do not contain an option key 'connector' for discovering a connector.", None),
        ({"connector": "kafak"}, "Could not find any connector for identifier 'kafak'. Available are", "connector"),
        ({"connector": "kafak"}, "Did you mean 'kafka'?", "connector"),
        (
            {"connector.type": "kafka", "connector.topic": "a", "format.type": "json", "update-mode": "append"},
            (
                "'connector.topic' is 'topic'; 'connector.type' is 'connector'; 'format.type' is 'format'; "
                "'update-mode' is left out, and 'connector' = 'upsert-kafka' takes updates."
            ),
            "connector.topic",
        ),
        (
            {
                "connector.type": "kafka",
                "connector.properties.group.id": "g",
                "connector.startup-mode": "latest-offset",
                "connector.version": "universal",
                "format.ignore-parse-errors": "true",
            },
            (
                "'connector.properties.group.id' is 'properties.group.id'; 'connector.startup-mode' is 'scan.startup.mode'; "
                "'connector.type' is 'connector'; 'connector.version' is left out; "
                "'format.ignore-parse-errors' is '<format>.ignore-parse-errors'."
            ),
            "connector.properties.group.id",
        ),
    ],
)
def test_tables_without_a_connector(make: Make, options: Mapping[str, str], text: str, key: str | None) -> None:
    said = error(make, table(options))
    assert text in said
    assert key is None or at(options, key) in said


@pytest.mark.parametrize(
    ("make", "connector", "text"),
    [
        (source_of, "print", "Connector 'print' can only be used as a sink. It cannot be used as a source."),
        (source_of, "blackhole", "Connector 'blackhole' can only be used as a sink. It cannot be used as a source."),
        (sink_of, "datagen", "Connector 'datagen' can only be used as a source. It cannot be used as a sink."),
        (sink_of, "nexmark", "Connector 'nexmark' can only be used as a source. It cannot be used as a sink."),
    ],
)
def test_connectors_that_go_one_way(make: Make, connector: str, text: str) -> None:
    options = {"connector": connector}
    said = error(make, table(options))
    assert text in said
    assert at(options, "connector") in said
