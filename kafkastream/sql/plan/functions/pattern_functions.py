"""Functions of texts with regular expressions or delimiters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, TypedExpression
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    Infer,
    always_nullable,
    returns,
)
from kafkastream.sql.plan.functions.written_values import is_refused, whole_number, written_text
from kafkastream.sql.type_families import TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["PATTERN_FUNCTIONS", "if_valid", "literally"]

_STRING: Final = DataType.string()
_INT: Final = DataType.of(Kind.INT)
_ARRAY: Final = DataType.of(Kind.ARRAY, parts=(_STRING,))
_SAFE: Final = re.compile(
    r"(?:[^\\(\[{]|\\[dwsDWSbB.\\|*+?()\[\]{}^$]|\((?!\?)|\(\?:|\[\^?[\w ,;:.@%/=+-]*\]|\{\d+(?:,\d*)?\})*"
)
"""Patterns whose syntax is surely the same in Python and Java."""
_OPTIONAL: Final = re.compile(r"\||\)[?*{]")


def if_valid(pattern: TypedExpression, text: str, then: str) -> str:
    """Return the Spark SQL of a value, NULL if a regular expression has an error, where Spark would fail.

    Args:
        pattern: Regular expression.
        text: Its Spark SQL.
        then: Spark SQL of the value.
    """
    written = written_text(pattern)
    if written is not None and _SAFE.fullmatch(written) and _groups(written) is not None:
        return then
    return f"if({is_refused('java.util.regex.Pattern', 'compile', pattern, text)}, null, {then})"


def _groups(pattern: str) -> int | None:
    """Return the number of groups of a regular expression; None if Python cannot read it."""
    try:
        return re.compile(pattern).groups
    except re.error:
        return None


def literally(delimiter: str) -> str:
    """Return the Spark SQL of a regular expression that matches a text literally, given the text's Spark SQL."""
    return rf"concat('\\Q', replace({delimiter}, '\\E', '\\E\\\\E\\Q'), '\\E')"


def _matched(template: str, infer: Infer) -> BuiltInFunction:
    """Return a function of a text and a regular expression."""

    def written(call: Call, texts: Sequence[str]) -> str:
        return if_valid(call.arguments[1], texts[1], template.format(*texts))

    return BuiltInFunction(infer, written, (2, 2), (TEXT,))


def _grouped(arguments: Arguments) -> Arguments:
    """Refuse groups that may match nothing: Spark gives an empty text, where Flink gives NULL."""
    pattern, group = written_text(arguments[1]), whole_number(arguments[2]) if len(arguments) > 2 else 1
    if group == 0:
        return arguments
    if pattern is None or _groups(pattern) is None or _OPTIONAL.search(pattern):
        what = "REGEXP_EXTRACT_ALL takes a pattern that is written out, in which each group matches something, here."
        raise CallError.unsupported(what, "Take the whole match, with 0 as third argument.", 1)
    return arguments


def _all_matches(call: Call, texts: Sequence[str]) -> str:
    text, pattern, group = [*texts, "1"][:3]
    found = f"regexp_extract_all({text}, {pattern}, {group})"
    if group == "0":
        return if_valid(call.arguments[1], pattern, found)
    count = _groups(written_text(call.arguments[1]) or "")
    return f"if({group} between 0 and {count}, {found}, null)"


_UNPAIRED: Final = r"regexp_replace({0}, '[\\x{10000}-\\x{10FFFF}]', '??')"
"""Text whose characters beyond the BMP are two question marks, as Flink splits them."""


def _split(_: Call, texts: Sequence[str]) -> str:
    text, delimiter = texts
    letters = f"regexp_extract_all({_UNPAIRED.replace('{0}', text)}, '(?s).', 0)"
    empty = "cast(array() as array<string>)"
    parts = f"split({text}, {literally(delimiter)}, -1)"
    return (
        f"case when {text} is null or {delimiter} is null then null when {text} = '' then {empty} "
        f"when {delimiter} = '' then {letters} else {parts} end"
    )


def _part(call: Call, texts: Sequence[str]) -> str:
    """Return SPLIT_INDEX: a delimiter is a text, or the code of a character; an empty one means white space."""
    text, delimiter, place = texts
    if call.arguments[1].type.kind in WHOLE:
        parts = f"if({delimiter} between 1 and 255, split({text}, {literally(f'chr({delimiter})')}, -1), null)"
    else:
        pattern = rf"if({delimiter} = '', '[\\s\\x1c-\\x1f]', {literally(delimiter)})"
        parts = f"split({text}, {pattern}, -1)"
    return f"if({text} = '', null, get({parts}, {place}))"


_BEYOND: Final = r"regexp_replace(left({0}, regexp_instr({0}, {1}) - 1), '[^\\x{{10000}}-\\x{{10FFFF}}]', '')"
_INSTR: Final = f"(regexp_instr({{0}}, {{1}}) + length({_BEYOND}))"
"""Position of a match, in which a letter beyond the BMP counts twice, as in Java."""
PATTERN_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "REGEXP_COUNT": _matched("size(regexp_extract_all({0}, {1}, 0))", always_nullable(_INT)),
    "REGEXP_EXTRACT_ALL": BuiltInFunction(
        always_nullable(_ARRAY), _all_matches, (2, 3), (TEXT, TEXT, WHOLE - {Kind.BIGINT}), _grouped
    ),
    "REGEXP_INSTR": _matched(_INSTR, always_nullable(_INT)),
    "REGEXP_SUBSTR": _matched("if({0} rlike {1}, regexp_extract({0}, {1}, 0), null)", always_nullable(_STRING)),
    "SPLIT": BuiltInFunction(returns(_ARRAY), _split, (2, 2), (TEXT,)),
    "SPLIT_INDEX": BuiltInFunction(always_nullable(_STRING), _part, (3, 3), (TEXT, TEXT | WHOLE, WHOLE)),
}
"""Functions by name."""
