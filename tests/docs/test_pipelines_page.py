"""The page of pipelines has the tables of options that the code gives, and documents that can be read.

Run as a program (``python -m tests.docs.test_pipelines_page``), it writes the tables anew.
"""

from __future__ import annotations

import re
from typing import Final

import jsonschema
import pytest
import yaml

from kafkastream.cdc.document.reading import PIPELINE, ROUTE, TRANSFORM, read_document
from kafkastream.cdc.document.schema import json_schema
from kafkastream.cdc.document.tree import SECTIONS
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.spec.settings import PIPELINE_OPTIONS
from kafkastream.cdc.spec.sinks import SINKS
from kafkastream.cdc.spec.sources import SOURCES
from kafkastream.options.tables import markdown_table
from kafkastream.sql.option_group import OptionGroup
from tests.docs.placed_table import DOCS, PlacedTable

PAGE: Final = DOCS / "pipelines.md"
DECLARED: Final = {
    **{f"source {name}": type_.options for name, type_ in SOURCES.items()},
    **{f"sink {name}": type_.options for name, type_ in SINKS.items()},
    "transform": TRANSFORM,
    "route": ROUTE,
    "pipeline": OptionGroup(PIPELINE.identifier, PIPELINE_OPTIONS),
}
BLOCKS: Final = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
OTHER_SECTIONS: Final = {
    "source": "source: {type: kafka, properties.bootstrap.servers: 'k:9092', topic: a, properties.group.id: g}\n",
    "sink": "sink: {type: print}\n",
}
VARIABLES: Final = {
    "kafka.servers": "k:9092",
    "topic": "t",
    "secret_values.password": "1234",
    "secret_values.url": "postgresql://u@h/d",
    "checkpoints": "file:///c",
    "day": "monday",
}
EXAMPLE: Final = DOCS.parent / "examples" / "pipelines" / "shop.yaml"


def place(name: str) -> PlacedTable:
    return PlacedTable(PAGE, f"<!-- Made by tests/docs/test_pipelines_page.py: {name} -->")


def table(name: str) -> str:
    group = DECLARED[name]
    return markdown_table(group.own, group.required)


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_options_are_those_that_are_declared(name: str) -> None:
    assert place(name).written == table(name)


@pytest.mark.parametrize("block", BLOCKS, ids=[f"block {number}" for number in range(1, len(BLOCKS) + 1)])
def test_documents_can_be_read(block: str) -> None:
    given = yaml.safe_load(block)
    assert set(given) <= set(SECTIONS)
    text = block + "".join(section for name, section in OTHER_SECTIONS.items() if name not in given)
    read_document(text, "page", Variables(VARIABLES, {}))
    jsonschema.validate(yaml.safe_load(text), json_schema())


def test_the_example_is_the_one_of_the_page() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert text[text.index("source:") :] in BLOCKS


def write() -> None:
    for name in sorted(DECLARED):
        place(name).write(table(name))


if __name__ == "__main__":
    write()
