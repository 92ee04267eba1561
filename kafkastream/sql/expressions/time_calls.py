"""Functions of times, by the kind of time that they get."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from kafkastream.sql.expressions.call_arguments import counted
from kafkastream.sql.plan.casts import truncated
from kafkastream.sql.plan.spark_type_names import TEXT, TIMES, WHOLE
from kafkastream.sql.types import Kind

if TYPE_CHECKING:
    from kafkastream.sql.expressions.expressions import Translator

__all__ = ["TIME_REWRITES", "extracted", "rounded"]

_UNITS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"})
_PARTS = {
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
}
_FLOORS = {
    "YEAR": ("year({0})", "1", "1"),
    "QUARTER": ("year({0})", "quarter({0}) * 3 - 2", "1"),
    "MONTH": ("year({0})", "month({0})", "1"),
    "DAY": ("year({0})", "month({0})", "day({0})"),
    "HOUR": ("year({0})", "month({0})", "day({0})", "hour({0})"),
    "MINUTE": ("year({0})", "month({0})", "day({0})", "hour({0})", "minute({0})"),
    "SECOND": ("year({0})", "month({0})", "day({0})", "hour({0})", "minute({0})", "second({0})"),
}


def extracted(of: Translator, node: exp.Expr) -> str:
    """``EXTRACT(unit FROM time)``, a BIGINT."""
    unit = node.this.name.upper()
    value = of.sql(node.expression)
    if of.type_of(value).kind not in TIMES or unit not in _PARTS:
        what = f"EXTRACT({unit} FROM {of.type_of(value)}) is not supported."
        raise of.text.refused(node, what, f"Take one of {', '.join(_PARTS)}.")
    return f"cast({_PARTS[unit].format(value)} as bigint)"


def rounded(of: Translator, node: exp.Expr) -> str:
    """``FLOOR`` and ``CEIL``, of numbers and ``time TO unit``."""
    of.text.only(node, "this", "to")
    value, name = of.sql(node.this), "floor" if isinstance(node, exp.Floor) else "ceil"
    type_ = of.type_of(value)
    if node.args.get("to"):
        floor = _floor(of, node, value, node.args["to"].name.upper())
        if name == "floor":
            return floor
        return f"if({floor} = {value}, {floor}, {_added(type_.kind, node.args['to'].name.upper(), '1', floor)})"
    if type_.kind in WHOLE:
        return value
    if type_.kind in (Kind.FLOAT, Kind.DOUBLE):
        kind = type_.kind.value.lower()
        return f"if(abs({value}) < 9.0E15D, cast({name}({value}) as {kind}), {value})"
    return f"{name}({value})"


def _floor(of: Translator, node: exp.Expr, value: str, unit: str) -> str:
    kind = of.type_of(value).kind
    parts = _FLOORS.get(unit)
    if (
        parts is None
        or kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_LTZ)
        or (kind is Kind.DATE and len(parts) > 3)
    ):
        what = f"FLOOR and CEIL of {of.type_of(value)} to {unit} are not supported."
        raise of.text.refused(node, what, f"Take a TIMESTAMP and one of {', '.join(_FLOORS)}.")
    if kind is Kind.TIMESTAMP_LTZ:
        return f"date_trunc('{unit}', {value})"
    filled = [part.format(value) for part in parts]
    if kind is Kind.DATE:
        return f"make_date({', '.join(filled)})"
    return f"make_timestamp_ntz({', '.join(filled + ['0'] * (6 - len(filled)))})"


def _added(kind: Kind, unit: str, count: str, value: str) -> str:
    added = f"timestampadd({unit}, {count}, {value})"
    if kind is Kind.DATE:
        return f"cast(timestampadd({unit}, {count}, cast({value} as timestamp_ntz)) as date)"
    return added


def _unit(of: Translator, node: exp.Expr) -> str:
    unit = node.name.upper().removeprefix("SQL_TSI_")
    if unit not in _UNITS:
        raise of.text.error(node, f"{node.name} is no unit of time.", f"Take one of {', '.join(sorted(_UNITS))}.")
    return unit


def _three(of: Translator, node: exp.Expr) -> tuple[str, str, str]:
    if len(node.expressions) != 3:
        raise of.text.error(node, f"{node.name.upper()} takes a unit and two values.")
    unit, first, second = node.expressions
    return _unit(of, unit), of.sql(first), of.sql(second)


def _timestampadd(of: Translator, node: exp.Expr) -> str:
    unit, count, value = _three(of, node)
    kind = of.type_of(value).kind
    if kind is Kind.DATE and unit in ("HOUR", "MINUTE", "SECOND"):
        kind, value = Kind.TIMESTAMP, f"cast({value} as timestamp_ntz)"
    return _added(kind, unit, f"cast({count} as int)", value)


def _timestampdiff(of: Translator, node: exp.Expr) -> str:
    unit, first, second = _three(of, node)
    ntz = [
        f"cast({value} as timestamp_ntz)" if of.type_of(value).kind is Kind.DATE else value for value in (first, second)
    ]
    return f"cast(timestampdiff({unit}, {ntz[0]}, {ntz[1]}) as int)"


def _date_format(of: Translator, node: exp.Expr) -> str:
    value, pattern = counted(of, node, 2, 2)
    if of.type_of(value).kind in TEXT:
        value = f"try_cast({value} as timestamp_ntz)"
    return f"date_format({value}, {pattern})"


def _to_timestamp(of: Translator, node: exp.Expr) -> str:
    """NULL for what is no time, as in Flink; a TIMESTAMP(3)."""
    text, *pattern = counted(of, node, 1, 2)
    if pattern:
        return truncated(f"cast(try_to_timestamp({text}, {pattern[0]}) as timestamp_ntz)", 3)
    shape = "'^ *[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,2}([ T][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?)? *$'"
    return truncated(f"try_cast(if({text} rlike {shape}, {text}, null) as timestamp_ntz)", 3)


def _to_timestamp_ltz(of: Translator, node: exp.Expr) -> str:
    value, *_ = counted(of, node, 1, 2)
    digits = node.expressions[1].name if len(node.expressions) > 1 else "3"
    if of.type_of(value).kind not in WHOLE or digits not in ("0", "3"):
        what = "TO_TIMESTAMP_LTZ takes a whole number and 0 (seconds) or 3 (milliseconds) here."
        raise of.text.refused(node, what, "CAST the number to BIGINT; make texts times by CAST(s AS TIMESTAMP_LTZ(3)).")
    return f"timestamp_{'millis' if digits == '3' else 'seconds'}({value})"


TIME_REWRITES: Final[Mapping[str, Callable[[Any, exp.Expr], str]]] = {
    "date_format": _date_format,
    "to_timestamp": _to_timestamp,
    "to_timestamp_ltz": _to_timestamp_ltz,
    "timestampadd": _timestampadd,
    "timestampdiff": _timestampdiff,
}
"""Each by the name that the table of functions gives it."""
