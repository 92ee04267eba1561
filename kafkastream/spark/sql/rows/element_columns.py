"""Converts elements of a stream to Arrow columns, by their row type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import pyarrow as pa

from kafkastream.spark.internals.python import arrow_type_of
from kafkastream.spark.sql.formats.spark_types import spark_type
from kafkastream.spark.sql.rows.element_values import converter, parts_of
from kafkastream.spark.worker.batches import each
from kafkastream.sql.type_information import row_type_info
from kafkastream.sql.types import DataType

__all__ = ["ElementRows", "arrow_schema"]


def arrow_schema(row_type: DataType) -> pa.Schema:
    """Return the Arrow schema of a row type."""
    return pa.schema([pa.field(field.name, arrow_type_of(spark_type(field.type))) for field in row_type.fields])


@final
class ElementRows:
    """Converts elements to Arrow columns.

    Args:
        row_type: Row type of the elements.

    Attributes:
        schema: Arrow schema of the columns.
    """

    def __init__(self, row_type: DataType) -> None:
        type_info = row_type_info((field.name, field.type) for field in row_type.fields)
        self.schema = arrow_schema(row_type)
        self._names = type_info.get_field_names()
        self._converts = [
            converter(part, field.type) for part, field in zip(type_info.elements, row_type.fields, strict=True)
        ]

    def of(self, values: Sequence[Any]) -> pa.RecordBatch:
        """Convert elements to columns.

        Raises:
            ElementError: An element is not of the row type.
        """
        try:
            return self._batch(values)
        except Exception:
            each(lambda value: self._batch([value]), values)
            raise

    def _batch(self, values: Sequence[Any]) -> pa.RecordBatch:
        rows = [parts_of(value, self._names) for value in values]
        columns = list(zip(*rows, strict=True)) or [()] * len(self._names)
        arrays = [
            pa.array(
                column if convert is None else [None if one is None else convert(one) for one in column], field.type
            )
            for column, convert, field in zip(columns, self._converts, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)
