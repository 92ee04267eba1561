"""The type that holds the values of several, as UNION and VALUES need."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from sqlglot import exp

from kafkastream.sql.parser.parsed_query import QueryText
from kafkastream.sql.plan.spark_type_names import NUMERIC, STAMPS, TEXT, WHOLE, decimal_of
from kafkastream.sql.types import DataType, Kind

__all__ = ["common_type"]

_WIDER = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.BIGINT)
_BYTES = frozenset({Kind.BINARY, Kind.VARBINARY})


def common_type(text: QueryText, node: exp.Expr, types: Sequence[DataType]) -> DataType:
    """The type of a column whose values have these types.

    Raises:
        DefinitionError: There is none.
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
    if kinds <= _BYTES:
        return DataType.of(Kind.VARBINARY, size)
    if kinds <= WHOLE:
        return DataType.of(max(kinds, key=_WIDER.index))
    if kinds <= WHOLE | {Kind.DECIMAL}:
        decimals = [decimal_of(type_) for type_ in types]
        scale = max(type_.scale or 0 for type_ in decimals)
        whole = max((type_.size or 0) - (type_.scale or 0) for type_ in decimals)
        return DataType.of(Kind.DECIMAL, min(38, whole + scale), scale)
    if kinds <= NUMERIC:
        return DataType.of(Kind.FLOAT if kinds == {Kind.FLOAT} else Kind.DOUBLE)
    if len(kinds) == 1 and kinds <= STAMPS:
        return DataType.of(next(iter(kinds)), size)
    return None
