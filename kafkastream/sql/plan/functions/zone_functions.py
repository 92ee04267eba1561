"""Functions of times in a time zone, and of the time of day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from zoneinfo import available_timezones

from kafkastream.sql.plan.expression import Call, Cast, TypedExpression, is_null
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    forms,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.local_times import JDBC_TIME, local_instant, parsed_local, tells_zone
from kafkastream.sql.plan.functions.time_functions import DATED
from kafkastream.sql.plan.functions.written_values import is_refused, whole_number, written_text
from kafkastream.sql.type_families import APPROXIMATE, NUMERIC, TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["ZONE_FUNCTIONS"]

_SHORT_ZONES: Final = frozenset(
    "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT EST HST IET IST JST MIT MST NET NST PLT PNT PRT PST SST VST".split()  # noqa: SIM905 - a list would be one word a line
)
_NOW: Final = "date_trunc('MILLISECOND', current_timestamp())"
_CLOCK: Final = f"make_time(hour({_NOW}), minute({_NOW}), second({_NOW}))"
_SHAPE: Final = r"'^([0-9]{1,4})-([0-9]{1,5})-([0-9]{1,5}) ([0-9]{1,5}):([0-9]{1,5}):([0-9]{1,5})'"
_YEAR, _MONTH, _DAY, _HOURS, _MINUTES, _RESTS = (
    f"cast(regexp_extract({{0}}, {_SHAPE}, {at}) as int)" for at in range(1, 7)
)
_LOCAL: Final = (
    f"if({{0}} rlike {_SHAPE}, timestampadd(SECOND, {_HOURS} * 3600 + {_MINUTES} * 60 + {_RESTS}, timestampadd(DAY, "
    f"{_DAY} - 1, timestampadd(MONTH, {_MONTH} - 1, make_timestamp_ntz({_YEAR}, 1, 1, 0, 0, 0)))), null)"
)
"""Time of a text, in which a 13th month is the next year's first, as Java's SimpleDateFormat reads it."""
_SHORT: Final = ", ".join(f"'{name}'" for name in sorted(_SHORT_ZONES))
_OFFSET: Final = re.compile(r"GMT[+-]\d{1,2}(:\d\d)?")
_ZONE: Final = (
    f"if({{0}} is null or {{0}} in ({_SHORT}) or ({{0}} rlike '^([A-Z][A-Za-z_/]|GMT[+-])' "
    "and {0} not rlike '^UTC?[+-]' and try_reflect('java.time.ZoneId', 'of', {0}) is not null), {0}, 'UTC')"
)
"""Zone of an id; UTC for others than Java's, as in Flink."""
_UTC: Final = "convert_timezone({1}, 'UTC', {0})"
_LATER: Final = f"({_UTC} + INTERVAL '1' HOUR)"
_HOUR: Final = f"if(convert_timezone('UTC', {{1}}, {_LATER}) = {{0}}, {_LATER}, {_UTC})"
"""A local time in UTC; the later of two, which occur when the clock is set back, as in Java."""


def _zone(value: TypedExpression, text: str) -> str:
    written = written_text(value)
    if written in available_timezones() or written in _SHORT_ZONES or (written and _OFFSET.fullmatch(written)):
        return text
    return bound_text(_ZONE, [text], "z")


def _converted(call: Call, texts: Sequence[str]) -> str:
    local = bound_text(_LOCAL, texts[:1])
    zones = [_zone(*pair) for pair in zip(call.arguments[1:], texts[1:], strict=True)]
    there = f"convert_timezone('UTC', {{2}}, {_HOUR})"
    return f"cast({bound_text(there, [local, *zones], 'w')} as string)"


_STAMP: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)
_SECONDS: Final = "({0} between -62167219200 and 253402300799)"
_MILLIS: Final = "({0} between -62167219200000 and 253402300799999)"
_MILLISECOND: Final = 3
_LENIENT: Final = (
    r"try_cast(if({0} rlike '^ *[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
    r"( [0-9][0-9]:[0-9][0-9]:[0-9][0-9]([.][0-9]+)?)?$', {0}, null) as timestamp_ntz)"
)
"""Time of a text in the usual format, which Flink reads with a fraction, and without a time of day, too."""


def _checked(arguments: Arguments) -> Arguments:
    value, *rest = arguments
    if is_null(value) and _digits(arguments) in (0, _MILLISECOND):
        return [Cast(value, DataType.of(Kind.BIGINT)), *rest]
    if value.type.kind in NUMERIC and len(rest) < 2 and (_digits(arguments) in (0, _MILLISECOND) or _computed(rest)):
        return arguments
    if value.type.kind in TEXT and all(one.type.kind in TEXT for one in rest):
        return arguments
    if len(rest) == 1 and _digits(arguments) is not None:
        what = "Flink reads a number in TO_TIMESTAMP_LTZ as seconds (0) or milliseconds (3); others fail its job."
        raise CallError(what, "Divide it, and write 3.", argument=1)
    what = (
        "TO_TIMESTAMP_LTZ takes a number and 0 (seconds) or 3 (milliseconds), or a text, its format and a zone, here."
    )
    raise CallError.unsupported(what, "Write the format of a text, and a number that is written out.")


def _digits(arguments: Arguments) -> int | None:
    return whole_number(arguments[1]) if len(arguments) > 1 else _MILLISECOND


def _computed(rest: Arguments) -> bool:
    """Return whether the digits of a number are an INT that is not written out."""
    return len(rest) == 1 and rest[0].type.kind is Kind.INT and whole_number(rest[0]) is None


