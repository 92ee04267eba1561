"""Registry of sink types; a new sink is a ``PipelineSink``, its ``SectionType``, a line here, and a writer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.cdc.spec.kafka_sink import KAFKA_SINK
from kafkastream.cdc.spec.postgres_sink import HOLOGRES, POSTGRES
from kafkastream.cdc.spec.section import SectionType
from kafkastream.cdc.spec.simple_sinks import DELTA, PRINT, VALUES
from kafkastream.cdc.spec.sink import PipelineSink

__all__ = ["SINKS"]

_TYPES: Final[tuple[SectionType[PipelineSink], ...]] = (KAFKA_SINK, POSTGRES, HOLOGRES, DELTA, PRINT, VALUES)
SINKS: Final[Mapping[str, SectionType[PipelineSink]]] = {type_.options.identifier: type_ for type_ in _TYPES}
"""Sink types by name."""
