"""What kafkastream gives for the cells of aggregates: types by the planner, values by streaming queries of a topic."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from kafkastream.common import Row
from kafkastream.errors import KafkastreamError
from kafkastream.sql.plan.expression import ColumnRef, TypedExpression
from kafkastream.sql.types import DataType, Kind
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing import KafkaBroker
from tests.differential.matrix.family import NO_ROW, ZONE, Family
from tests.differential.matrix.shown import shown_map, shown_plain, shown_row, shown_time

__all__ = ["grouped_values_of", "planned_family", "shown_value"]

_PER_BATCH: Final = 7
"""Rows of a micro-batch; each family has more."""


def planned_family(family: Family) -> dict[str, TypedExpression | KafkastreamError]:
    """The results of the aggregates of a family, as columns, or why they are refused."""
    t_env = _environment(family, "localhost:1", "none")
    found: dict[str, TypedExpression | KafkastreamError] = {}
    for one in family.expressions:
        try:
            found[one] = ColumnRef(1, t_env.sql_query(family.query(one)).get_schema().get_field_data_types()[1])
        except KafkastreamError as error:
            found[one] = error
    return found


def grouped_values_of(
    kafka: KafkaBroker, topic: str, family: Family, expressions: Mapping[str, TypedExpression]
) -> dict[str, list[Any]]:
    """Compute the last values of all aggregates by one query over several micro-batches.

    Args:
        kafka: Broker.
        topic: Topic that is created.
        family: Family.
        expressions: Its aggregates that are not refused.
    """
    kafka.create_topic(topic)
    names = [name for name, _ in family.columns]
    kafka.produce(topic, [json.dumps(dict(zip(names, row, strict=True))) for row in family.rows])
    t_env = _environment(family, kafka.bootstrap_servers, topic)
    types = [one.type for one in expressions.values()]
    query = family.query(*(f"{one} AS e{at}" for at, one in enumerate(expressions)))
    left: dict[Any, list[Any]] = {}
    with t_env.execute_sql(query).collect() as rows:
        for row in rows:
            group, *values = row
            if str(row.get_row_kind()) in ("+I", "+U"):
                left[group] = list(map(shown_value, values, types))
            else:
                left.pop(group, None)
    return {
        one: [left[group][at] if group in left else NO_ROW for group in family.groups]
        for at, one in enumerate(expressions)
    }


def _environment(family: Family, servers: str, topic: str) -> TableEnvironment:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", family.parallelism)
    t_env.get_config().set_local_timezone(ZONE)
    options = {
        "connector": "kafka",
        "topic": topic,
        "properties.bootstrap.servers": servers,
        "properties.spark.maxOffsetsPerTrigger": str(_PER_BATCH),
        "scan.startup.mode": "earliest-offset",
        "scan.bounded.mode": "latest-offset",
        "format": "json",
        "json.timestamp-format.standard": "ISO-8601",
    }
    text = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    t_env.execute_sql(f"CREATE TABLE `{family.name}` ({family.declared}) WITH ({text})")
    return t_env


def shown_value(value: Any, type_: DataType, *, inside: bool = False) -> str | None:
    """One text for a value of a row, as of ``collect``."""
    if value is None:
        return "NULL" if inside else None
    match type_.kind:
        case Kind.ARRAY:
            return shown_row([str(shown_value(one, type_.parts[0], inside=True)) for one in value], "[]")
        case Kind.MAP | Kind.MULTISET:
            kinds = (type_.parts[0], DataType.of(Kind.INT) if type_.kind is Kind.MULTISET else type_.parts[1])
            entries = [tuple(map(str, map(_inner, one, kinds))) for one in dict(value).items()]
            return shown_map([(key, count) for key, count in entries])
        case Kind.ROW:
            assert isinstance(value, Row)
            fields = [shown_value(one, field.type, inside=True) for one, field in zip(value, type_.fields, strict=True)]
            return shown_row(list(map(str, fields)), "()")
        case Kind.FLOAT:
            return shown_plain(float(str(np.float32(value))), inside=inside)
        case Kind.TIMESTAMP_LTZ:
            return shown_time(value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()) + "Z"
        case Kind.DATE | Kind.TIME | Kind.TIMESTAMP:
            return shown_time(value.isoformat())
        case _:
            return shown_plain(value, inside=inside)


def _inner(value: Any, type_: DataType) -> str | None:
    return shown_value(value, type_, inside=True)
