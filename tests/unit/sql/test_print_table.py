"""Tables of the connectors ``print`` and ``blackhole``."""

from __future__ import annotations

import pytest

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import BlackHoleTableSink, PrintTableSink, TableSink, sink_of
from tests.unit.sql.tables import BIGINT, at, error, metadata, physical, table


@pytest.mark.parametrize(
    ("options", "sink"),
    [
        ({"connector": "print"}, PrintTableSink()),
        ({"connector": "print", "print-identifier": "a"}, PrintTableSink(print_identifier="a")),
        ({"connector": "print", "standard-error": "true"}, PrintTableSink(standard_error=True)),
        ({"connector": "print", "sink.parallelism": "2"}, PrintTableSink(parallelism=2)),
        ({"connector": "print", "property-version": "1"}, PrintTableSink()),
        ({"connector": "blackhole"}, BlackHoleTableSink()),
    ],
    ids=str,
)
def test_options(options: dict[str, str], sink: TableSink) -> None:
    made = sink_of(table(options, (physical("id"), metadata("offset", BIGINT, is_virtual=True))))
    assert made == sink
    assert made.changelog is ChangelogMode.RETRACT


@pytest.mark.parametrize(
    ("options", "text", "key"),
    [
        (
            {"connector": "print", "print-identifer": "a"},
            (
                "Unsupported options found for 'print'. Unsupported options: print-identifer. Supported options: connector, "
                "print-identifier, property-version, sink.parallelism, standard-error."
            ),
            "print-identifer",
        ),
        ({"connector": "print", "standard-error": "no"}, "Unsupported value 'no' for", "standard-error"),
        ({"connector": "print", "print-style": "row"}, "Unsupported options found for 'print'.", "print-style"),
        (
            {"connector": "blackhole", "sink.parallelism": "1"},
            "Unsupported options found for 'blackhole'.",
            "sink.parallelism",
        ),
    ],
)
def test_wrong_options(options: dict[str, str], text: str, key: str) -> None:
    said = error(sink_of, table(options))
    assert text in said
    assert at(options, key) in said


@pytest.mark.parametrize("connector", ["print", "blackhole"])
def test_metadata_is_not_printed(connector: str) -> None:
    said = error(sink_of, table({"connector": connector}, (physical("id"), metadata("offset", BIGINT))))
    assert (
        "Table 'default_catalog.default_database.orders' declares persistable metadata columns, but the underlying "
        "DynamicTableSink doesn't implement the SupportsWritingMetadata interface. If the column should not be "
        "persisted, it can be declared with the VIRTUAL keyword."
    ) in said
    assert "column 'offset', line 2, column 7" in said
