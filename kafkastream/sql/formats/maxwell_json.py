"""Maxwell's change events as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.formats.json_format import JsonSettings
from kafkastream.sql.types import DataType, Kind

__all__ = ["MaxwellJsonFormat"]

_STRING: Final = DataType.string()


@final
@attrs.frozen(kw_only=True)
class MaxwellJsonFormat(JsonSettings):
    """An event with a row in ``data``, old values in ``old``, and the ``type`` of the change."""

    identifier: ClassVar[str] = "maxwell-json"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.maxwell_messages"
    changelog: ClassVar[ChangelogMode] = ChangelogMode.RETRACT
    metadata: ClassVar[Mapping[str, DataType]] = FrozenMap(
        {
            "database": _STRING,
            "table": _STRING,
            "primary-key-columns": DataType.of(Kind.ARRAY, parts=(_STRING,)),
            "ingestion-timestamp": DataType.of(Kind.TIMESTAMP_LTZ, 3),
        }
    )
