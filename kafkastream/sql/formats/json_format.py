"""The format ``json``, and options that all formats in JSON share."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, enum_member, text
from kafkastream.sql.formats.format import Format
from kafkastream.sql.settings import setting
from kafkastream.sql.type_families import MAPS, TEXT
from kafkastream.sql.types import DataType, RowField

__all__ = [
    "FLATTEN_NESTED_COLUMNS",
    "IGNORE_PARSE_ERRORS",
    "PRIMITIVE_AS_STRING",
    "TIMESTAMP_FORMAT",
    "JsonFormat",
    "JsonSettings",
    "MapNullKeyMode",
    "TimestampFormat",
    "check_json_type",
]


class TimestampFormat(enum.Enum):
    """Text format of timestamps."""

    SQL = "SQL"
    """``2024-05-01 12:30:00.123``, with a final ``Z`` for TIMESTAMP_LTZ."""
    ISO_8601 = "ISO-8601"
    """``2024-05-01T12:30:00.123``: as ``SQL``, with ``T`` between date and time."""

    @property
    def separator(self) -> str:
        """Return the character between date and time."""
        return "T" if self is TimestampFormat.ISO_8601 else " "


class MapNullKeyMode(enum.Enum):
    """Handling of MAP entries whose key is NULL; Spark's maps have none."""

    FAIL = "FAIL"
    DROP = "DROP"
    LITERAL = "LITERAL"


FAIL_ON_MISSING_FIELD: Final = Option[bool](
    key="fail-on-missing-field",
    parse=boolean,
    default=False,
    doc="Whether a missing field fails the job; otherwise it is NULL.",
)
IGNORE_PARSE_ERRORS: Final = Option[bool](
    key="ignore-parse-errors",
    parse=boolean,
    default=False,
    doc=(
        "Whether fields that cannot be parsed become NULL, and rows that cannot be parsed are skipped; "
        "otherwise they fail the job."
    ),
)
TIMESTAMP_FORMAT: Final = Option[TimestampFormat](
    key="timestamp-format.standard",
    parse=enum_member(TimestampFormat),
    default=TimestampFormat.SQL,
    doc="Format of timestamps: `SQL` (`2024-05-01 12:30:00.1`) or `ISO-8601` (with `T`).",
)
MAP_NULL_KEY_MODE: Final = Option[MapNullKeyMode](
    key="map-null-key.mode",
    parse=enum_member(MapNullKeyMode),
    default=MapNullKeyMode.FAIL,
    doc=("Handling of NULL as a key of a MAP: `FAIL`, `DROP` or `LITERAL`. No effect: Spark's maps have no such keys."),
)
MAP_NULL_KEY_LITERAL: Final = Option[str](
    key="map-null-key.literal",
    parse=text,
    default="null",
    doc="Key for NULL in a MAP with the mode `LITERAL`. No effect: Spark's maps have no such keys.",
)
ENCODE_DECIMAL_AS_PLAIN_NUMBER: Final = Option[bool](
    key="encode.decimal-as-plain-number",
    parse=boolean,
    default=False,
    doc=(
        "Whether a DECIMAL is written with all its digits (`100.00`, `0.000000027`); otherwise without "
        "trailing zeros and, if needed, with an exponent (`1E+2`, `2.7E-8`)."
    ),
)
ENCODE_IGNORE_NULL_FIELDS: Final = Option[bool](
    key="encode.ignore-null-fields",
    parse=boolean,
    default=False,
    doc="Whether fields that are NULL are omitted when a row is written.",
)
DECODE_JSON_PARSER_ENABLED: Final = Option[bool](
    key="decode.json-parser.enabled",
    parse=boolean,
    default=True,
    doc="Choice of Flink's parser. No effect: Spark parses.",
)
FLATTEN_NESTED_COLUMNS: Final = Option[bool](
    key="infer-schema.flatten-nested-columns.enable",
    parse=boolean,
    default=False,
    doc=(
        "Whether a column `a.b` is the member `b` of the object `a`. From Alibaba Cloud; Flink lacks it. "
        "Catalogs of type `kafka` set it."
    ),
)
PRIMITIVE_AS_STRING: Final = Option[bool](
    key="infer-schema.primitive-as-string",
    parse=boolean,
    default=False,
    doc=("Whether all inferred columns are STRING. No effect on a table: only catalogs of type `kafka` infer columns."),
)


def check_json_type(kind: DataType) -> None:
    """Refuse a type that JSON cannot represent, as Flink does.

    Args:
        kind: Type of a column.

    Raises:
        UnsupportedFeatureError: The keys of a map are not text.
    """
    if kind.kind in MAPS and kind.parts[0].kind not in TEXT:
        raise UnsupportedFeatureError(
            f"JSON format doesn't support non-string as key type of map. The type is: {kind}",
            now="Declare the keys as STRING, and cast them in the query.",
        )
    for part in kind.inner_types:
        check_json_type(part)


@attrs.frozen(kw_only=True)
class JsonSettings(Format):
    """Options of all formats in JSON."""

    ignore_parse_errors: bool = setting(IGNORE_PARSE_ERRORS)
    timestamp_format: TimestampFormat = setting(TIMESTAMP_FORMAT)
    map_null_key_mode: MapNullKeyMode = setting(MAP_NULL_KEY_MODE)
    map_null_key_literal: str = setting(MAP_NULL_KEY_LITERAL)
    encode_decimal_as_plain_number: bool = setting(ENCODE_DECIMAL_AS_PLAIN_NUMBER)


@final
@attrs.frozen(kw_only=True)
class JsonFormat(JsonSettings):
    """A JSON object with a member for each field.

    Raises:
        DefinitionError: Both ``fail-on-missing-field`` and ``ignore-parse-errors`` are set.
    """

    identifier: ClassVar[str] = "json"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.json_messages"
    finds_fields_by_name: ClassVar[bool] = True
    fail_on_missing_field: bool = setting(FAIL_ON_MISSING_FIELD)
    encode_ignore_null_fields: bool = setting(ENCODE_IGNORE_NULL_FIELDS)
    decode_json_parser_enabled: bool = setting(DECODE_JSON_PARSER_ENABLED)
    flatten_nested_columns: bool = setting(FLATTEN_NESTED_COLUMNS)
    primitive_as_string: bool = setting(PRIMITIVE_AS_STRING)

    def __attrs_post_init__(self) -> None:
        if self.fail_on_missing_field and self.ignore_parse_errors:
            raise DefinitionError(
                f"{FAIL_ON_MISSING_FIELD.key} and {IGNORE_PARSE_ERRORS.key} shouldn't both be true.",
                where=f"{self.identifier}.{FAIL_ON_MISSING_FIELD.key}",
                now="Leave one of them out.",
            )

    def problem_with(self, fields: Sequence[RowField]) -> str | None:
        """Return an error text if a member and one of its own members are both columns; None otherwise."""
        names = {field.name for field in fields} if self.flatten_nested_columns else set()
        outer = next((name for name in names if any(other.startswith(f"{name}.") for other in names)), None)
        return None if outer is None else f"The member '{outer}' is a column, and so are members of it."

    def without_effect(self, fields: Sequence[RowField]) -> Sequence[Option[Any]]:
        """Return the set options that only apply to inferred columns."""
        flattens_none = self.flatten_nested_columns and not any("." in field.name for field in fields)
        idle = ((FLATTEN_NESTED_COLUMNS, flattens_none), (PRIMITIVE_AS_STRING, self.primitive_as_string))
        return tuple(option for option, is_idle in idle if is_idle)
