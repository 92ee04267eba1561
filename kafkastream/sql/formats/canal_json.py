"""Canal's change events as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option
from kafkastream.options.parsers import text
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.formats.json_format import JsonSettings
from kafkastream.sql.settings import setting
from kafkastream.sql.types import DataType, Kind

__all__ = ["CanalJsonFormat"]

DATABASE_INCLUDE: Final = Option[str | None](
    key="database.include",
    parse=text,
    default=None,
    doc="Java regular expression for the whole `database` of an event; other events are left out.",
)
TABLE_INCLUDE: Final = Option[str | None](
    key="table.include",
    parse=text,
    default=None,
    doc="Java regular expression for the whole `table` of an event; other events are left out.",
)
_STRING: Final = DataType.string()
_TIME: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)


@final
@attrs.frozen(kw_only=True)
class CanalJsonFormat(JsonSettings):
    """An event with rows in ``data``, old values in ``old``, and the ``type`` of the change."""

    identifier: ClassVar[str] = "canal-json"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.canal_messages"
    changelog: ClassVar[ChangelogMode] = ChangelogMode.RETRACT
    metadata: ClassVar[Mapping[str, DataType]] = FrozenMap(
        {
            "database": _STRING,
            "table": _STRING,
            "sql-type": DataType.of(Kind.MAP, parts=(_STRING, DataType.of(Kind.INT))),
            "pk-names": DataType.of(Kind.ARRAY, parts=(_STRING,)),
            "ingestion-timestamp": _TIME,
            "event-timestamp": _TIME,
        }
    )
    database_include: str | None = setting(DATABASE_INCLUDE)
    table_include: str | None = setting(TABLE_INCLUDE)
