"""Types that the user fixes for members of JSON records (``fixed-types``)."""

from __future__ import annotations

from kafkastream.cdc.values import Conversion
from kafkastream.errors import KafkastreamError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.columns import TableElements
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.table import PhysicalColumn
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
        cursor = Cursor(f"({text})", reserved=frozenset())
        elements = TableElements(cursor)
        cursor.listed(elements.read)
        columns = cursor.last(elements.schema(complete=True), "the end of the types").columns
        types = {column.name: column.type for column in columns if isinstance(column, PhysicalColumn)}
        for type_ in types.values():
            Conversion().converter(type_)
    except KafkastreamError as error:
        raise ValueError(f"expected names and types, such as id BIGINT, name VARCHAR(10): {error.what}") from None
    if len(types) < len(columns):
        raise ValueError("expected names and types, such as id BIGINT, name VARCHAR(10)")
    return FrozenMap(types)
