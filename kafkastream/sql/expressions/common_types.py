"""Common types of columns, for UNION and VALUES."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from sqlglot import exp

from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.functions.type_rules import wider_numbers, widest_decimal
from kafkastream.sql.type_families import BYTES, NUMERIC, STAMPS, TEXT, WHOLE
from kafkastream.sql.types import DataType, Kind

__all__ = ["common_type"]


def common_type(text: QueryText, node: exp.Expr, types: Sequence[DataType]) -> DataType:
    """Return the common type of the values of a column.

    Raises:
        DefinitionError: They have no common type.
    """
    known = [type_ for type_ in types if type_.kind is not Kind.CHAR or type_.size] or list(types)
    kinds = {type_.kind for type_ in known}
    is_nullable = any(type_.is_nullable for type_ in types)
    found = _common(known, kinds)
    if found is None:
        shown = " and ".join(dict.fromkeys(str(type_) for type_ in types))
        raise text.error(node, f"Type mismatch in a column: {shown}.", "CAST one of them.")
    return attrs.evolve(found, is_nullable=is_nullable)


def _common(types: Sequence[DataType], kinds: set[Kind]) -> DataType | None:
    if len({type_.nullable() for type_ in types}) == 1:
        return types[0]
    size = max((type_.size or 0 for type_ in types), default=0)
    if kinds <= TEXT:
        return DataType.of(Kind.VARCHAR, size)
    if kinds <= BYTES:
        return DataType.of(Kind.VARBINARY, size)
    if kinds <= WHOLE | {Kind.DECIMAL} and Kind.DECIMAL in kinds:
        return widest_decimal(types)
    if kinds <= NUMERIC:
        return wider_numbers(types)
    if len(kinds) == 1 and kinds <= STAMPS:
        return DataType.of(next(iter(kinds)), size)
    return None
