"""The table of builder methods on the source's page.

Run as a program (``python -m tests.docs.test_source_page``), it writes the table anew.
"""

from __future__ import annotations

from kafkastream.datastream.connectors.kafka import KafkaSourceBuilder
from tests.docs.builder_table import DOCS, BuilderTable

MARK = "<!-- The table is made by tests/docs/test_source_page.py. -->"
TABLE = BuilderTable(DOCS / "kafka-source.md", MARK, "KafkaSource")


def test_table_is_that_of_the_support_page() -> None:
    assert TABLE.written == TABLE.text


def test_table_has_every_method_of_the_builder() -> None:
    assert TABLE.lacking(KafkaSourceBuilder) == set()


if __name__ == "__main__":
    TABLE.write()
