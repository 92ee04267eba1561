"""Functions of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call, TypedExpression
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    Infer,
    always_nullable,
    forms,
    like,
    never_null,
    returns,
)
from kafkastream.sql.plan.functions.local_times import JDBC_TIME, local_shown, parsed_local, tells_zone
from kafkastream.sql.plan.functions.written_values import in_utc, written_text
from kafkastream.sql.type_families import ATOMIC, NUMERIC, STAMPS, TEXT, TIMES
from kafkastream.sql.types import DataType, Kind

__all__ = ["DATED", "TIME_FUNCTIONS", "TIME_UNITS", "extract", "round_to", "truncated"]

TIME_UNITS: Final = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
"""Units of TIMESTAMPADD and TIMESTAMPDIFF."""
_CLOCK_UNITS: Final = frozenset({"HOUR", "MINUTE", "SECOND"})
_EPOCH: Final = "timestamp_ntz'1970-01-01 00:00:00'"
_WHOLE_DAYS: Final = f"timestampadd(DAY, timestampdiff(DAY, {_EPOCH}, {{0}}), {_EPOCH})"
_OVERFLOWING: Final = frozenset({"WEEK", "MINUTE", "SECOND"})
"""Units of differences that Flink computes with an INT, which wraps around; weeks of such seconds."""
_PARTS: Final = {
    "YEAR": "year({0})",
    "QUARTER": "quarter({0})",
    "MONTH": "month({0})",
    "WEEK": "weekofyear({0})",
    "DAY": "day({0})",
    "DOY": "dayofyear({0})",
    "DOW": "dayofweek({0})",
    "ISODOW": "weekday({0}) + 1",
    "ISOYEAR": "extract(YEAROFWEEK FROM {0})",
    "HOUR": "hour({0})",
    "MINUTE": "minute({0})",
    "SECOND": "second({0})",
    "DECADE": f"year({_WHOLE_DAYS}) div 10",
    "CENTURY": f"(year({_WHOLE_DAYS}) + 99) div 100",
    "MILLENNIUM": f"(year({_WHOLE_DAYS}) + 999) div 1000",
    "EPOCH": f"timestampdiff(SECOND, {_EPOCH}, {{0}})",
    "MILLISECOND": f"timestampdiff(MILLISECOND, {_EPOCH}, {{0}}) % 1000",
    "MICROSECOND": f"timestampdiff(MICROSECOND, {_EPOCH}, {{0}}) % 1000000",
    "NANOSECOND": f"timestampdiff(MICROSECOND, {_EPOCH}, {{0}}) % 1000000 * 1000",
}
_MICROS: Final = 6
_OF_TIMESTAMPS: Final = frozenset(
    {"DECADE", "CENTURY", "MILLENNIUM", "EPOCH", "MILLISECOND", "MICROSECOND", "NANOSECOND"}
)
"""Parts that only TIMESTAMP has here, with six digits at most; they count from 1970, towards it, as in Flink."""
_ELSEWHERE: Final = {
    ("EPOCH", Kind.TIMESTAMP_LTZ): f"timestampdiff(SECOND, {_EPOCH}, cast({{0}} as timestamp_ntz))",
    ("MILLISECOND", Kind.TIME): "extract(SECOND FROM {0}) * 1000 % 1000",
}
"""Parts of other times: Flink's EPOCH of a TIMESTAMP_LTZ counts by the clock of the session's zone."""
_FLOORS: Final = {
    "YEAR": ("year({0})", "1", "1"),
    "QUARTER": ("year({0})", "quarter({0}) * 3 - 2", "1"),
    "MONTH": ("year({0})", "month({0})", "1"),
    "DAY": ("year({0})", "month({0})", "day({0})"),
    "HOUR": ("year({0})", "month({0})", "day({0})", "hour({0})"),
    "MINUTE": ("year({0})", "month({0})", "day({0})", "hour({0})", "minute({0})"),
    "SECOND": ("year({0})", "month({0})", "day({0})", "hour({0})", "minute({0})", "second({0})"),
    "WEEK": (),
    "MILLISECOND": ("",) * 6,
}
"""Arguments of the time that a unit begins with; a week begins on Sunday, and a millisecond is truncated."""
_CLOCK_SECONDS: Final = {"HOUR": 3600, "MINUTE": 60, "SECOND": 1}
_WRITTEN: Final = "'^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2} [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2})([.][0-9]*)?$'"
"""Text of a time, whose fraction Flink leaves out where it formats the time again."""
_TO_DATE: Final = forms("try_cast({0} as date)", "cast(try_to_timestamp({0}, {1}) as date)")
_NOW: Final = "date_trunc('MILLISECOND', current_timestamp())"
_SECONDS: Final = "'yyyy-MM-dd HH:mm:ss'"
_BIGINT: Final = DataType.of(Kind.BIGINT)
_INT: Final = DataType.of(Kind.INT)
_DATE: Final = DataType.of(Kind.DATE)
_STRING: Final = DataType.string()
_STAMP: Final = DataType.of(Kind.TIMESTAMP, 3)
_LOCAL: Final = DataType.of(Kind.TIMESTAMP_LTZ, 3)
DATED: Final = frozenset({Kind.DATE}) | STAMPS | TEXT
"""Kinds that Spark casts to a date implicitly."""


def truncated(stamp: str, digits: int) -> str:
    """Return the Spark SQL of a time truncated to so many digits of a second."""
    unit = 10 ** (6 - min(digits, 6))
    rest = f"cast(extract(SECOND FROM {stamp}) * 1000000 as bigint) % {unit}"
    return f"timestampadd(MICROSECOND, -({rest}), {stamp})"


def _extract(unit: str) -> BuiltInFunction:
    def prepared(arguments: Arguments) -> Arguments:
        type_ = arguments[0].type
        is_fitting = unit not in _OF_TIMESTAMPS or (type_.kind is Kind.TIMESTAMP and (type_.size or 0) <= _MICROS)
        if (unit, type_.kind) in _ELSEWHERE:
            return arguments
        if not is_fitting or type_.kind not in TIMES or (type_.kind is Kind.TIME and unit not in _CLOCK_UNITS):
            raise _not_extracted(unit, type_)
        return arguments

    def written(call: Call, texts: Sequence[str]) -> str:
        part = _ELSEWHERE.get((unit, call.arguments[0].type.kind), _PARTS[unit])
        return f"cast({part.format(*texts)} as bigint)"

    return BuiltInFunction(always_nullable(_BIGINT), written, (1, 1), prepare=prepared)


def _floor_text(unit: str, kind: Kind, value: str) -> str:
    if kind is Kind.TIMESTAMP_LTZ:
        return f"date_trunc('{unit}', {value})"
    if unit == "MILLISECOND":
        return truncated(value, 3)
    if unit == "WEEK":
        first = f"date_add(cast({value} as date), 1 - dayofweek({value}))"
        return first if kind is Kind.DATE else f"cast({first} as timestamp_ntz)"
    filled = [part.format(value) for part in _FLOORS[unit]]
    if kind is Kind.DATE:
        return f"make_date({', '.join(filled)})"
    return f"make_timestamp_ntz({', '.join(filled + ['0'] * (6 - len(filled)))})"


def _rounded(name: str, unit: str) -> BuiltInFunction:
    """Return ``FLOOR(time TO unit)`` or ``CEIL(time TO unit)``."""

    def prepared(arguments: Arguments) -> Arguments:
        kind = arguments[0].type.kind
        if kind is Kind.TIME and unit in _CLOCK_UNITS:
            return arguments
        is_odd = kind is Kind.TIMESTAMP_LTZ and unit in ("WEEK", "MILLISECOND")
        if is_odd or kind not in (Kind.DATE, *STAMPS) or (kind is Kind.DATE and len(_FLOORS[unit]) > 3):
            raise _not_rounded(unit, arguments[0].type)
        return arguments

    def written(call: Call, texts: Sequence[str]) -> str:
        kind, value = call.arguments[0].type.kind, texts[0]
        if kind is Kind.TIME:
            return _rounded_clock(name, _CLOCK_SECONDS[unit], value)
        floor = _floor_text(unit, kind, value)
        if name == "FLOOR":
            return floor
        if kind is Kind.DATE and unit == "DAY":
            return f"date_add({value}, 1)"  # as in Flink
        if unit == "WEEK":  # a Sunday stays, whatever the time of day, as in Flink
            last = f"date_add(cast({value} as date), pmod(1 - dayofweek({value}), 7))"
            return last if kind is Kind.DATE else f"cast({last} as timestamp_ntz)"
        after = f"timestampadd({unit}, 1, {floor})" if kind is Kind.TIMESTAMP_LTZ else _added(kind, unit, "1", floor)
        return f"if({floor} = {value}, {floor}, {after})"

    def inferred(arguments: Arguments) -> DataType:
        is_clock = arguments[0].type.kind is Kind.TIME
        return DataType.of(Kind.TIME, 0) if is_clock else like(0, nullable=True)(arguments)

    return BuiltInFunction(inferred, written, (1, 1), prepare=prepared)


def _rounded_clock(name: str, unit: int, value: str) -> str:
    """Return a TIME that begins a unit of so many seconds; 24:00 is none, and fails the job as in Flink."""
    seconds = f"hour({value}) * 3600 + minute({value}) * 60 + extract(SECOND FROM {value})"
    whole = f"cast({name.lower()}(({seconds}) / {unit}) as int) * {unit}"
    return bound_text("cast(make_time({0} div 3600, {0} div 60 % 60, {0} % 60) as time(0))", [whole])


def _added(kind: Kind, unit: str, count: str, value: str) -> str:
    if kind is Kind.DATE:
        return f"cast(timestampadd({unit}, {count}, cast({value} as timestamp_ntz)) as date)"
    if kind is Kind.TIMESTAMP_LTZ and unit not in _CLOCK_UNITS:
        return in_utc(value, f"timestampadd({unit}, {count}, {{0}})")
    return f"timestampadd({unit}, {count}, {value})"


def _is_clocked(unit: str, value: TypedExpression) -> bool:
    """Return whether a unit below a day is added to a DATE, which makes it a TIMESTAMP."""
    return value.type.kind is Kind.DATE and unit in _CLOCK_UNITS


def _add(unit: str) -> BuiltInFunction:
    def inferred(arguments: Arguments) -> DataType:
        value = arguments[1]
        type_ = value.type
        if _is_clocked(unit, value):
            type_ = DataType.of(Kind.TIMESTAMP)
        elif type_.kind in TEXT:
            type_ = _LOCAL
        return returns(type_)(arguments)

    def written(call: Call, texts: Sequence[str]) -> str:
        count, value = texts
        if _is_clocked(unit, call.arguments[1]):
            return f"timestampadd({unit}, cast({count} as int), cast({value} as timestamp_ntz))"
        return _added(call.arguments[1].type.kind, unit, f"cast({count} as int)", value)

    return BuiltInFunction(inferred, written, (2, 2), takes=(NUMERIC | TEXT, DATED))


def _difference(unit: str) -> BuiltInFunction:
    def written(call: Call, texts: Sequence[str]) -> str:
        first, second = (
            f"cast({text} as timestamp_ntz)" if one.type.kind is Kind.DATE else text
            for one, text in zip(call.arguments, texts, strict=True)
        )
        if unit not in _OVERFLOWING:
            return f"cast(timestampdiff({unit}, {first}, {second}) as int)"
        plain = f"timestampdiff({'SECOND' if unit == 'WEEK' else unit}, {first}, {second})"
        wrapped = f"(({plain} + 2147483648) & 4294967295) - 2147483648"
        return f"cast(({wrapped}) div 604800 as int)" if unit == "WEEK" else f"cast({wrapped} as int)"

    return BuiltInFunction(returns(_INT), written, (2, 2), takes=(DATED,))


def _formatted(call: Call, texts: Sequence[str]) -> str:
    value = f"try_cast({texts[0]} as timestamp_ntz)" if call.arguments[0].type.kind in TEXT else texts[0]
    return f"date_format({value}, {texts[1]})"


def _formatted_now(call: Call, texts: Sequence[str]) -> str:
    """Return DATE_FORMAT, also of a time that the clock of the session's zone skips; a text has whole seconds."""
    value, pattern = texts
    kind, written = call.arguments[0].type.kind, written_text(call.arguments[1])
    if kind in TEXT:
        value = f"try_cast(nullif(regexp_extract({value}, {_WRITTEN}, 1), '') as timestamp_ntz)"
    elif kind is not Kind.TIMESTAMP:
        return f"date_format({value}, {pattern})"
    shown = written and local_shown("{0}", written)
    if not shown:
        return f"date_format({value}, {pattern})"
    is_real = "cast(cast({0} as timestamp) as timestamp_ntz) <=> {0}"
    return bound_text(f"if({is_real}, date_format({{0}}, {pattern}), {shown})", [value])


