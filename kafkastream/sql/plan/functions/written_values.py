"""Values of literals, and the Spark SQL of intervals, of times in UTC, and of texts that Java refuses."""

from __future__ import annotations

from kafkastream.sql.plan.expression import Call, Interval, IntervalUnit, Literal, TypedExpression, is_null
from kafkastream.sql.types import Kind

__all__ = ["in_utc", "interval_text", "is_refused", "whole_number", "written_text"]

_DAY_MS = 86_400_000
_EPOCH = "timestamp_ntz'1970-01-01 00:00:00'"


def whole_number(expression: TypedExpression) -> int | None:
    """Return the value of an integer literal; None for other expressions.

    Example:
        >>> whole_number(Literal.whole(7))
        7
    """
    match expression:
        case Literal(value=bool()):
            return None
        case Literal(value=int(number)):
            return number
        case Call(function="$NEGATE", arguments=(Literal(value=int(number)),)):
            return -number
        case _:
            return None


def written_text(expression: TypedExpression) -> str | None:
    """The text that an expression is; None where it is computed.

    Example:
        >>> written_text(Literal.text("a"))
        'a'
    """
    match expression:
        case Literal(value=str(text)) if expression.type.kind is Kind.CHAR:
            return text
        case _:
            return None


def in_utc(stamp: str, template: str) -> str:
    """Return the Spark SQL of a TIMESTAMP_LTZ that is computed in UTC, as Flink does, where days have 24 hours.

    Args:
        stamp: Spark SQL of the TIMESTAMP_LTZ.
        template: Spark SQL of a TIMESTAMP, where ``{0}`` is the local time in UTC.
    """
    local = f"timestampadd(MICROSECOND, unix_micros({stamp}), {_EPOCH})"
    return f"timestamp_micros(timestampdiff(MICROSECOND, {_EPOCH}, {template.replace('{0}', local)}))"


def is_refused(java_class: str, method: str, argument: TypedExpression, text: str) -> str:
    """Return the Spark SQL of whether a static method of Java fails for a text, which it does for NULL.

    Args:
        java_class: Name of the class.
        method: Name of the method.
        argument: Expression of the text.
        text: Its Spark SQL.

    Example:
        >>> from kafkastream.sql.plan.expression import NULL
        >>> is_refused("java.time.ZoneId", "of", NULL, "null")
        "try_reflect('java.time.ZoneId', 'of', cast(null as string)) is null"
    """
    typed = f"cast({text} as string)" if is_null(argument) else text  # reflection takes no NULL without a type
    return f"try_reflect('{java_class}', '{method}', {typed}) is null"


def interval_text(interval: Interval) -> str:
    """Return the Spark SQL of an interval literal.

    Example:
        >>> interval_text(Interval(90_061_500)), interval_text(Interval(-2, IntervalUnit.DAY))
        ("INTERVAL '1 01:01:01.500' DAY TO SECOND", "INTERVAL '-2' DAY")
    """
    amount, sign = abs(interval.amount), "-" if interval.amount < 0 else ""
    match interval.unit:
        case IntervalUnit.MONTH:
            return f"make_ym_interval(0, {interval.amount})"
        case IntervalUnit.DAY:
            return f"INTERVAL '{sign}{amount}' DAY"
        case IntervalUnit.MILLISECOND:
            return f"INTERVAL '{sign}{_clock_text(amount)}' DAY TO SECOND"


def _clock_text(amount: int) -> str:
    """Return a duration as days and a clock time."""
    days, rest = divmod(amount, _DAY_MS)
    clock = f"{rest // 3_600_000:02}:{rest // 60_000 % 60:02}:{rest // 1000 % 60:02}.{rest % 1000:03}"
    return f"{days} {clock}"
