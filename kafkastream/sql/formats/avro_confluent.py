"""Avro records with a schema in a Confluent schema registry."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.formats.schema_registry import SchemaRegistry
from kafkastream.options.option import Option, OptionFamily
from kafkastream.options.parsers import boolean, text
from kafkastream.sql.formats.avro_format import AvroRecordFormat
from kafkastream.sql.formats.avro_types import avro_type, table_type
from kafkastream.sql.settings import setting, settings_under
from kafkastream.sql.types import DataType, Kind, RowField

__all__ = ["AvroConfluentFormat"]


def _text(key: str, doc: str) -> Option[str | None]:
    return Option(key=key, parse=text, default=None, doc=doc)


URL: Final = Option[str](
    key="url",
    parse=text,
    default="",
    doc="URL of the registry; several are separated by `,`.",
    deprecated_keys=("schema-registry.url",),
)
SUBJECT: Final = Option[str | None](
    key="subject",
    parse=text,
    default=None,
    doc="Subject under which a sink registers its schema; by default, `<topic>-value` or `<topic>-key`.",
    deprecated_keys=("schema-registry.subject",),
)
SCHEMA: Final = Option[str | None](
    key="schema",
    parse=text,
    default=None,
    doc="Avro schema, which must fit the table's; by default, derived from it.",
    deprecated_keys=("schema-registry.schema",),
)
AUTO_REGISTER_SCHEMAS: Final = Option[bool](
    key="auto.register.schemas",
    parse=boolean,
    default=True,
    doc="Whether a sink registers its schema; otherwise the registry must have it.",
)
KEYSTORE_LOCATION: Final = _text("ssl.keystore.location", "PEM file with the client's certificate and key.")
KEYSTORE_PASSWORD: Final = _text("ssl.keystore.password", "Password of the client's key.")
TRUSTSTORE_LOCATION: Final = _text("ssl.truststore.location", "PEM file with the trusted certificates.")
TRUSTSTORE_PASSWORD: Final = _text("ssl.truststore.password", "Password of the trusted certificates.")
BASIC_SOURCE: Final = _text("basic-auth.credentials-source", "Source of user and password: `URL` or `USER_INFO`.")
BASIC_USER_INFO: Final = _text("basic-auth.user-info", "User and password, as `user:password`.")
BEARER_SOURCE: Final = _text("bearer-auth.credentials-source", "Source of the token: `STATIC_TOKEN`.")
BEARER_TOKEN: Final = _text("bearer-auth.token", "Token of `STATIC_TOKEN`.")
PROPERTIES: Final = OptionFamily(
    prefix="properties.", doc="Other settings of Confluent's client; the options above take precedence."
)


@final
@attrs.frozen(kw_only=True)
class AvroConfluentFormat(AvroRecordFormat):
    """The id of a schema in the registry, then an Avro record.

    Raises:
        DefinitionError: The URL of the registry is missing, or settings contradict each other.
        UnsupportedFeatureError: A key store is not of type PEM.
    """

    identifier: ClassVar[str] = "avro-confluent"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.avro_messages"
    required: ClassVar[tuple[Option[Any], ...]] = (URL,)
    url: str = setting(URL)
    subject: str | None = setting(SUBJECT)
    schema: str | None = setting(SCHEMA)
    auto_register_schemas: bool = setting(AUTO_REGISTER_SCHEMAS)
    keystore_location: str | None = setting(KEYSTORE_LOCATION)
    keystore_password: str | None = setting(KEYSTORE_PASSWORD)
    truststore_location: str | None = setting(TRUSTSTORE_LOCATION)
    truststore_password: str | None = setting(TRUSTSTORE_PASSWORD)
    basic_source: str | None = setting(BASIC_SOURCE)
    basic_user_info: str | None = setting(BASIC_USER_INFO)
    bearer_source: str | None = setting(BEARER_SOURCE)
    bearer_token: str | None = setting(BEARER_TOKEN)
    properties: FrozenMap[str, str] = settings_under(PROPERTIES)

    def __attrs_post_init__(self) -> None:
        AvroRecordFormat.__attrs_post_init__(self)  # attrs makes a new class, to which super() does not refer
        _ = self.registry

    @property
    def registry(self) -> SchemaRegistry:
        """Return URL and credentials of the registry."""
        settings = {
            "auto.register.schemas": None if self.auto_register_schemas else "false",
            "ssl.keystore.location": self.keystore_location,
            "ssl.keystore.password": self.keystore_password,
            "ssl.truststore.location": self.truststore_location,
            "ssl.truststore.password": self.truststore_password,
            "basic.auth.credentials.source": self.basic_source,
            "basic.auth.user.info": self.basic_user_info,
            "bearer.auth.credentials.source": self.bearer_source,
            "bearer.auth.token": self.bearer_token,
        }
        given = {key: value for key, value in settings.items() if value is not None}
        return SchemaRegistry(self.url, self.properties | given)

    def for_topic(self, topic: str, part: str) -> AvroConfluentFormat:
        """Return the format with the subject of ``TopicNameStrategy``, unless one is given."""
        return self if self.subject is not None else attrs.evolve(self, subject=f"{topic}-{part}")

    @property
    def writing_problem(self) -> str | None:
        """Return the error text of a sink without a subject; None if there is one."""
        return f"Option {self.identifier}.{SUBJECT.key} is required for serialization" if self.subject is None else None

    def schema_of(self, fields: Sequence[RowField]) -> str:
        """Return the configured schema, or the one that Flink derives.

        Raises:
            ValueError: A type has no counterpart in Avro, or the configured schema does not fit.
        """
        derived = json.dumps(avro_type(fields), separators=(",", ":"))
        if self.schema is None:
            return derived
        table = DataType.of(Kind.ROW, fields=tuple(RowField(field.name, field.type) for field in fields)).not_null()
        given = table_type(json.loads(self.schema))
        if given != table:
            raise ValueError(
                f"Schema provided for '{self.identifier}' format does not match the table data type: the schema is of "
                f"{given}, the table of {table}"
            )
        return self.schema