def _formatted_type(arguments: Arguments) -> DataType:
    return _STRING if arguments[0].type.kind in TEXT else returns(_STRING)(arguments)


def _to_timestamp(_: Call, texts: Sequence[str]) -> str:
    """Return TO_TIMESTAMP: a TIMESTAMP(3), NULL for an invalid text, as in Flink."""
    text, *pattern = texts
    if pattern:
        return truncated(f"cast(try_to_timestamp({text}, {pattern[0]}) as timestamp_ntz)", 3)
    shape = "'^ *[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?)? *$'"
    return truncated(f"try_cast(if({text} rlike {shape}, {text}, null) as timestamp_ntz)", 3)


def _to_timestamp_now(call: Call, texts: Sequence[str]) -> str:
    """Return TO_TIMESTAMP by a format, or else by that of JDBC, as Flink does."""
    text, *pattern = texts
    if call.arguments[0].type.kind not in TEXT:
        return _to_timestamp(call, texts)
    if not pattern:
        shape = "'^[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?)?$'"
        return truncated(f"try_cast(if({text} rlike {shape}, {text}, null) as timestamp_ntz)", 3)
    if tells_zone(written_text(call.arguments[1])) and written_text(call.arguments[1]) is not None:
        return _to_timestamp(call, texts)
    usual = f"try_cast(if(trim({text}) rlike '{JDBC_TIME}', trim({text}), null) as timestamp_ntz)"
    return truncated(f"coalesce({parsed_local(text, pattern[0])}, {usual})", 3)


