"""Random records for the sources of a replayed job, in steps.

The value of a record is the text of an element: its origin, a number, a key, its event time, and a payload.
"""

from __future__ import annotations

import random
from typing import Any, Final, NamedTuple

__all__ = ["PARTITIONS", "START_MS", "SentRecord", "Step", "random_steps"]

PARTITIONS: Final = {"a": 3, "b": 2, "c": 1}
"""Topics of a job, with their numbers of partitions."""
START_MS: Final = 1_767_225_600_000
_LATE_MS: Final = 30_000
_KEYS: Final = ("k0", "k1", "k2", "", "Ünï", "k\n5")


class SentRecord(NamedTuple):
    """Record of a step: its topic is one of ``PARTITIONS``."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


class Step(NamedTuple):
    """A step of a job: processing time passes, records arrive, and then the job may be restarted."""

    passes_ms: int
    records: tuple[SentRecord, ...]
    restarts: bool = False


def random_steps(chance: random.Random, number: int) -> list[Step]:
    """Return steps whose event time goes on, with records out of order and late ones; the last brings no late ones."""
    time, steps, count = START_MS, [], 0
    restart = chance.randrange(1, number - 1)
    for step in range(number):
        time += chance.choice((1_000, 3_000, 3_000, 9_000))
        records = []
        for topic, partitions in PARTITIONS.items():
            for partition in range(partitions):
                for _ in range(chance.choice((0, 1, 2, 3)) if step < number - 1 else 1):
                    count += 1
                    late = _LATE_MS if chance.random() < 0.08 and step < number - 1 else 0
                    moment = time - late + chance.randint(-4_000, 2_000) + (step == number - 1) * 20_000
                    records.append(_record(chance, topic, partition, count, moment))
        passes = chance.choice((0, 0, 1_500, 4_000, 12_000))
        steps.append(Step(passes, tuple(records), restarts=step == restart))
    return steps


def _record(chance: random.Random, topic: str, partition: int, number: int, time: int) -> SentRecord:
    element = (
        f"{topic}-{partition}",
        number,
        chance.choice(_KEYS[: chance.choice((2, 3, 6))]),
        time,
        _payload(chance, 2),
    )
    value = None if topic == "b" and chance.random() < 0.05 else repr(element).encode()
    headers = (("kind", b"x"), ("none", None))[: chance.randrange(3)]
    return SentRecord(topic, partition, str(number % 4).encode(), value, time, headers)


def _payload(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(11 if depth else 7)
    match kind:
        case 0 | 1:
            return None
        case 2:
            return chance.choice((2**63, -(2**100), 2**62, 10**40, -1, 0))
        case 3:
            return chance.choice((0.1, -0.0, 1e300, 2.5))
        case 4:
            return chance.choice(("", "a\tb", "\u2028é", "\U0001f600", "None"))
        case 5:
            return chance.choice((b"", b"\x00\xff", b"abc"))
        case 6:
            return chance.random() < 0.5
        case 7 | 8:
            return [_payload(chance, depth - 1) for _ in range(chance.randrange(4))]
        case 9:
            return {chance.choice(("x", 1, None, (1, "y"))): _payload(chance, depth - 1) for _ in range(3)}
        case _:
            return tuple(_payload(chance, depth - 1) for _ in range(chance.randrange(3)))
