"""CSV as Jackson reads and writes it for Flink."""

from __future__ import annotations

import re
from typing import ClassVar, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.formats.csv_text import CsvDialect
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, text
from kafkastream.sql.formats.format import Format
from kafkastream.sql.formats.json_format import IGNORE_PARSE_ERRORS
from kafkastream.sql.settings import setting

__all__ = ["CsvFormat", "java_unescaped"]

_QUOTE: Final = '"'
_ESCAPE: Final = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3]?[0-7]{1,2}|.)", re.DOTALL)
_CONTROLS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def java_unescaped(value: str) -> str:
    r"""Return the value of a Java string literal (``StringEscapeUtils.unescapeJava``).

    Example:
        >>> java_unescaped(r"\t"), java_unescaped(r"\u0001"), java_unescaped(";")
        ('\t', '\x01', ';')
    """
    return _ESCAPE.sub(lambda escape: _character(escape[1]), value)


def _character(code: str) -> str:
    if code.startswith("u") and len(code) > 1:
        return chr(int(code.lstrip("u"), 16))
    if code.isdecimal() and code.isascii() and not set(code) & {"8", "9"}:
        return chr(int(code, 8))
    return _CONTROLS.get(code, code)


FIELD_DELIMITER: Final = Option[str](
    key="field-delimiter",
    parse=java_unescaped,
    default=",",
    doc="Character between columns; also an escape as in Java: `\\t`, `\\u0001`.",
)
DISABLE_QUOTE_CHARACTER: Final = Option[bool](
    key="disable-quote-character",
    parse=boolean,
    default=False,
    doc="Whether columns are never quoted; then `quote-character` must not be set.",
)
QUOTE_CHARACTER: Final = Option[str | None](
    key="quote-character",
    parse=text,
    default=None,
    doc=f"Quote character around a column, within which any character is allowed; by default, `{_QUOTE}`.",
)
ALLOW_COMMENTS: Final = Option[bool](
    key="allow-comments",
    parse=boolean,
    default=False,
    doc=(
        "Whether lines that begin with `#` are comments. Set `ignore-parse-errors`, too: a comment is an "
        "empty row otherwise."
    ),
)
ARRAY_ELEMENT_DELIMITER: Final = Option[str](
    key="array-element-delimiter",
    parse=text,
    default=";",
    doc="Character between the elements of an ARRAY, and between the fields of a ROW, in a column.",
)
ESCAPE_CHARACTER: Final = Option[str | None](
    key="escape-character",
    parse=text,
    default=None,
    doc="Escape character: the character after it is taken literally.",
)
NULL_LITERAL: Final = Option[str | None](
    key="null-literal",
    parse=text,
    default=None,
    doc="Text that represents NULL.",
)
# Flink declares the default true, and does not apply it: without the option, its factory leaves the writer's false
# (https://github.com/apache/flink/blob/release-2.2/flink-formats/flink-csv/src/main/java/org/apache/flink/formats/csv/CsvFormatFactory.java).
WRITE_BIGDECIMAL_IN_SCIENTIFIC_NOTATION: Final = Option[bool](
    key="write-bigdecimal-in-scientific-notation",
    parse=boolean,
    default=False,
    doc="Whether a DECIMAL is written without trailing zeros and with an exponent, such as `1E+5` for 100000.00.",
)


@final
@attrs.frozen(kw_only=True)
class CsvFormat(Format):
    """A line with a column for each field.

    Raises:
        DefinitionError: A delimiter or quote is not one character, or quotes are both disabled and set.
    """

    identifier: ClassVar[str] = "csv"
    engine_module: ClassVar[str] = "kafkastream.spark.sql.formats.csv_messages"
    field_delimiter: str = setting(FIELD_DELIMITER)
    disable_quote_character: bool = setting(DISABLE_QUOTE_CHARACTER)
    quote_character: str | None = setting(QUOTE_CHARACTER)
    allow_comments: bool = setting(ALLOW_COMMENTS)
    ignore_parse_errors: bool = setting(IGNORE_PARSE_ERRORS)
    array_element_delimiter: str = setting(ARRAY_ELEMENT_DELIMITER)
    escape_character: str | None = setting(ESCAPE_CHARACTER)
    null_literal: str | None = setting(NULL_LITERAL)
    write_bigdecimal_in_scientific_notation: bool = setting(WRITE_BIGDECIMAL_IN_SCIENTIFIC_NOTATION)

    def __attrs_post_init__(self) -> None:
        if self.disable_quote_character and self.quote_character is not None:
            raise DefinitionError(
                "Format cannot define a quote character and disabled quote character at the same time.",
                where=f"{self.identifier}.{QUOTE_CHARACTER.key}",
                now=f"Leave out '{QUOTE_CHARACTER.key}' or '{DISABLE_QUOTE_CHARACTER.key}'.",
            )
        characters = {
            FIELD_DELIMITER.key: self.field_delimiter,
            ARRAY_ELEMENT_DELIMITER.key: self.array_element_delimiter,
            QUOTE_CHARACTER.key: self.quote_character,
            ESCAPE_CHARACTER.key: self.escape_character,
        }
        for key, value in characters.items():
            if value is not None and len(value) != 1:
                raise DefinitionError(
                    f"Option '{self.identifier}.{key}' must be a string with single character, but was: {value}",
                    where=f"{self.identifier}.{key}",
                )

    @property
    def dialect(self) -> CsvDialect:
        """Return the delimiter, quote and escape characters."""
        return CsvDialect(
            delimiter=self.field_delimiter,
            quote=None if self.disable_quote_character else self.quote_character or _QUOTE,
            escape=self.escape_character,
            comments=self.allow_comments,
        )