def _to_date_now(call: Call, texts: Sequence[str]) -> str:
    if len(texts) > 1 or call.arguments[0].type.kind not in TEXT:
        return _TO_DATE(call, texts)
    return f"try_cast(if(instr({texts[0]}, 'T') > 0, null, {texts[0]}) as date)"


def _field(function: str, kinds: frozenset[Kind] = DATED) -> BuiltInFunction:
    return BuiltInFunction(
        always_nullable(_BIGINT), forms(f"cast({function}({{0}}) as bigint)"), (1, 1), takes=(kinds,)
    )


def _now(form: str, type_: DataType, *, nullable: bool = True) -> BuiltInFunction:
    infer: Infer = always_nullable(type_) if nullable else never_null(type_)
    return BuiltInFunction(infer, forms(form), (0, 0))


_CLOCKED: Final = DATED | {Kind.TIME}
TIME_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "CURRENT_TIMESTAMP": _now(_NOW, _LOCAL),
    "NOW": _now(_NOW, _LOCAL),
    "LOCALTIMESTAMP": _now(f"cast({_NOW} as timestamp_ntz)", _STAMP),
    "CURRENT_DATE": _now("current_date()", _DATE, nullable=False),
    "PROCTIME": _now(_NOW, _LOCAL),
    **{name: _field(name.lower()) for name in ("YEAR", "QUARTER", "MONTH", "DAYOFMONTH", "DAYOFYEAR", "DAYOFWEEK")},
    **{name: _field(name.lower(), _CLOCKED) for name in sorted(_CLOCK_UNITS)},
    "WEEK": _field("weekofyear"),
    "DATE_FORMAT": BuiltInFunction(_formatted_type, _formatted, (2, 2), takes=(DATED, ATOMIC), runs=_formatted_now),
    "TO_TIMESTAMP": BuiltInFunction(
        always_nullable(_STAMP), _to_timestamp, (1, 2), takes=(DATED, ATOMIC), runs=_to_timestamp_now
    ),
    "TO_DATE": BuiltInFunction(
        always_nullable(_DATE),
        _TO_DATE,
        (1, 2),
        takes=(DATED, ATOMIC),
        runs=_to_date_now,
    ),
    "FROM_UNIXTIME": BuiltInFunction(
        always_nullable(_STRING),
        forms(f"from_unixtime({{0}}, {_SECONDS})", "from_unixtime({0}, {1})"),
        (1, 2),
        takes=(NUMERIC | TEXT, ATOMIC),
    ),
    **{f"EXTRACT {unit}": _extract(unit) for unit in _PARTS},
    **{f"{name} TO {unit}": _rounded(name, unit) for name in ("FLOOR", "CEIL") for unit in _FLOORS},
    **{f"TIMESTAMPADD {unit}": _add(unit) for unit in sorted(TIME_UNITS)},
    **{f"TIMESTAMPDIFF {unit}": _difference(unit) for unit in sorted(TIME_UNITS)},
}
"""Functions by name, which includes the unit if they take one."""


def extract(unit: str, value: TypedExpression) -> Call:
    """``EXTRACT(unit FROM value)``.

    Raises:
        CallError: The unit is not one of this kind of time.
    """
    if unit not in _PARTS:
        raise _not_extracted(unit, value.type)
    return _called(f"EXTRACT {unit}", value)


def round_to(name: str, value: TypedExpression, unit: str) -> Call:
    """``FLOOR(value TO unit)`` and ``CEIL(value TO unit)``.

    Raises:
        CallError: The unit is not one of this kind of time.
    """
    if unit not in _FLOORS:
        raise _not_rounded(unit, value.type)
    return _called(f"{name} TO {unit}", value)


def _called(name: str, value: TypedExpression) -> Call:
    return TIME_FUNCTIONS[name].checked(name, (value,))


def _not_extracted(unit: str, type_: DataType) -> CallError:
    return CallError.unsupported(f"EXTRACT({unit} FROM {type_}) is not supported.", f"Take one of {', '.join(_PARTS)}.")


def _not_rounded(unit: str, type_: DataType) -> CallError:
    what = f"FLOOR and CEIL of {type_} to {unit} are not supported."
    return CallError.unsupported(what, f"Take a TIMESTAMP and one of {', '.join(_FLOORS)}.")
