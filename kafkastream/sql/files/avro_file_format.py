"""Avro files of records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.types import TypeInformation, TypeKind
from kafkastream.model.connectors.file_formats import BulkWriterFactory
from kafkastream.model.formats.avro_schema import avro_schema

__all__ = ["AvroBulkWriters", "AvroSchema", "AvroWriterFactory", "GenericRecordAvroTypeInfo"]


@final
@checked_methods
@attrs.frozen
class AvroSchema:
    """A schema of Avro files.

    Example:
        >>> print(AvroSchema.parse_string('{"type": "record", "name": "Order", "fields": []}'))
        {"type":"record","name":"Order","fields":[]}
    """

    text: str
    _j_schema = Refused()

    @staticmethod
    def parse_string(json_schema: str) -> AvroSchema:
        """Parse a schema from JSON.

        Raises:
            DefinitionError: The text is not an Avro schema.
        """
        avro_schema(json_schema, "AvroSchema.parse_string")
        return AvroSchema(json_schema)

    parseString = parse_string

    @staticmethod
    def parse_file(file_path: str) -> AvroSchema:
        """Read a schema in JSON from the file at ``file_path``.

        Raises:
            DefinitionError: The file cannot be read, or is not an Avro schema.
        """
        try:
            text = Path(file_path).read_text()
        except OSError as error:
            raise DefinitionError(f"the schema cannot be read: {error.strerror}", where=file_path) from None
        avro_schema(text, file_path)
        return AvroSchema(text)

    parseFile = parse_file

    def __str__(self) -> str:
        return json.dumps(json.loads(self.text), separators=(",", ":"))


@final
@attrs.frozen(repr=False, init=False)
class GenericRecordAvroTypeInfo(TypeInformation[Any]):
    """Type of records of an Avro schema: dictionaries, which pass between operators unchanged.

    Args:
        schema: The schema.
    """

    schema: AvroSchema = AvroSchema('"null"')

    def __init__(self, schema: AvroSchema) -> None:
        self.__attrs_init__(TypeKind.PICKLED_BYTE_ARRAY, (), schema)


@final
@attrs.frozen
class AvroWriterFactory(BulkWriterFactory):
    """Writes records to Avro files; made by ``AvroBulkWriters``.

    Args:
        schema: Schema of the records.
    """

    engine_module: ClassVar[str] = "kafkastream.spark.sql.files.part_formats"
    schema: AvroSchema


@final
@checked_methods
class AvroBulkWriters:
    """Write records to Avro files; for ``FileSink.for_bulk_format``."""

    @staticmethod
    def for_generic_record(schema: AvroSchema) -> BulkWriterFactory:
        """Write dictionaries, or other mappings, by a schema."""
        return AvroWriterFactory(schema)

    forGenericRecord = for_generic_record
