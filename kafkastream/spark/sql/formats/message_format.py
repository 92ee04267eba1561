"""Formats of keys and values: the protocol of a format, and the registry that finds it by class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pyspark.sql import Column

from kafkastream.spark.sql.formats.message_reading import Reader
from kafkastream.spark.sql.formats.python_steps import MessageEncoder
from kafkastream.spark.worker.registry import Registry, unregistered
from kafkastream.sql.connectors.key_value_fields import RecordPart
from kafkastream.sql.formats import Format

__all__ = ["MessageFormat", "encoder_of", "message_format", "message_of", "reader_of"]


class MessageFormat(ABC):
    """Reader and writer of a format, with the options that the user has set."""

    @abstractmethod
    def reader(self, part: RecordPart, metadata: Sequence[str]) -> Reader:
        """Return the reader of messages; arguments and errors as of ``reader_of``."""

    @abstractmethod
    def message(self, part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
        """Return rows as messages; arguments and errors as of ``message_of``."""

    def encoder(self, part: RecordPart) -> MessageEncoder | None:
        """Return the encoder of messages in Python; None if ``message`` returns bytes. Errors as of ``encoder_of``."""
        return None


@Registry
def message_format(settings: Format) -> MessageFormat:
    """Return the reader and writer of a format, which the format's ``engine_module`` registers for its class.

    Raises:
        DefinitionError: No format is registered for the class.
    """
    raise unregistered("format", type(settings), "a MessageFormat with @message_format.register")


def reader_of(part: RecordPart, metadata: Sequence[str] = ()) -> Reader:
    """Return the reader of a key or a value.

    Args:
        part: Fields and format of the key or value.
        metadata: Keys of metadata to read in addition to the fields of a value.

    Raises:
        DefinitionError: A message or class that the format names does not exist, or does not fit.
        UnsupportedFeatureError: The format cannot hold a field.
    """
    return message_format(part.format).reader(part, metadata)


def message_of(part: RecordPart, columns: Sequence[Column], kind: Column | None) -> Column:
    """Return a key or a value as bytes; as a struct of plain values where ``encoder_of`` returns an encoder.

    Args:
        part: Fields and format of the key or value.
        columns: The fields' values.
        kind: Row kind, which change event formats write; None if all rows are inserts.

    Raises:
        UnsupportedFeatureError: The format cannot hold a field.
    """
    return message_format(part.format).message(part, columns, kind)


def encoder_of(part: RecordPart) -> MessageEncoder | None:
    """Return the encoder of a key or a value that Spark's expressions cannot encode; None if they can.

    Raises:
        DefinitionError: A message or class that the format names does not exist, or does not fit.
    """
    return message_format(part.format).encoder(part)
