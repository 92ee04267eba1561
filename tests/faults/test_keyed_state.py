"""State, timers and windows after kill -9: each element counts once in each kind of operator, whatever was killed and when."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.faults.keyed_model import GIVEN, KEYS, NUMBERS, PER_ATTEMPT, T0, expected_lines, time_of
from tests.faults.victim import Victim


def written(kafka: KafkaBroker, target: str) -> Counter[str]:
    """How often each line was written."""
    return Counter((record.value or b"").decode() for record in kafka.consume(target))


def records_of(values: list[str]) -> list[Record]:
    return [Record(value, partition=place % 2, timestamp_ms=time_of(value)) for place, value in enumerate(values)]


@pytest.mark.timeout(400)
def test_each_element_counts_once(kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, quick_python: str) -> None:
    source, target, values, kills = new_topic(partitions=2), new_topic(), list(GIVEN), 1
    seed = random.randrange(1_000_000)
    print("seed", seed)  # noqa: T201 - by which a failure can be repeated
    chance = random.Random(seed)
    kafka.produce(source, [Record("rule one", partition=0, timestamp_ms=T0)])
    arguments = (kafka.bootstrap_servers, source, target, tmp_path, "EXACTLY_ONCE", "keyed_job.py")
    with Victim(*arguments, python=quick_python) as victim:
        for attempt in range(kills + 1):
            keys = chance.choices(KEYS, k=PER_ATTEMPT)
            new = [f"{key} {attempt * NUMBERS + number}" for number, key in enumerate(keys)]
            values += new[: PER_ATTEMPT // 2]
            kafka.produce(source, records_of(new[: PER_ATTEMPT // 2]))
            victim.ensure_running()
            if attempt < kills:
                counts = [line for line in expected_lines(values, "one") if line.startswith("count")]
                wait_until(lambda counts=counts: written(kafka, target).keys() >= set(counts), 120, "the job")  # type: ignore[misc]
            values += new[PER_ATTEMPT // 2 :]
            kafka.produce(source, records_of(new[PER_ATTEMPT // 2 :]))
            if attempt < kills:
                time.sleep(chance.uniform(0, 1.5))
                (victim.kill_all if chance.random() < 0.7 else victim.kill_driver)()
        kafka.produce(source, [Record("end 0", partition=partition, timestamp_ms=T0 + 200_000) for partition in (0, 1)])
        expected = expected_lines(values, "one")
        with suppress(TimeoutError):  # what is missing says more
            wait_until(lambda: not expected - written(kafka, target), 120, "all lines")
    found = written(kafka, target)
    assert found == expected
