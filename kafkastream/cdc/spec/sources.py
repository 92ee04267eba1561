"""Registry of source types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from kafkastream.cdc.spec.kafka_source import KAFKA_SOURCE, KafkaPipelineSource
from kafkastream.cdc.spec.section import SectionType
from kafkastream.cdc.spec.values_reading import VALUES_SOURCE
from kafkastream.cdc.spec.values_source import ValuesSource

__all__ = ["SOURCES", "PipelineSource"]

PipelineSource: TypeAlias = KafkaPipelineSource | ValuesSource

_TYPES: Final[tuple[SectionType[PipelineSource], ...]] = (KAFKA_SOURCE, VALUES_SOURCE)
SOURCES: Final[Mapping[str, SectionType[PipelineSource]]] = {type_.options.identifier: type_ for type_ in _TYPES}
"""Source types by name."""
