"""Registry of formats of a Kafka source's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kafkastream.cdc.formats.canal_reader import CanalJson
from kafkastream.cdc.formats.debezium_reader import DebeziumJson
from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.formats.settings import FormatSettings

__all__ = ["VALUE_FORMATS", "CanalJson", "DebeziumJson", "Json", "ValueFormat"]

ValueFormat = FormatSettings

VALUE_FORMATS: Final[Mapping[str, type[FormatSettings]]] = {
    kind.identifier: kind for kind in (DebeziumJson, CanalJson, Json)
}
