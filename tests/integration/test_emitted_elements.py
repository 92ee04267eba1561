"""What a function emits is what it had when it emitted it, on Spark: behind each kind of function, before each kind of sink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kafkastream.common import Encoder, Row, Types, WatermarkStrategy
from kafkastream.common.serialization import DeserializationSchema
from kafkastream.datastream import (
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.file_system import FileSink
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer
from kafkastream.datastream.formats.json import JsonRowSerializationSchema
from kafkastream.table import DataTypes, StreamTableEnvironment
from kafkastream.table.expressions import col
from kafkastream.table.udf import TableAggregateFunction, udf, udtaf, udtf
from kafkastream.testing.pytest_plugin import NewTopic
from tests.differential.mutation.graphs import INPUT, STATELESS, Engine, Graph, build, graph, reference
from tests.integration.conftest import Parts, Read

ROW = Types.ROW_NAMED(["n", "l"], [Types.INT(), Types.LIST(Types.INT())])


def given(numbers: Any, graphs: Iterable[Graph]) -> list[str]:
    """What graphs give in one job."""
    engine = Engine("kafkastream")
    first, *others = (stream for made in graphs for stream in build(engine, numbers, made))
    return sorted(first.union(*others).execute_and_collect())


def test_graphs_of_functions_that_change_all_they_can_reach(env: StreamExecutionEnvironment) -> None:
    graphs = [graph(seed) for seed in range(2000, 2020)]
    numbers = env.set_parallelism(1).from_collection(INPUT, Types.INT())
    assert given(numbers, graphs) == sorted(line for made in graphs for line in reference(made))


@pytest.mark.parametrize("timeout", [-1, 0], ids=["micro-batches", "latency mode"])
def test_graphs_without_state_in_both_modes(
    env: StreamExecutionEnvironment, read: Read, parts: Parts, topic: str, timeout: int
) -> None:
    graphs = [graph(seed, STATELESS) for seed in range(3000, 3025)]
    parts.kafka.produce(topic, map(str, INPUT))
    numbers = read(parts.bounded(topic))
    env.set_parallelism(1).set_buffer_timeout(timeout)
    assert given(numbers, graphs) == sorted(line for made in graphs for line in reference(made))


class Refilled(DeserializationSchema[Any]):
    """Returns one list for all records."""

    def __init__(self) -> None:
        self.row: list[int] = []

    def deserialize(self, message: bytes) -> list[int]:
        self.row[:] = [int(message)]
        return self.row


def test_each_kind_of_sink(
    env: StreamExecutionEnvironment,
    parts: Parts,
    new_topic: NewTopic,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Each takes the same elements of a function that fills one row again and again, of records that share one list."""
    env.set_parallelism(1)
    source, target = new_topic(), new_topic()
    parts.kafka.produce(source, ["1", "2"])
    builder = parts.unbound(source).set_bounded(KafkaOffsetsInitializer.latest())
    records = builder.set_value_only_deserializer(Refilled()).build()

    def refill(value: list[int]) -> Iterator[Row]:
        row = Row(n=0, l=[])
        for number in (*value, 5):
            row["n"] = number
            row["l"].append(number)
            yield row

    rows = env.from_source(records, WatermarkStrategy.no_watermarks(), "records").flat_map(refill, ROW)
    rows.sink_to(parts.sink(target, JsonRowSerializationSchema.builder().with_type_info(ROW).build()))
    rows.sink_to(FileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder()).build())
    rows.print()
    env.execute("sinks")
    assert parts.values(target) == sorted(
        ['{"n":1,"l":[1]}', '{"n":5,"l":[1,5]}', '{"n":2,"l":[2]}', '{"n":5,"l":[2,5]}'], key=str
    )
    lines = [line for file in tmp_path.rglob("*") if file.is_file() for line in file.read_text().splitlines()]
    assert sorted(lines) == ["+I[1, [1]]", "+I[2, [2]]", "+I[5, [1, 5]]", "+I[5, [2, 5]]"]
    printed = [line.replace(" ", "") for line in capfd.readouterr().out.splitlines() if line.startswith("+I[")]
    assert printed == ["+I[1,[1]]", "+I[5,[1,5]]", "+I[2,[2]]", "+I[5,[2,5]]"]


def test_functions_of_sql(env: StreamExecutionEnvironment) -> None:
    tables = StreamTableEnvironment.create(env.set_parallelism(1))
    numbers = DataTypes.ARRAY(DataTypes.INT())
    buffer: list[int] = []

    @udf(result_type=numbers)
    def so_far(number: int) -> list[int]:
        buffer.append(number)
        return buffer

    @udtf(result_types=[numbers])
    def twice(number: int) -> Iterator[Row]:
        row = Row([number])
        yield row
        row[0].append(-number)
        yield row

    tables.create_temporary_function("so_far", so_far)
    tables.create_temporary_function("twice", twice)
    source = "(VALUES (1), (2)) AS v(n)"
    rows = tables.execute_sql(f"SELECT so_far(n) FROM {source}").collect()
    assert [list(row[0]) for row in rows] == [[1], [1, 2]]
    rows = tables.execute_sql(f"SELECT l FROM {source}, LATERAL TABLE(twice(n)) AS t(l)").collect()
    assert [list(row[0]) for row in rows] == [[1], [1, -1], [2], [2, -2]]

    class Twice(TableAggregateFunction):
        def create_accumulator(self) -> list[int]:
            return []

        def accumulate(self, accumulator: list[int], number: int) -> None:
            accumulator.append(number)

        def emit_value(self, accumulator: list[int]) -> Iterator[Row]:
            row = Row([])
            for number in accumulator:
                row[0].append(number)
                yield row

    row_type = DataTypes.ROW([DataTypes.FIELD("l", numbers)])
    emitted = udtaf(Twice(), result_type=row_type, accumulator_type=numbers)
    table = tables.sql_query(f"SELECT n, 0 AS k FROM {source}")
    result = table.group_by(col("k")).flat_aggregate(emitted(col("n")).alias("l")).select(col("l"))
    last = [list(row[0]) for row in result.execute().collect()][-2:]
    assert last == [[1], [1, 2]]
