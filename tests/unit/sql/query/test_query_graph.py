"""What cannot run in one query is refused before anything runs."""

from __future__ import annotations

import itertools

import attrs
import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.plan.expression import Literal
from kafkastream.sql.plan.query_node import QuerySettings, Target, query_graph
from kafkastream.sql.plan.relations import Field, Scan, Union, Values
from kafkastream.sql.table import PhysicalColumn, TableDefinition, TableSchema
from kafkastream.sql.types import DataType, Kind

INT = DataType.of(Kind.INT)
FIELDS = (Field("n", INT),)
OPTIONS = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "localhost:9092", "format": "json"}
SCAN = Scan(fields=FIELDS, table=TableDefinition(("t",), TableSchema((PhysicalColumn("n", INT),)), OPTIONS))
VALUES = Values(fields=FIELDS, rows=((Literal.whole(1),),))


def test_values_beside_a_topic() -> None:
    both = Union(fields=FIELDS, merged=(SCAN, VALUES))
    with pytest.raises(UnsupportedFeatureError, match="VALUES, or of a SELECT without FROM, together"):
        query_graph(both, Target(), QuerySettings(), itertools.count(1))
    for alone in (SCAN, VALUES):
        graph = query_graph(attrs.evolve(both, merged=(alone, alone)), Target(), QuerySettings(), itertools.count(1))
        assert len(graph.sources) == 2
