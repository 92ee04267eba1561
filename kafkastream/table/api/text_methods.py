"""Methods of ``Expression`` on texts."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["TextMethods"]


class TextMethods(TreeMethods):
    """Methods on texts; positions count from 1, and results are NULL for NULL."""

    def concat(self, other: Any) -> Self:
        """Append a text."""
        return self._call("CONCAT", other)

    @property
    def unhex(self) -> Self:
        """Return the bytes of hexadecimal digits."""
        return self._call("UNHEX")

    def starts_with(self, start_expr: Any) -> Self:
        """Return whether the text starts with another."""
        return self._call("STARTSWITH", start_expr)

    startsWith = starts_with

    def ends_with(self, end_expr: Any) -> Self:
        """Return whether the text ends with another."""
        return self._call("ENDSWITH", end_expr)

    endsWith = ends_with

    def substring(self, begin_index: Any, length: Any = None) -> Self:
        """Return a part of the text, by default up to its end."""
        return self._form(
            "SUBSTRING({0} FROM {1})" if length is None else "SUBSTRING({0} FROM {1} FOR {2})", begin_index, length
        )

    def substr(self, begin_index: Any, length: Any = None) -> Self:
        """Return a part of the text, by default up to its end."""
        return self._call("SUBSTR", begin_index, length)

    def trim_leading(self, character: Any = None) -> Self:
        """Remove spaces, or another character, at the start."""
        return self._form("TRIM(LEADING {1} FROM {0})", " " if character is None else character)

    trimLeading = trim_leading

    def trim_trailing(self, character: Any = None) -> Self:
        """Remove spaces, or another character, at the end."""
        return self._form("TRIM(TRAILING {1} FROM {0})", " " if character is None else character)

    trimTrailing = trim_trailing

    def trim(self, character: Any = None) -> Self:
        """Remove spaces, or another character, at both ends."""
        return self._form("TRIM(BOTH {1} FROM {0})", " " if character is None else character)

    def replace(self, search: Any = None, replacement: Any = None) -> Self:
        """Replace all occurrences of a text."""
        return self._call("REPLACE", search, replacement)

    def translate(self, from_str: Any, to_str: Any) -> Self:
        """Replace characters by those at the same position of another text."""
        return self._call("TRANSLATE", from_str, to_str)

    @property
    def char_length(self) -> Self:
        """Return the number of characters."""
        return self._call("CHAR_LENGTH")

    charLength = char_length

    @property
    def upper_case(self) -> Self:
        """Return the text in upper case."""
        return self._call("UPPER")

    upperCase = upper_case

    @property
    def lower_case(self) -> Self:
        """Return the text in lower case."""
        return self._call("LOWER")

    lowerCase = lower_case

    @property
    def init_cap(self) -> Self:
        """Return the text with the first letter of each word in upper case."""
        return self._call("INITCAP")

    initCap = init_cap

    def like(self, pattern: Any = None, escape: Any = None) -> Self:
        """Return whether the text matches a pattern of ``%`` and ``_``."""
        return self._compared("{0} LIKE {1}" if escape is None else "{0} LIKE {1} ESCAPE {2}", pattern, escape)

    def similar(self, pattern: Any = None) -> Self:
        """Return whether the text matches a regular expression of SQL."""
        return self._compared("{0} SIMILAR TO {1}", pattern)

    def position(self, haystack: Any = None) -> Self:
        """Return the position of the text in another; 0 if it is absent."""
        return self._form("POSITION({0} IN {1})", haystack)

    def lpad(self, length: Any, pad: Any) -> Self:
        """Pad the text on the left, or cut it, to a length."""
        return self._call("LPAD", length, pad)

    def rpad(self, length: Any, pad: Any) -> Self:
        """Pad the text on the right, or cut it, to a length."""
        return self._call("RPAD", length, pad)

    def overlay(self, new_string: Any, starting: Any, length: Any = None) -> Self:
        """Replace characters from a position, by default as many as the new text has."""
        return self._form(
            "OVERLAY({0} PLACING {1} FROM {2})" if length is None else "OVERLAY({0} PLACING {1} FROM {2} FOR {3})",
            new_string,
            starting,
            length,
        )

    def regexp(self, regex: Any) -> Self:
        """Return whether a part of the text matches a regular expression of Java."""
        return self._call("REGEXP", regex)

    def regexp_count(self, regex: Any) -> Self:
        """Return how often a regular expression matches."""
        return self._call("REGEXP_COUNT", regex)

    regexpCount = regexp_count

    def regexp_replace(self, regex: Any, replacement: Any) -> Self:
        """Replace all matches of a regular expression."""
        return self._call("REGEXP_REPLACE", regex, replacement)

    regexpReplace = regexp_replace

    def regexp_extract(self, regex: Any, extract_index: Any = None) -> Self:
        """Return a group of the first match of a regular expression, by default all of it."""
        return self._call("REGEXP_EXTRACT", regex, extract_index)

    regexpExtract = regexp_extract

    def regexp_extract_all(self, regex: Any, extract_index: Any = None) -> Self:
        """Return a group of all matches of a regular expression."""
        return self._call("REGEXP_EXTRACT_ALL", regex, extract_index)

    regexpExtractAll = regexp_extract_all

    def regexp_instr(self, regex: Any) -> Self:
        """Return the position of the first match of a regular expression."""
        return self._call("REGEXP_INSTR", regex)

    regexpInstr = regexp_instr

    def regexp_substr(self, regex: Any) -> Self:
        """Return the first match of a regular expression."""
        return self._call("REGEXP_SUBSTR", regex)

    regexpSubstr = regexp_substr

    @property
    def from_base64(self) -> Self:
        """Decode base64."""
        return self._call("FROM_BASE64")

    fromBase64 = from_base64

    @property
    def to_base64(self) -> Self:
        """Encode as base64."""
        return self._call("TO_BASE64")

    toBase64 = to_base64

    @property
    def ascii(self) -> Self:
        """Return the code of the first character."""
        return self._call("ASCII")

    def decode(self, charset: Any) -> Self:
        """Decode bytes by a character set."""
        return self._call("DECODE", charset)

    def encode(self, charset: Any) -> Self:
        """Encode the text by a character set."""
        return self._call("ENCODE", charset)

    def left(self, length: Any) -> Self:
        """Return the first characters."""
        return self._call("LEFT", length)

    def right(self, length: Any) -> Self:
        """Return the last characters."""
        return self._call("RIGHT", length)

    def instr(self, s: Any) -> Self:
        """Return the position of a text in this one; 0 if it is absent."""
        return self._call("INSTR", s)

    def locate(self, s: Any, pos: Any = None) -> Self:
        """Return the position of this text in another, from a position."""
        return self._call("LOCATE", s, pos)

    def url_decode(self) -> Self:
        """Decode ``application/x-www-form-urlencoded``."""
        return self._call("URL_DECODE")

    urlDecode = url_decode

    def url_encode(self) -> Self:
        """Encode as ``application/x-www-form-urlencoded``."""
        return self._call("URL_ENCODE")

    urlEncode = url_encode

    def parse_url(self, part_to_extract: Any, key: Any = None) -> Self:
        """Return a part of a URL, such as ``HOST``, or a key of its ``QUERY``."""
        return self._call("PARSE_URL", part_to_extract, key)

    parseUrl = parse_url

    def printf(self, *obj: Any) -> Self:
        """Format values by the text, as Java does."""
        return self._call("PRINTF", *obj)

    def ltrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or characters of a text, at the start."""
        return self._call("LTRIM", trim_str)

    def rtrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or characters of a text, at the end."""
        return self._call("RTRIM", trim_str)

    def btrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or characters of a text, at both ends."""
        return self._call("BTRIM", trim_str)

    def repeat(self, n: Any) -> Self:
        """Repeat the text."""
        return self._call("REPEAT", n)

    @property
    def reverse(self) -> Self:
        """Return the characters in reverse order."""
        return self._call("REVERSE")

    def split_index(self, separator: Any, index: Any) -> Self:
        """Return a part of the text between separators, counted from 0."""
        return self._call("SPLIT_INDEX", separator, index)

    splitIndex = split_index

    def str_to_map(self, list_delimiter: Any = None, key_value_delimiter: Any = None) -> Self:
        """Split the text into a map, by default of ``k=v,k=v``."""
        return self._call("STR_TO_MAP", list_delimiter, key_value_delimiter)

    strToMap = str_to_map

    def split(self, delimiter: Any) -> Self:
        """Split the text into an array."""
        return self._call("SPLIT", delimiter)
