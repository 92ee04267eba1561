"""Python values as literals of Flink SQL."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any, Final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.value_printing import shown
from kafkastream.sql.quoting import literal
from kafkastream.sql.types import DataType
from kafkastream.table.api.expression_tree import Strength, Text

__all__ = ["literal_of", "null_of_type", "typed_literal"]

_WHERE: Final = "lit"
_INT: Final = range(-(2**31), 2**31)
_BIGINT: Final = range(-(2**63), 2**63)


def literal_of(value: Any) -> Text:
    """Return the literal of a value, with the type that Flink derives from it.

    Raises:
        DefinitionError: Flink derives no type from the value.

    Example:
        >>> literal_of(1.5).text, literal_of("it's").text, literal_of(True).text
        ('1.5E0', "'it''s'", 'TRUE')
    """
    text = _text(value)
    return Text(text, Strength.SIGN if text.startswith("-") else Strength.CALL, value)


def typed_literal(value: Any, type_: DataType) -> Text:
    """Return the literal of a value with a type.

    Raises:
        DefinitionError: The type allows NULL, and the value is not NULL.
    """
    if value is None:
        return null_of_type(type_)
    if type_.is_nullable:
        raise DefinitionError(
            "Literals that have a non-null value must not have a nullable data type.",
            where=f"lit({shown(value)}, {type_})",
            now="Give the type with not_null(), or leave it out.",
        )
    return Text(f"CAST({_text(value)} AS {type_.nullable()})", value=value)


def null_of_type(type_: DataType) -> Text:
    """Return NULL of a type."""
    return Text(f"CAST(NULL AS {type_.nullable()})")


def _text(value: Any) -> str:
    match value:
        case bool():
            return str(value).upper()
        case int():
            return _whole(value)
        case float():
            return _double(value)
        case Decimal():
            return _decimal(value)
        case str():
            return literal(value)
        case bytes() | bytearray():
            return f"X'{value.hex().upper()}'"
        case datetime.datetime() if value.tzinfo is None:
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case datetime.date() if not isinstance(value, datetime.datetime):
            return f"DATE '{value.isoformat()}'"
        case datetime.time() if value.tzinfo is None:
            return f"TIME '{value.isoformat()}'"
        case _:
            raise DefinitionError(
                f"Cannot derive a data type for value {shown(value)}. The data type must be specified explicitly.",
                where=_WHERE,
                now="null_of(type) is NULL; array(...), row(...) and map_(...) make collections of expressions.",
            )


def _whole(value: int) -> str:
    if value not in _BIGINT:
        raise DefinitionError(f"the number {value} is too great for BIGINT", where=_WHERE, now="Give a Decimal.")
    if value in (_INT.start, _BIGINT.start):
        return f"CAST('{value}' AS {'INT' if value in _INT else 'BIGINT'})"
    return str(value)


def _double(value: float) -> str:
    if not math.isfinite(value):
        return f"CAST('{'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'}' AS DOUBLE)"
    text = repr(value).upper()
    return text if "E" in text else f"{text}E0"


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise DefinitionError(f"{value} has no digits", where=_WHERE, now="Give a float.")
    text = format(value, "f")
    digits = text.lstrip("-")
    return text if "." in digits else f"CAST({text} AS DECIMAL({max(len(digits), 1)}, 0))"
