"""Watermark alignment: who is too far ahead of its group waits, and all is read in the end."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial

import pytest

from kafkastream.common import Duration, Types
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.functions import KeyedProcessFunction
from kafkastream.model.job.job_result import JobClient
from kafkastream.testing import wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.integration.conftest import Parts
from tests.integration.timed import MONOTONOUS, at, key_of

MINUTE = 60
DRIFT = 10
PER_BATCH = 20


class Copy(KeyedProcessFunction[str, str, str]):
    """Hands elements on."""

    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        yield value


def is_ahead(job: JobClient) -> bool:
    drifts = [one.value for one in job.get_metrics().metrics if one.name == "watermarkAlignmentDrift"]
    return any(isinstance(drift, int) and drift > 0 for drift in drifts)


def test_partition_that_is_an_hour_ahead_waits_for_the_other(
    env: StreamExecutionEnvironment, parts: Parts, new_topic: NewTopic, caplog: pytest.LogCaptureFixture
) -> None:
    topic, target = new_topic(partitions=2), new_topic()
    strategy = MONOTONOUS.with_watermark_alignment("minutes", Duration.of_minutes(DRIFT), Duration.of_millis(1))
    source = parts.text(parts.unbound(topic).set_property("spark.maxOffsetsPerTrigger", str(PER_BATCH)))
    stream = env.set_parallelism(2).from_source(source, strategy, "in").key_by(key_of)
    stream.process(Copy(), Types.STRING()).sink_to(parts.sink(target))

    def read(key: str) -> list[int]:
        values = [value.split("@") for value in parts.values(target) if value is not None]
        return [round(float(second) / MINUTE) for name, second in values if name == key]

    def writes(key: str, second: float) -> None:
        parts.kafka.produce(topic, [at(second, key, 1)])
        wait_until(lambda: round(second / MINUTE) in read(key), 60, f"{key} at {second:g} s")

    def is_ahead_of(minute: int) -> bool:
        return max(read("fast"), default=0) > minute + DRIFT and is_ahead(job)

    parts.kafka.produce(topic, [at(minute * MINUTE, "fast") for minute in range(91)] + [at(0, "slow", 1)])
    with caplog.at_level(logging.WARNING, "kafkastream"):
        job = env.execute_async("aligned")
    try:
        for minute, then in ((0, 30), (30, 90)):
            wait_until(partial(is_ahead_of, minute), 60, "the fast partition to be too far ahead")
            writes("now", minute * MINUTE)  # a micro-batch while the fast partition waits
            assert max(read("fast")) <= minute + DRIFT + PER_BATCH
            writes("slow", then * MINUTE)
        wait_until(lambda: len(read("fast")) == 91, 60, "all of the fast partition")
        lags = [one.value for one in job.get_metrics().metrics if one.name == "watermarkLag"]
    finally:
        job.cancel().result()
    assert sorted(read("fast")) == list(range(91))
    assert len(lags) == 2
    assert not [record for record in caplog.records if "alignment" in record.getMessage()]