def _instant(call: Call, texts: Sequence[str]) -> str:
    """Return TO_TIMESTAMP_LTZ, which is NULL beyond the years 0 to 9999."""
    kind, digits = call.arguments[0].type.kind, _digits(call.arguments)
    if kind in TEXT:
        return _instant_of_text(call, texts)
    if digits is not None:
        return _of_millis(kind, texts[0]) if digits == _MILLISECOND else _of_seconds(kind, texts[0])
    failure = "raise_error(concat('The precision value ', {1}, ' for TO_TIMESTAMP_LTZ is neither 0 nor 3.'))"
    choice = f"when {{1}} = 3 then {_of_millis(kind, '{0}')} when {{1}} = 0 then {_of_seconds(kind, '{0}')}"
    return bound_text(f"case when {{0}} is null or {{1}} is null then null {choice} else {failure} end", texts, "w")


def _of_millis(kind: Kind, text: str) -> str:
    number = f"nanvl({text}, 0)" if kind in APPROXIMATE else text
    return bound_text(f"if({_MILLIS}, timestamp_millis(cast({{0}} as bigint)), null)", [number])


def _of_seconds(kind: Kind, text: str) -> str:
    found = "timestamp_millis(cast({0} * 1000 as bigint))" if kind in APPROXIMATE else _WHOLE_SECONDS
    return bound_text(f"if({_SECONDS}, {found}, null)", [text])


_WHOLE_SECONDS: Final = "timestamp_seconds(cast({0} as bigint))"


def _instant_of_text(call: Call, texts: Sequence[str]) -> str:
    """Return the instant of a text by its format, in UTC or another zone."""
    if len(texts) == 1:
        usual = f"try_cast(if({{0}} rlike '{JDBC_TIME}', {{0}}, null) as timestamp_ntz)"
        failure = "raise_error(concat('TO_TIMESTAMP_LTZ cannot read ', {0}))"
        local = bound_text(f"coalesce({usual}, if({{0}} is null, null, {failure}))", texts)
        return local_instant(local)
    text, pattern, zone = [*texts, "'UTC'"][:3]
    if written_text(call.arguments[1]) == "yyyy-MM-dd HH:mm:ss":
        local = _LENIENT.format(text)
    else:
        local = f"cast(try_to_timestamp({text}, {pattern}) as timestamp_ntz)"
    utc = f"convert_timezone({zone}, 'UTC', {local})"
    found = f"timestamp_millis(timestampdiff(MILLISECOND, timestamp_ntz'1970-01-01 00:00:00', {utc}))"
    return _if_zone(call, zone, found)


def _if_zone(call: Call, zone: str, found: str) -> str:
    """Return a value, NULL for a zone that Java does not know."""
    if written_text(call.arguments[-1]) in available_timezones() or len(call.arguments) < _MILLISECOND:
        return found
    return f"if({is_refused('java.time.ZoneId', 'of', call.arguments[-1], zone)}, null, {found})"


def _instant_now(call: Call, texts: Sequence[str]) -> str:
    """Return TO_TIMESTAMP_LTZ, where a text that does not fit its format is read by that of JDBC, as in Flink."""
    if call.arguments[0].type.kind not in TEXT or len(texts) == 1 or tells_zone(written_text(call.arguments[1])):
        return _instant(call, texts)
    text, pattern, zone = [*texts, "'UTC'"][:3]
    usual = f"try_cast(if(trim({text}) rlike '{JDBC_TIME}', trim({text}), null) as timestamp_ntz)"
    utc = f"convert_timezone({zone}, 'UTC', coalesce({parsed_local(text, pattern)}, {usual}))"
    return _if_zone(call, zone, local_instant(utc))


def _seconds(call: Call, texts: Sequence[str]) -> str:
    """Return UNIX_TIMESTAMP of a text, which is the least BIGINT for a text without a time, as in Flink."""
    if len(texts) != 1 or call.arguments[0].type.kind not in TEXT:
        return _UNIX(call, texts)
    instant = f"timestampdiff(SECOND, timestamp_ntz'1970-01-01 00:00:00', {_HOUR})"
    found = bound_text(instant, [bound_text(_LOCAL, ["{0}"]), "current_timezone()"], "w")
    least = "bigint(-9223372036854775808BD)"
    return bound_text(f"if({{0}} is null, null, coalesce({found}, {least}))", texts, "u")


_UNIX: Final = forms("unix_timestamp()", "unix_timestamp({0}, 'yyyy-MM-dd HH:mm:ss')", "unix_timestamp({0}, {1})")
ZONE_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "CONVERT_TZ": BuiltInFunction(always_nullable(DataType.string()), _converted, (3, 3), (TEXT,)),
    "TO_TIMESTAMP_LTZ": BuiltInFunction(always_nullable(_STAMP), _instant, (1, 3), prepare=_checked, runs=_instant_now),
    "UNIX_TIMESTAMP": BuiltInFunction(
        returns(DataType.of(Kind.BIGINT)), _UNIX, (0, 2), takes=(DATED, TEXT), runs=_seconds
    ),
    "CURRENT_TIME": BuiltInFunction(never_null(DataType.of(Kind.TIME, 0)), forms(_CLOCK), (0, 0)),
    "LOCALTIME": BuiltInFunction(never_null(DataType.of(Kind.TIME, 0)), forms(_CLOCK), (0, 0)),
    "CURRENT_ROW_TIMESTAMP": BuiltInFunction(never_null(DataType.of(Kind.TIMESTAMP_LTZ, 3)), forms(_NOW), (0, 0)),
}
"""Functions by name."""
