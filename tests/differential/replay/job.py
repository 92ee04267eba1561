"""A job of random graphs on shared sources: the same for Spark and for the test driver."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from kafkastream.common import Types, WatermarkStrategy
from kafkastream.common.serialization import SerializationSchema, SimpleStringSchema
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from tests.differential.replay import functions
from tests.differential.replay.graphs import Builder, End, Stream, random_strategy
from tests.differential.replay.records import PARTITIONS, START_MS, Step, random_steps
from tests.differential.replay.shared_clock import SharedClock

__all__ = ["LINES", "Job"]

LINES = "lines"
"""Topic of the lines of all graphs."""


class Group(SerializationSchema[str]):
    """The first three fields of a line, by which a line's partition is chosen: lines of one group are in order."""

    def serialize(self, value: str) -> bytes:
        return "|".join(value.split("|", 3)[:3]).encode()


@final
@dataclass(frozen=True)
class Job:
    """A job of random graphs, and the records for it.

    Args:
        seed: Seed of the job's sources, settings and records.
        graphs: Seeds of its graphs.
        steps: Number of steps.
    """

    seed: int
    graphs: tuple[int, ...]
    steps: int = 5

    @staticmethod
    def of(seed: int, graphs: int, steps: int = 5) -> Job:
        """Return the job of a seed, with so many graphs."""
        return Job(seed, tuple(range(seed * 1000, seed * 1000 + graphs)), steps)

    def random_steps(self) -> list[Step]:
        """Return the job's records."""
        return random_steps(random.Random(self.seed), self.steps)

    @property
    def parallelism(self) -> int:
        """Number of subtasks."""
        return random.Random(self.seed).randint(1, 3)

    def build(
        self,
        env: StreamExecutionEnvironment,
        servers: str,
        topics: Mapping[str, str],
        clock: SharedClock,
        *,
        ends: bool,
    ) -> dict[int, list[str]]:
        """Add the job to an environment, and return the operators of each graph.

        Args:
            env: The environment.
            servers: Bootstrap servers.
            topics: Topics by the names in ``PARTITIONS``, and that of the lines.
            clock: Clock of the job.
            ends: Whether the sources end with the records that are there.
        """
        chance = random.Random(self.seed)
        env.set_parallelism(self.parallelism)
        sources = [self._source(env, chance, name, servers, topics, clock, ends=ends) for name in PARTITIONS]
        some = [("collection", number, f"k{number % 2}", START_MS, None) for number in range(4)]
        sources.append(Stream(env.from_collection(some, functions.ANY), is_timed=False))
        operators = {}
        lines = [self._shown(End(f"source {number}", source), clock) for number, source in enumerate(sources)]
        for seed in self.graphs:
            builder = Builder(seed, sources, clock)
            lines += [self._shown(end, clock) for end in builder.build()]
            operators[seed] = builder.operators
        sink = KafkaSink.builder().set_bootstrap_servers(servers)
        guarantee = chance.choice((DeliveryGuarantee.AT_LEAST_ONCE, DeliveryGuarantee.EXACTLY_ONCE))
        sink.set_delivery_guarantee(guarantee).set_transactional_id_prefix(topics[LINES])
        serializer = KafkaRecordSerializationSchema.builder().set_topic(topics[LINES])
        serializer.set_key_serialization_schema(Group()).set_value_serialization_schema(SimpleStringSchema())
        lines[0].union(*lines[1:]).sink_to(sink.set_record_serializer(serializer.build()).build())
        return operators

    def _source(
        self,
        env: StreamExecutionEnvironment,
        chance: random.Random,
        name: str,
        servers: str,
        topics: Mapping[str, str],
        clock: SharedClock,
        *,
        ends: bool,
    ) -> Stream:
        builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topics[name])
        builder.set_property("isolation.level", "read_committed").set_group_id(topics[name])
        builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
        if ends:
            builder.set_bounded(KafkaOffsetsInitializer.latest())
        strategy = random_strategy(chance)
        if chance.random() < 0.5:
            strategy = strategy.with_timestamp_assigner(functions.EventTime())
        if chance.random() < 0.15:
            strategy = WatermarkStrategy.no_watermarks()
        if name == "b":  # which has tombstones
            return Stream(env.from_source(builder.set_deserializer(functions.ReadRecord()).build(), strategy, name))
        text = env.from_source(builder.set_value_only_deserializer(SimpleStringSchema()).build(), strategy, name)
        read = functions.Read()
        read.clock = clock
        return Stream(text.map(read, functions.ANY))

    def _shown(self, end: End, clock: SharedClock) -> Any:
        is_ordered = end.stream.is_ordered and not end.stream.is_mixed
        shown = functions.Shown(end.path, is_ordered=is_ordered, by_origin=end.stream.level == 0)
        shown.clock = clock
        return end.stream.stream.process(shown, Types.STRING())
