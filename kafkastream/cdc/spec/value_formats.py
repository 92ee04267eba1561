"""The formats of a Kafka source's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol, final

import attrs

from kafkastream.spec.values import FrozenMap
from kafkastream.sql.types import DataType

__all__ = ["VALUE_FORMATS", "CanalJson", "DebeziumJson", "Json", "ValueFormat"]


class ValueFormat(Protocol):
    """The settings of a format: a frozen value whose fields are options."""

    identifier: ClassVar[str]


@final
@attrs.frozen(kw_only=True)
class DebeziumJson:
    """Debezium's change events."""

    identifier: ClassVar[str] = "debezium-json"


@final
@attrs.frozen(kw_only=True)
class CanalJson:
    """Canal's change events."""

    identifier: ClassVar[str] = "canal-json"


@final
@attrs.frozen(kw_only=True)
class Json:
    """Objects, each a row that is inserted."""

    identifier: ClassVar[str] = "json"
    fixed_types: Mapping[str, DataType] = attrs.field(default=FrozenMap(), converter=FrozenMap[str, DataType])


VALUE_FORMATS: Final[Mapping[str, type[Any]]] = {kind.identifier: kind for kind in (DebeziumJson, CanalJson, Json)}
"""All formats by their names."""
