"""State, timers and windows after kill -9: each element counts once, whatever was killed and when."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest

from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.faults.keyed_job import KEYS, T0
from tests.faults.victim import Victim


def written(kafka: KafkaBroker, target: str, kind: str) -> dict[str, int]:
    """The highest number that was written for each key."""
    highest: Counter[str] = Counter()
    for record in kafka.consume(target):
        what, key, number = (record.value or b"").decode().split()
        if what == kind:
            highest[key] = max(highest[key], int(number))
    return dict(highest)


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("guarantee", "kills"), [("AT_LEAST_ONCE", 1), ("EXACTLY_ONCE", 2)])
def test_each_element_counts_once(
    kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path, guarantee: str, kills: int
) -> None:
    source, target, expected = new_topic(partitions=2), new_topic(), Counter(KEYS)
    seed = random.randrange(1_000_000)
    print("seed", seed)  # noqa: T201 - by which a failure can be repeated
    chance = random.Random(seed)
    arguments = (kafka.bootstrap_servers, source, target, tmp_path, guarantee, "keyed_job.py")
    with Victim(*arguments) as victim:
        for attempt in range(kills + 1):
            keys = chance.choices(KEYS, k=500)
            expected.update(keys)
            records = [
                Record(key, partition=number % 2, timestamp_ms=T0 + attempt * 10_000 + number)
                for number, key in enumerate(keys)
            ]
            kafka.produce(source, records)
            victim.ensure_running()
            if attempt < kills:
                some = chance.choice(KEYS)
                wait_until(
                    lambda some=some: written(kafka, target, "count").get(some, 0) > expected[some] * 0.7,  # type: ignore[misc]
                    120,
                    "the job",
                )
                time.sleep(chance.uniform(0, 1))
                (victim.kill_all if chance.random() < 0.7 else victim.kill_driver)()
        kafka.produce(source, [Record("end", partition=partition, timestamp_ms=T0 + 200_000) for partition in (0, 1)])
        wait_until(lambda: written(kafka, target, "window").keys() >= set(KEYS), 120, "the windows")
        wait_until(lambda: written(kafka, target, "timer").keys() >= set(KEYS), 120, "the timers")
    for kind in ("count", "window", "timer"):
        found = written(kafka, target, kind)
        assert {key: found[key] for key in KEYS} == expected, kind
    lines = [record.value for record in kafka.consume(target)]
    assert len(lines) >= sum(expected.values()) + 2 * len(KEYS)
    if guarantee == "EXACTLY_ONCE":
        assert len(lines) == len(set(lines))
