"""Rows with their kinds as change events of Debezium, Canal and Maxwell, in Spark's expressions."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, functions

from kafkastream.model.common.row import RowKind
from kafkastream.spark.sql.formats.json_writing import json_message, json_value
from kafkastream.sql.formats import CanalJsonFormat, DebeziumJsonFormat
from kafkastream.sql.formats.json import JsonSettings
from kafkastream.sql.types import DataType

__all__ = ["change_message"]


def change_message(columns: Sequence[Column], row: DataType, settings: JsonSettings, kind: Column | None) -> Column:
    """Rows as messages: as in Flink, an update is its old row deleted and its new row inserted.

    Args:
        columns: The fields' values.
        row: Their types.
        settings: The format.
        kind: The rows' kinds; None where all are new.

    Raises:
        UnsupportedFeatureError: A map's keys are no text.
    """
    values = (
        json_value(column, field.type, settings).alias(field.name)
        for column, field in zip(columns, row.fields, strict=True)
    )
    data = functions.struct(*values)
    is_new = functions.lit(True) if kind is None else kind.isin(RowKind.INSERT.value, RowKind.UPDATE_AFTER.value)

    def either(new: str, gone: str) -> Column:
        return functions.when(is_new, new).otherwise(gone)

    event: tuple[Column, ...]
    match settings:
        case DebeziumJsonFormat():
            event = (
                functions.when(~is_new, data).alias("before"),
                functions.when(is_new, data).alias("after"),
                either("c", "d").alias("op"),
            )
        case CanalJsonFormat():
            event = (functions.array(data).alias("data"), either("INSERT", "DELETE").alias("type"))
        case _:
            event = (data.alias("data"), either("insert", "delete").alias("type"))
    return json_message(functions.struct(*event), row, settings)
