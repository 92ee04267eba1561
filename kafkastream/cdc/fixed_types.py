"""Types that the user fixes for members of JSON."""

from __future__ import annotations

from kafkastream.cdc.values import Conversion
from kafkastream.errors import DefinitionError
from kafkastream.spec.values import FrozenMap
from kafkastream.sql.syntax.parser import parse
from kafkastream.sql.syntax.statements import CreateTable
from kafkastream.sql.table import PhysicalColumn
from kafkastream.sql.types import DataType

__all__ = ["fixed_types"]


def fixed_types(text: str) -> FrozenMap[str, DataType]:
    """Return the types that the user fixes for members.

    Args:
        text: Names and types of Flink SQL, separated by commas.

    Raises:
        ValueError: It is something else.
        UnsupportedFeatureError: Rows of a pipeline cannot have one of the types.

    Example:
        >>> {name: str(type_) for name, type_ in fixed_types("id BIGINT, name VARCHAR(10)").items()}
        {'id': 'BIGINT', 'name': 'VARCHAR(10)'}
    """
    try:
        statements = parse(f"CREATE TABLE fixed ({text})")
    except DefinitionError as error:
        raise ValueError(f"expected names and types, as id BIGINT, name VARCHAR(10): {error.what}") from None
    statement = statements[0]
    assert isinstance(statement, CreateTable)
    columns = statement.definition.schema.columns
    if len(statements) > 1 or not all(isinstance(column, PhysicalColumn) for column in columns):
        raise ValueError("expected names and types, as id BIGINT, name VARCHAR(10)")
    types = {column.name: column.type for column in statement.definition.schema.physical}
    for type_ in types.values():
        Conversion().converter(type_)
    return FrozenMap(types)
