"""Options with the limits for records, under keys of this package."""

from __future__ import annotations

from typing import Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import bytes_of_memory, positive

__all__ = ["DEEPEST", "MAX_DEPTH", "MAX_DIGITS", "MAX_EMPTY_ITEMS", "MAX_SCHEMA_SIZE", "RECORD_OPTIONS"]

# Jackson, which Flink parses JSON with, has this limit of nesting and of a number's digits:
# https://github.com/FasterXML/jackson-core/blob/jackson-core-2.18.2/src/main/java/com/fasterxml/jackson/core/StreamReadConstraints.java
DEEPEST: Final = 1_000
"""Greatest ``MAX_DEPTH``: each level takes some kB of a worker's stack, mostly of 8 MB."""


def _depth(value: str) -> int:
    if (depth := positive(value)) > DEEPEST:
        raise ValueError(f"expected at most {DEEPEST}, which is Jackson's limit")
    return depth


MAX_DEPTH: Final = Option[int](
    key="kafkastream.records.max-depth",
    parse=_depth,
    default=200,
    doc=f"How deep the values of a record may be nested; {DEEPEST:,} at most.",
)
MAX_DIGITS: Final = Option[int](
    key="kafkastream.records.max-digits",
    parse=positive,
    default=1_000,
    doc="How many digits a number in a record may have, with the zeros of its exponent or scale.",
)
MAX_EMPTY_ITEMS: Final = Option[int](
    key="kafkastream.records.max-empty-items",
    parse=positive,
    default=1_000,
    doc="How many values that take no bytes, such as the nulls of Avro's `array<null>`, a record may have.",
)
MAX_SCHEMA_SIZE: Final = Option[int](
    key="kafkastream.records.max-schema-size",
    parse=bytes_of_memory,
    default=4 * 2**20,
    doc="Maximum size of a schema registry's answer, and of a schema with those that it refers to; a memory size such "
    "as `4 mb`.",
)
RECORD_OPTIONS: Final = (MAX_DEPTH, MAX_DIGITS, MAX_EMPTY_ITEMS, MAX_SCHEMA_SIZE)
