"""Types that the user fixes for members of JSON records (``fixed-types``)."""

from __future__ import annotations

from kafkastream.cdc.values import Conversion
from kafkastream.errors import KafkastreamError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.data_types import parse_type
from kafkastream.sql.types import DataType

__all__ = ["fixed_types"]


def fixed_types(text: str) -> FrozenMap[str, DataType]:
    """Parse names and types.

    Args:
        text: Names and types of Flink SQL, separated by commas.

    Raises:
        ValueError: The text has another form, or a type is not supported in pipelines.

    Example:
        >>> {name: str(type_) for name, type_ in fixed_types("id BIGINT, name VARCHAR(10)").items()}
        {'id': 'BIGINT', 'name': 'VARCHAR(10)'}
    """
    try:
        fields = parse_type(f"ROW<{text}>").fields
        for field in fields:
            Conversion().converter(field.type)
    except KafkastreamError as error:
        raise ValueError(f"expected names and types, such as id BIGINT, name VARCHAR(10): {error.what}") from None
    types = FrozenMap({field.name: field.type for field in fields})
    if len(types) < len(fields):
        raise ValueError("expected each name once")
    return types
