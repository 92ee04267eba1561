"""Methods of ``Expression`` on texts."""

from __future__ import annotations

from typing import Any

from typing_extensions import Self

from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["TextMethods"]


class TextMethods(TreeMethods):
    """Methods on strings. Positions count from 1, lengths in characters, and results are NULL if an argument is NULL,
    unless a method says otherwise. Arguments are expressions or Python values.
    """

    def concat(self, other: Any) -> Self:
        """Append the text ``other``."""
        return self._call("CONCAT", other)

    @property
    def unhex(self) -> Self:
        """Return the bytes of hexadecimal digits."""
        return self._call("UNHEX")

    def starts_with(self, start_expr: Any) -> Self:
        """Return whether the string starts with ``start_expr``; an empty ``start_expr`` always matches."""
        return self._call("STARTSWITH", start_expr)

    startsWith = starts_with

    def ends_with(self, end_expr: Any) -> Self:
        """Return whether the string ends with ``end_expr``; an empty ``end_expr`` always matches."""
        return self._call("ENDSWITH", end_expr)

    endsWith = ends_with

    def substring(self, begin_index: Any, length: Any = None) -> Self:
        """Return a part of the string.

        Args:
            begin_index: Position of the first character, from 1; a negative position counts from the end.
            length: Number of characters, by default all up to the end; NULL results from a negative length.
        """
        return self._form(
            "SUBSTRING({0} FROM {1})" if length is None else "SUBSTRING({0} FROM {1} FOR {2})", begin_index, length
        )

    def substr(self, begin_index: Any, length: Any = None) -> Self:
        """Return a part of the string; another name of ``substring``.

        Args:
            begin_index: Position of the first character, from 1; a negative position counts from the end.
            length: Number of characters, by default all up to the end; NULL results from a negative length.
        """
        return self._call("SUBSTR", begin_index, length)

    def trim_leading(self, character: Any = None) -> Self:
        """Remove spaces, or the characters of ``character``, at the start."""
        return self._form("TRIM(LEADING {1} FROM {0})", " " if character is None else character)

    trimLeading = trim_leading

    def trim_trailing(self, character: Any = None) -> Self:
        """Remove spaces, or the characters of ``character``, at the end."""
        return self._form("TRIM(TRAILING {1} FROM {0})", " " if character is None else character)

    trimTrailing = trim_trailing

    def trim(self, character: Any = None) -> Self:
        """Remove spaces, or the characters of ``character``, at both ends."""
        return self._form("TRIM(BOTH {1} FROM {0})", " " if character is None else character)

    def replace(self, search: Any = None, replacement: Any = None) -> Self:
        """Replace all occurrences of a string.

        Differs from Flink: ``search`` must be a literal that is not empty.

        Args:
            search: String to search for.
            replacement: String that replaces each occurrence.
        """
        return self._call("REPLACE", search, replacement)

    def translate(self, from_str: Any, to_str: Any) -> Self:
        """Replace single characters.

        Args:
            from_str: Characters to replace.
            to_str: Replacements: the character at the same position. Characters without a counterpart are removed;
                NULL is an empty string.
        """
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
        """Return whether the whole string matches a ``LIKE`` pattern.

        Args:
            pattern: Pattern, in which ``%`` matches any number of characters and ``_`` a single one.
            escape: Character before a ``%`` or ``_`` that is meant literally; by default, there is none.
        """
        return self._compared("{0} LIKE {1}" if escape is None else "{0} LIKE {1} ESCAPE {2}", pattern, escape)

    def similar(self, pattern: Any = None) -> Self:
        """Return whether the whole string matches ``pattern``, a regular expression of SQL (``SIMILAR TO``)."""
        return self._compared("{0} SIMILAR TO {1}", pattern)

    def position(self, haystack: Any = None) -> Self:
        """Return the position of this string in ``haystack``, from 1; 0 if it does not occur."""
        return self._form("POSITION({0} IN {1})", haystack)

    def lpad(self, length: Any, pad: Any) -> Self:
        """Pad the string on the left, or truncate it, to a length.

        Args:
            length: Length of the result in UTF-16 code units, as in Java; NULL results from a negative length.
            pad: Characters to pad with; NULL results from an empty string.
        """
        return self._call("LPAD", length, pad)

    def rpad(self, length: Any, pad: Any) -> Self:
        """Pad the string on the right, or truncate it, to a length.

        Args:
            length: Length of the result in UTF-16 code units, as in Java; NULL results from a negative length.
            pad: Characters to pad with; NULL results from an empty string.
        """
        return self._call("RPAD", length, pad)

    def overlay(self, new_string: Any, starting: Any, length: Any = None) -> Self:
        """Replace a part of the string. A start outside of the string leaves it unchanged.

        Args:
            new_string: String to insert.
            starting: Position of the first character to replace, from 1, in UTF-16 code units, as in Java.
            length: Number of characters to replace, by default the length of ``new_string``.
        """
        return self._form(
            "OVERLAY({0} PLACING {1} FROM {2})" if length is None else "OVERLAY({0} PLACING {1} FROM {2} FOR {3})",
            new_string,
            starting,
            length,
        )

    def regexp(self, regex: Any) -> Self:
        """Return whether a part of the string matches ``regex``, in Java's syntax; False if it is empty or invalid."""
        return self._call("REGEXP", regex)

    def regexp_count(self, regex: Any) -> Self:
        """Return the number of matches of ``regex``, in Java's syntax; NULL for an invalid expression."""
        return self._call("REGEXP_COUNT", regex)

    regexpCount = regexp_count

    def regexp_replace(self, regex: Any, replacement: Any) -> Self:
        """Replace all matches of a Java regular expression; NULL for an invalid expression.

        Args:
            regex: Regular expression.
            replacement: Literal replacement: ``$1`` does not refer to a group.
        """
        return self._call("REGEXP_REPLACE", regex, replacement)

    regexpReplace = regexp_replace

    def regexp_extract(self, regex: Any, extract_index: Any = None) -> Self:
        """Return the first match of a Java regular expression, or one of its groups; NULL without a match.

        Differs from Flink: with a group other than 0, ``regex`` must be a literal whose optional groups never match an
        empty string.

        Args:
            regex: Regular expression.
            extract_index: Number of the group; 0, the default, is the whole match. NULL results from a missing group.
        """
        return self._call("REGEXP_EXTRACT", regex, extract_index)

    regexpExtract = regexp_extract

    def regexp_extract_all(self, regex: Any, extract_index: Any = None) -> Self:
        """Return an array with a group of each match of a Java regular expression.

        Differs from Flink: with a group other than 0, ``regex`` must be a literal in which every group takes part in
        each match.

        Args:
            regex: Regular expression.
            extract_index: Number of the group, by default 1; 0 is the whole match. NULL results from a missing group.
        """
        return self._call("REGEXP_EXTRACT_ALL", regex, extract_index)

    regexpExtractAll = regexp_extract_all

    def regexp_instr(self, regex: Any) -> Self:
        """Return the position of the first match of ``regex``, in Java's syntax, from 1; 0 without a match."""
        return self._call("REGEXP_INSTR", regex)

    regexpInstr = regexp_instr

    def regexp_substr(self, regex: Any) -> Self:
        """Return the first match of ``regex``, in Java's syntax; NULL without a match."""
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
        """Decode bytes in the character set ``charset``, such as ``'UTF-8'``."""
        return self._call("DECODE", charset)

    def encode(self, charset: Any) -> Self:
        """Encode the string in the character set ``charset``, such as ``'UTF-8'``."""
        return self._call("ENCODE", charset)

    def left(self, length: Any) -> Self:
        """Return the first ``length`` characters."""
        return self._call("LEFT", length)

    def right(self, length: Any) -> Self:
        """Return the last ``length`` characters."""
        return self._call("RIGHT", length)

    def instr(self, s: Any) -> Self:
        """Return the position of ``s`` in this string, from 1; 0 if it does not occur."""
        return self._call("INSTR", s)

    def locate(self, s: Any, pos: Any = None) -> Self:
        """Return the position of this string in another, from 1; 0 if it does not occur.

        Args:
            s: String to search in.
            pos: Position at which the search begins, by default 1.
        """
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
        """Return a part of a URL; NULL for an invalid URL and for a missing part.

        Args:
            part_to_extract: ``'PROTOCOL'``, ``'HOST'``, ``'PATH'``, ``'QUERY'``, ``'REF'``, ``'AUTHORITY'``, ``'FILE'``
                or ``'USERINFO'``, as a literal.
            key: Key of the query string, whose value is returned; only with ``'QUERY'``.
        """
        return self._call("PARSE_URL", part_to_extract, key)

    parseUrl = parse_url

    def printf(self, *obj: Any) -> Self:
        """Format values with this string as a Java format.

        Differs from Flink: the format must be a literal with the conversions ``%s``, ``%S``, ``%b``, ``%d``, ``%x``,
        ``%o``, ``%f`` and ``%e``.

        Args:
            obj: Values, one for each conversion.
        """
        return self._call("PRINTF", *obj)

    def ltrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or the characters of ``trim_str``, at the start."""
        return self._call("LTRIM", trim_str)

    def rtrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or the characters of ``trim_str``, at the end."""
        return self._call("RTRIM", trim_str)

    def btrim(self, trim_str: Any = None) -> Self:
        """Remove spaces, or the characters of ``trim_str``, at both ends."""
        return self._call("BTRIM", trim_str)

    def repeat(self, n: Any) -> Self:
        """Repeat the string ``n`` times."""
        return self._call("REPEAT", n)

    @property
    def reverse(self) -> Self:
        """Return the characters in reverse order."""
        return self._call("REVERSE")

    def split_index(self, separator: Any, index: Any) -> Self:
        """Split the string and return one of its parts; NULL if there is no such part.

        Args:
            separator: Separator, as a string or as the code of a character from 1 to 255; an empty string means white
                space.
            index: Position of the part, from 0.
        """
        return self._call("SPLIT_INDEX", separator, index)

    splitIndex = split_index

    def str_to_map(self, list_delimiter: Any = None, key_value_delimiter: Any = None) -> Self:
        """Split the string into a map of strings. Of equal keys, the last one remains.

        Args:
            list_delimiter: Regular expression between two entries, by default ``,``.
            key_value_delimiter: Regular expression between key and value, by default ``=``. Give both or none.
        """
        return self._call("STR_TO_MAP", list_delimiter, key_value_delimiter)

    strToMap = str_to_map

    def split(self, delimiter: Any) -> Self:
        """Split the string at each ``delimiter``, a literal string, into an array."""
        return self._call("SPLIT", delimiter)
