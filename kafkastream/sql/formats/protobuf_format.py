"""Plain Protobuf messages, without registry and length prefix."""

from __future__ import annotations

from typing import Any, ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, text
from kafkastream.sql.formats.format import Format
from kafkastream.sql.formats.json_format import IGNORE_PARSE_ERRORS
from kafkastream.sql.settings import setting

__all__ = ["ProtobufFormat"]

MESSAGE_CLASS_NAME: Final = Option[str](
    key="message-class-name",
    parse=text,
    default="",
    doc=(
        "Type of the message: `module:Message`, a class of a generated Python module that the workers "
        "can import; or `package.Message` with `descriptor-file`. Flink takes a Java class."
    ),
)
DESCRIPTOR_FILE: Final = Option[str | None](
    key="descriptor-file",
    parse=text,
    default=None,
    doc="File with the message's descriptor, as `protoc --descriptor_set_out` writes it. Flink lacks it.",
)
READ_DEFAULT_VALUES: Final = Option[bool](
    key="read-default-values",
    parse=boolean,
    default=False,
    doc="Whether a missing field has its default value; otherwise it is NULL. Always so with proto3.",
)
WRITE_NULL_STRING_LITERAL: Final = Option[str](
    key="write-null-string-literal",
    parse=text,
    default="",
    doc="Text for NULL in arrays and maps of strings.",
)


@final
@attrs.frozen(kw_only=True)
class ProtobufFormat(Format):
    """A message with a field for each column.

    Raises:
        DefinitionError: The options do not define where the message is declared.
    """

    identifier: ClassVar[str] = "protobuf"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.protobuf_messages"
    required: ClassVar[tuple[Option[Any], ...]] = (MESSAGE_CLASS_NAME,)
    message_class_name: str = setting(MESSAGE_CLASS_NAME)
    descriptor_file: str | None = setting(DESCRIPTOR_FILE)
    ignore_parse_errors: bool = setting(IGNORE_PARSE_ERRORS)
    read_default_values: bool = setting(READ_DEFAULT_VALUES)
    write_null_string_literal: str = setting(WRITE_NULL_STRING_LITERAL)

    def __attrs_post_init__(self) -> None:
        if (":" in self.message_class_name) is (self.descriptor_file is not None):
            raise DefinitionError(
                f"'{MESSAGE_CLASS_NAME.key}' = {self.message_class_name!r} does not say where the message is defined",
                where=f"{self.identifier}.{MESSAGE_CLASS_NAME.key}",
                now=f"Write 'module:Message' for Python's class, or 'package.Message' and '{DESCRIPTOR_FILE.key}'.",
            )
