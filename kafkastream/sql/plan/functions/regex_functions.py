"""Functions of regular expressions, which give NULL for a pattern with an error, where Spark fails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, TypedExpression
from kafkastream.sql.plan.functions.built_in import Arguments, BuiltInFunction, CallError, always_nullable, returns
from kafkastream.sql.plan.functions.written_values import is_refused, whole_number, written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import ATOMIC, NUMERIC, TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["REGEX_FUNCTIONS"]

_STRING: Final = always_nullable(DataType.string())
_ESCAPED: Final = re.compile(r"\\.", re.DOTALL)
_BROKEN: Final = ("unterminated", "missing )", "unbalanced", "nothing to repeat")
"""Errors of patterns that Python and Java have in common."""
_UNREAD: Final = re.compile(r"\[[^]]*[()]|\(\?[<P]")
"""Parts of a pattern in which groups are not counted here."""
_OPTIONAL: Final = re.compile(r"\||\)[?*{]")
_WITHOUT: Final = re.compile(r"\([^()\0]*\)[?*+{]?")
"""Group that another one, marked by a NUL, is not inside of."""


def _is_broken(pattern: str) -> bool:
    """Return whether a pattern surely has an error in Java."""
    if r"\Q" in pattern:
        return False
    try:
        re.compile(_ESCAPED.sub("x", pattern))
    except re.error as error:
        return error.msg.startswith(_BROKEN)
    return False


def _if_valid(pattern: TypedExpression, text: str, then: str, otherwise: str = "cast(null as string)") -> str:
    written = written_text(pattern)
    if written is not None:
        return otherwise if _is_broken(written) else then
    return f"if({is_refused('java.util.regex.Pattern', 'compile', pattern, text)}, {otherwise}, {then})"


def _matched(call: Call, texts: Sequence[str]) -> str:
    text, pattern = texts
    missing = f"if({text} is null or {pattern} is null, null, false)"
    return _if_valid(call.arguments[1], pattern, f"if({pattern} = '', false, {text} rlike {pattern})", missing)


def _spans(pattern: str) -> list[tuple[int, int]]:
    """Return where the groups of a pattern are that has no brackets in classes."""
    plain = _ESCAPED.sub("xx", pattern)
    found, opened = list[tuple[int, int]](), list[int]()
    for place, sign in enumerate(plain):
        if sign == "(":
            opened.append(place)
        elif sign == ")" and opened:
            start = opened.pop()
            if plain[start + 1 : start + 2] != "?":
                found.append((start, place))
    return sorted(found)


def _groups(pattern: str) -> list[str]:
    """Return the patterns of the groups of a pattern that has no brackets in classes."""
    return [pattern[start + 1 : end] for start, end in _spans(pattern)]


def _takes_part(pattern: str, number: int | None) -> bool:
    """Return whether a group surely takes part in each match: neither it nor a group around it is optional."""
    spans = _spans(pattern)
    if number is None or not 1 <= number <= len(spans):
        return False
    plain, (start, end) = _ESCAPED.sub("xx", pattern), spans[number - 1]
    rest, before = f"{plain[:start]}\0{plain[end + 1 :]}", ""
    while rest != before:
        rest, before = _WITHOUT.sub("", rest), rest
    return not re.search(r"\||\(\?[^:]|[\0)][?*{]", rest)


def _grouped(arguments: Arguments) -> Arguments:
    """Refuse groups of a pattern that is not known, since Spark has an empty text for a group without a match."""
    if len(arguments) < 3 or whole_number(arguments[2]) == 0:
        return arguments
    pattern = written_text(arguments[1])
    if _takes_part(pattern or "", whole_number(arguments[2])) and not _UNREAD.search(pattern or ""):
        return arguments
    is_read = pattern is not None and (_is_broken(pattern) or not _UNREAD.search(pattern))
    if is_read and not (_OPTIONAL.search(pattern or "") and any(map(_may_be_empty, _groups(pattern or "")))):
        return arguments
    what = (
        "REGEXP_EXTRACT with a group takes a pattern that is written out, whose optional groups are never empty, here."
    )
    raise CallError.unsupported(what, "Take the whole match: REGEXP_EXTRACT(s, pattern).", 1)


def _may_be_empty(pattern: str) -> bool:
    try:
        return re.fullmatch(pattern, "") is not None
    except re.error:
        return True


def _extracted(call: Call, texts: Sequence[str]) -> str:
    text, pattern, group = [*texts, "0"][:3]
    number = whole_number(call.arguments[2]) if len(texts) > 2 else 0
    found = f"regexp_extract({text}, {pattern}, {group})"
    if number != 0:
        written = written_text(call.arguments[1]) or ""
        found = f"nullif({found}, '')" if _OPTIONAL.search(written) and not _takes_part(written, number) else found
        count = len(_groups(written))
        if number is None:
            found = f"if({group} between 0 and {count}, {found}, null)"
        elif not 0 <= number <= count:
            return "cast(null as string)"
    return _if_valid(call.arguments[1], pattern, f"if({text} rlike {pattern}, {found}, null)")


def _replaced(call: Call, texts: Sequence[str]) -> str:
    """Return REGEXP_REPLACE, whose replacement is a plain text in Flink, and has groups in Spark."""
    text, pattern, replacement = texts
    written = written_text(call.arguments[2])
    if written is None:
        plain = rf"replace(replace({replacement}, '\\', '\\\\'), '$', '\\$')"
    else:
        plain = quoted_text(re.sub(r"([\\$])", r"\\\1", written))
    return _if_valid(call.arguments[1], pattern, f"regexp_replace({text}, {pattern}, {plain})")


REGEX_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "REGEXP": BuiltInFunction(returns(DataType.of(Kind.BOOLEAN)), _matched, (2, 2), takes=(ATOMIC,)),
    "REGEXP_EXTRACT": BuiltInFunction(
        _STRING, _extracted, (2, 3), takes=(ATOMIC, ATOMIC, NUMERIC | TEXT), prepare=_grouped
    ),
    "REGEXP_REPLACE": BuiltInFunction(_STRING, _replaced, (3, 3), takes=(ATOMIC,)),
}
"""Functions by name."""
