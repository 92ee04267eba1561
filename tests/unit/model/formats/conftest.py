"""A schema registry over HTTP; Confluent's own is not to be had as a package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafkastream.testing.registry import EmbeddedSchemaRegistry


@pytest.fixture
def registry() -> Iterator[EmbeddedSchemaRegistry]:
    with EmbeddedSchemaRegistry() as started:
        yield started
