"""Arrow's types of columns, as Spark exchanges them with Python; for code that runs without pyspark, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.types import DataType, Kind

__all__ = ["arrow_type"]

_PLAIN: Final[Mapping[Kind, pa.DataType]] = {
    Kind.CHAR: pa.string(),
    Kind.VARCHAR: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.BINARY: pa.binary(),
    Kind.VARBINARY: pa.binary(),
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INT: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.FLOAT: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.time64("ns"),
    Kind.TIMESTAMP: pa.timestamp("us"),
}


def arrow_type(data_type: DataType, zone: str = "UTC") -> pa.DataType:
    """Return the type that ``pyspark.sql.pandas.types.to_arrow_type`` gives Spark's type of a column.

    Args:
        data_type: Type of the column.
        zone: Time zone of TIMESTAMP_LTZ.

    Raises:
        UnsupportedFeatureError: No column has the type.

    Example:
        >>> arrow_type(DataType.of(Kind.ARRAY, parts=(DataType.of(Kind.DECIMAL, 5, 2),)))
        ListType(list<element: decimal128(5, 2)>)
    """
    match data_type.kind:
        case kind if kind in _PLAIN:
            return _PLAIN[kind]
        case Kind.DECIMAL:
            return pa.decimal128(data_type.size or 10, data_type.scale or 0)
        case Kind.TIMESTAMP_LTZ:
            return pa.timestamp("us", zone)
        case Kind.ARRAY:
            return pa.list_(pa.field("element", arrow_type(data_type.parts[0], zone)))
        case Kind.MULTISET:
            return pa.map_(arrow_type(data_type.parts[0], zone), pa.int32())
        case Kind.MAP:
            return pa.map_(*(arrow_type(part, zone) for part in data_type.parts))
        case Kind.ROW:
            return pa.struct([pa.field(field.name, arrow_type(field.type, zone)) for field in data_type.fields])
        case _:
            raise UnsupportedFeatureError(
                f"a column cannot have the type {data_type}",
                now="Keep it as a number, and compute the interval in the query.",
            )
