"""Documents in YAML, read by tests."""

from __future__ import annotations

import pytest

from kafkastream.cdc.document.reading import read_document
from kafkastream.cdc.document.variables import Variables
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.errors import KafkastreamError

__all__ = ["KAFKA", "SINK", "SOURCE", "VALUES", "read", "refused", "source"]

SOURCE = "source: {type: kafka, properties.bootstrap.servers: 'k:9092', topic: orders, properties.group.id: g}\n"
SINK = "sink: {type: print}\n"
KAFKA = "source:\n  type: kafka\n  properties.bootstrap.servers: k:9092\n  properties.group.id: g\n"
VALUES = "source:\n  type: values\n  tables: CREATE TABLE a (id INT)\n  changes:\n"


def read(text: str, given: dict[str, str] | None = None, environ: dict[str, str] | None = None) -> PipelineSpec:
    return read_document(text, "job.yaml", Variables(given or {}, environ or {})).spec


def source(options: str) -> KafkaPipelineSource:
    made = read(f"source:\n  type: kafka\n  properties.bootstrap.servers: k:9092\n{options}\n{SINK}").source
    assert isinstance(made, KafkaPipelineSource)
    return made


def refused(text: str, given: dict[str, str] | None = None) -> KafkastreamError:
    with pytest.raises(KafkastreamError) as error:
        read(text, given)
    return error.value
