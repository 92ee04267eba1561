"""Debezium's change events as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.formats.json_format import JsonSettings
from kafkastream.sql.settings import setting
from kafkastream.sql.types import DataType, Kind

__all__ = ["SCHEMA_INCLUDE", "DebeziumJsonFormat"]

SCHEMA_INCLUDE: Final = Option[bool](
    key="schema-include",
    parse=boolean,
    default=False,
    doc=(
        "Whether messages have the event in `payload` and its schema in `schema`: Kafka Connect's "
        "`value.converter.schemas.enable`."
    ),
)
_STRING: Final = DataType.string()
_TIME: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)


@final
@attrs.frozen(kw_only=True)
class DebeziumJsonFormat(JsonSettings):
    """An event with the row ``before`` and ``after``, and the ``op`` that changed it."""

    identifier: ClassVar[str] = "debezium-json"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.debezium_messages"
    changelog: ClassVar[ChangelogMode] = ChangelogMode.RETRACT
    metadata: ClassVar[Mapping[str, DataType]] = FrozenMap(
        {
            "schema": _STRING,
            "ingestion-timestamp": _TIME,
            "source.timestamp": _TIME,
            "source.database": _STRING,
            "source.schema": _STRING,
            "source.table": _STRING,
            "source.properties": DataType.of(Kind.MAP, parts=(_STRING, _STRING)),
        }
    )
    schema_include: bool = setting(SCHEMA_INCLUDE)

    @property
    def writing_problem(self) -> str | None:
        """Return the error text for writing events with a schema, which is not supported."""
        if not self.schema_include:
            return None
        return (
            f"Debezium JSON serialization doesn't support '{self.identifier}.{SCHEMA_INCLUDE.key}' "
            "option been set to true."
        )
