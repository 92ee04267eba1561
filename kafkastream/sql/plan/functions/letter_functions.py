"""Functions of single letters, codes and formats: ``ASCII``, ``INITCAP``, ``PRINTF``, ``LOCATE`` from a place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, TypedExpression, is_null
from kafkastream.sql.plan.functions.bound_arguments import bound, bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    forms,
    like,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.type_rules import widest
from kafkastream.sql.plan.functions.written_values import whole_number, written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import APPROXIMATE, ATOMIC, BYTES, CONSTRUCTED, INTERVALS, NUMERIC, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["LETTER_FUNCTIONS"]

_STRING: Final = DataType.string()
_INT: Final = DataType.of(Kind.INT)
_SMALL: Final = WHOLE - {Kind.BIGINT}
_MANY: Final = 255
_UPPER: Final = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"
_LOWER: Final = "'abcdefghijklmnopqrstuvwxyz'"
_BYTE: Final = "cast(conv(substring(hex({0}), 1, 2), 16, 10) as int)"
_ASCII: Final = f"if({{0}} = '', 0, ({_BYTE} + 128) % 256 - 128)"
"""First byte of a text, with its sign."""
_UNHEX: Final = (
    "if(length({0}) % 2 = 1 and {0} rlike '^[0-9a-fA-F]', unhex(concat('00', substring({0}, 2))), unhex({0}))"
)
"""Bytes of digits; the first of an odd number of them counts as zero in Flink."""
_LETTERS: Final = "regexp_extract_all({0}, '(?s).', 0)"
_INSIDE: Final = "coalesce(get({0}, i - 1) rlike '^[A-Za-z0-9]$', false)"
_CASED: Final = f"if({_INSIDE}, translate(c, {_UPPER}, {_LOWER}), translate(c, {_LOWER}, {_UPPER}))"


def _initcap(_: Call, texts: Sequence[str]) -> str:
    """Return INITCAP: words are letters and digits of ASCII, other letters stay as they are."""
    letters = _LETTERS.format(texts[0])
    return bound_text(f"array_join(transform({{0}}, (c, i) -> {_CASED}), '')", [letters])


def _chosen_type(arguments: Arguments) -> DataType:
    choices = arguments[1:]
    kinds = {one.type.nullable() for one in choices}
    return kinds.pop() if len(kinds) == 1 else widest(choices).nullable()


def _chosen(_: Call, texts: Sequence[str]) -> str:
    return f"get(array({', '.join(texts[1:])}), {texts[0]} - 1)"


def _texts_or_bytes(arguments: Arguments) -> Arguments:
    kinds = {one.type.kind for one in arguments[1:] if not is_null(one)}
    if not (kinds <= TEXT or kinds <= BYTES):
        raise CallError("ELT chooses one of several texts, or one of several BYTES.", "CAST them.")
    return arguments


_PLACES: Final = re.compile(r"%(?:%|([-0,+]?)(\d*)((?:\.\d+)?)([a-zA-Z]))")
_TAKEN: Final[Mapping[str, frozenset[Kind]]] = {
    **dict.fromkeys("sS", TEXT | NUMERIC | {Kind.BOOLEAN}),
    **dict.fromkeys("bB", frozenset({Kind.BOOLEAN})),
    "d": WHOLE,
    **dict.fromkeys("xXo", WHOLE),
    **dict.fromkeys("feEgG", APPROXIMATE),
}
"""Kinds of values by conversion; Flink gives NULL for others."""


def _conversions(pattern: str) -> list[str] | None:
    """Return the conversions of a format; None if it has others than those that Spark prints as Flink does."""
    found, at = [], 0
    while (at := pattern.find("%", at)) >= 0:
        place = _PLACES.match(pattern, at)
        if place is None or (place[1] and place[1] in "-0" and not place[2]) or (place[3] and place[4] not in "feEs"):
            return None
        if place[4]:
            found.append(place[4])
        at = place.end()
    return found


def _formatted(arguments: Arguments) -> Arguments:
    conversions = _conversions(written_text(arguments[0]) or "%?")
    if conversions is None or len(conversions) > len(arguments) - 1:
        what = (
            "PRINTF takes a format here that is written out, with %s, %S, %b, %d, %x, %o, %f, %e and a value for each."
        )
        raise CallError.unsupported(what, "Concatenate with || instead.", 0)
    for at, (letter, value) in enumerate(zip(conversions, arguments[1:], strict=False), 1):
        if not is_null(value) and value.type.kind not in _TAKEN.get(letter, ()):
            what = f"PRINTF does not print {value.type} by %{letter} here."
            raise CallError.unsupported(what, "CAST the value to STRING, and print it by %s.", at)
    return arguments


def _printed(call: Call, texts: Sequence[str]) -> str:
    values = [
        f"cast({text} as string)" if one.type.kind is Kind.DECIMAL else text
        for one, text in zip(call.arguments, texts, strict=True)
    ]
    return f"format_string({', '.join(values)})"


_LOCATED: Final = "when {1} is null or {0} is null or {2} is null then null when {0} = '' then 1"
_FROM: Final = f"case {_LOCATED} else locate({{0}}, {{1}}, greatest({{2}}, 1)) end"
_FITS: Final = (
    "filter(sequence(1, greatest(char_length({0}) - char_length({1}) + 1, 1)), "
    "p -> substring({0}, p, char_length({1})) = {1})"
)


_NTH: Final = (
    "case when {{0}} is null or {{1}} is null or {{2}} is null then null when {{1}} = '' then 1 when {{2}} > 0 "
    "then coalesce(get(filter({fits}, p -> p >= {{2}}), {nth}), 0) when {{2}} < 0 then coalesce(get(reverse(filter("
    "{fits}, p -> p + char_length({{1}}) <= char_length({{0}}) + {{2}} + 2)), {nth}), 0) else 0 end"
)


def _nth_written(arguments: Arguments) -> Arguments:
    if len(arguments) > 3 and (whole_number(arguments[3]) or 0) < 1:
        what = "INSTR takes the number of an occurrence that is written out and positive here."
        raise CallError.unsupported(what, "Write 1 or more.", 3)
    return arguments


def _found(call: Call, texts: Sequence[str]) -> str:
    """Return INSTR: from a place, or back from one before the end, and the n-th occurrence; they may overlap."""
    if len(texts) < 3:
        return f"instr({texts[0]}, {texts[1]})"
    nth = (whole_number(call.arguments[3]) or 1) - 1 if len(texts) > 3 else 0
    return bound_text(_NTH.format(fits=_FITS, nth=nth), texts[:3])


def _type_text(arguments: Arguments) -> Arguments:
    if len(arguments) > 1 and not isinstance(getattr(arguments[1], "value", None), bool):
        raise CallError("TYPEOF takes TRUE or FALSE, written out, as second argument.", "", argument=1)
    if arguments[0].type.kind in INTERVALS:
        raise CallError.unsupported("TYPEOF of an interval is not supported.", "Leave it out.", 0)
    return arguments


def _typed(call: Call, _: Sequence[str]) -> str:
    value = call.arguments[0]
    if is_null(value):
        return "cast(null as string)"
    return quoted_text(_long(value.type) if _is_long(call.arguments) else str(value.type))


def _is_long(arguments: Sequence[TypedExpression]) -> bool:
    """Return whether TYPEOF shows VARCHAR(2147483647) instead of STRING."""
    return len(arguments) > 1 and bool(getattr(arguments[1], "value", False))


def _long(type_: DataType) -> str:
    shown = re.sub(r"\bSTRING\b", f"VARCHAR({2**31 - 1})", str(type_))
    return re.sub(r"\bBYTES\b", f"VARBINARY({2**31 - 1})", shown)


def _trimmed(side: str) -> BuiltInFunction:
    return BuiltInFunction(
        returns(_STRING), forms(f"trim({side} FROM {{0}})", f"trim({side} {{1}} FROM {{0}})"), (1, 2), (ATOMIC,)
    )


_BASIC: Final = r"&&[\\x{0}-\\x{FFFF}]]+\\z"
_DOUBLE: Final = (
    r"^[\\x00-\\x20]*[+-]?(NaN|Infinity|([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?[fFdD]?)[\\x00-\\x20]*\\z"
)


def _matches(pattern: str, numbers: frozenset[Kind] = frozenset()) -> BuiltInFunction:
    """Return a check of a text, which is false for NULL; for numbers, Flink only looks at the type."""
    form = f"coalesce({{0}} rlike '{pattern.replace('{', '{{').replace('}', '}}')}', false)"

    def written(call: Call, texts: Sequence[str]) -> str:
        kind = call.arguments[0].type.kind
        return form.format(texts[0]) if kind in TEXT else str(kind in numbers).lower()

    return BuiltInFunction(never_null(DataType.of(Kind.BOOLEAN)), written, (1, 1), (TEXT | NUMERIC,))


LETTER_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "IS_ALPHA": _matches(rf"^[\\p{{L}}{_BASIC}"),
    "IS_DIGIT": _matches(rf"^[\\p{{Nd}}{_BASIC}", WHOLE),
    "IS_DECIMAL": _matches(_DOUBLE, WHOLE | APPROXIMATE),
    "ASCII": BuiltInFunction(returns(_INT), forms(_ASCII), (1, 1), (TEXT,)),
    "CHR": BuiltInFunction(always_nullable(_STRING), forms("chr({0})"), (1, 1), (WHOLE,)),
    "INITCAP": BuiltInFunction(like(0), _initcap, (1, 1), (TEXT,)),
    "ELT": BuiltInFunction(
        _chosen_type, _chosen, (2, _MANY), (_SMALL, tuple(frozenset(Kind) - CONSTRUCTED)), _texts_or_bytes
    ),
    "PRINTF": BuiltInFunction(
        always_nullable(_STRING), _printed, (1, _MANY), (TEXT, tuple(frozenset(Kind) - CONSTRUCTED)), _formatted
    ),
    "LOCATE": BuiltInFunction(
        returns(_INT),
        lambda call, texts: f"locate({texts[0]}, {texts[1]})" if len(texts) < 3 else bound(_FROM)(call, texts),
        (2, 3),
        (TEXT, TEXT, _SMALL),
    ),
    "INSTR": BuiltInFunction(returns(_INT), _found, (2, 4), (TEXT, TEXT, _SMALL), _nth_written),
    "LTRIM": _trimmed("LEADING"),
    "RTRIM": _trimmed("TRAILING"),
    "TYPEOF": BuiltInFunction(always_nullable(_STRING), _typed, (1, 2), prepare=_type_text),
    "UNHEX": BuiltInFunction(always_nullable(DataType.bytes_()), forms(_UNHEX), (1, 1), (TEXT,)),
}
"""Functions by name."""
