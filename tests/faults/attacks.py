"""Attacks on a job: which, in which order, and when each began and ended."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, final

import attrs
import psutil

from kafkastream.testing import EmbeddedKafka, wait_until
from tests.faults.copy_job import TIMEOUT_MS
from tests.faults.victim import Victim

__all__ = ["Attacks"]

_BROKER_DOWN_S: Final = 20.0
_PER_RESTART: Final = 40  # of the broker
_KILLS: Final = (
    "kill of all",
    "kill of driver and JVM",
    "kill of a worker",
    "stop and go of a worker",
    "error in a task",
)
_WEIGHTS: Final = (3, 2, 11, 3, 6)
_AFTER_S: Final = 30.0
"""How long after an attack a fence may be its consequence: a job that was killed has to start again."""


@final
@attrs.define
class Attacks:
    """A plan, and what has come of it.

    Args:
        plan: Which attacks, in which order.
        points: Where workers are hit.
        choose: Chooses points and moments.
        at_start: Points that workers come by only when the job starts: it is killed before.
        times: When each attack began and ended, by the wall clock.
    """

    plan: Sequence[str]
    points: Sequence[str]
    choose: random.Random
    at_start: Sequence[str] = ()
    times: list[tuple[float, float]] = attrs.field(factory=list)

    @staticmethod
    def planned(
        kills: int,
        points: Sequence[str],
        choose: random.Random,
        guarantee: str,
        *,
        outages: bool,
        at_start: Sequence[str] = (),
    ) -> Attacks:
        """So many attacks in an order by chance; each kind occurs when there are at least 25."""
        if guarantee != "EXACTLY_ONCE":
            return Attacks(["kill of all"] * kills, ("mid-produce",), choose)
        weighted = zip(_KILLS, _WEIGHTS, strict=True)
        plan = [kind for kind, weight in weighted for _ in range(weight * kills // sum(_WEIGHTS))]
        plan += choose.choices(_KILLS, _WEIGHTS, k=kills - len(plan))
        if outages:
            plan += ["restart of the broker"] * max(1, kills // _PER_RESTART) + ["pause longer than the timeout"]
        choose.shuffle(plan)
        return Attacks(plan, points, choose, at_start)

    def carry_out(self, victim: Victim, kafka: EmbeddedKafka) -> None:
        """One attack after the other; each point comes before any comes again, so that few attacks meet all."""
        upcoming: list[str] = []
        for number, kind in enumerate(self.plan, 1):
            upcoming = upcoming or self.choose.sample(self.points, len(self.points))
            point = upcoming.pop()
            if point in self.at_start:
                victim.kill_all()
            victim.ensure_running()
            print(f"{number} of {len(self.plan)}: {kind}, {point}", file=sys.stderr)  # noqa: T201 - minutes of silence otherwise
            with self._timed():
                self._carry_out(kind, point, victim, kafka)
            time.sleep(self.choose.uniform(0, 0.7))

    def explain(self, moment: float) -> bool:
        """Whether what has happened at a moment may be the consequence of an attack."""
        return any(began <= moment <= ended + _AFTER_S for began, ended in self.times)

    def counts(self) -> Counter[str]:
        """How often there was each."""
        return Counter(self.plan)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.time()
        yield
        self.times.append((began, time.time()))

    def _carry_out(self, kind: str, point: str, victim: Victim, kafka: EmbeddedKafka) -> None:
        match kind:
            case "kill of all":
                victim.hit(point, "stall")
                victim.kill_all()
            case "kill of driver and JVM":
                victim.hit(point, "stall")
                victim.kill_driver()
            case "kill of a worker":
                victim.hit(point, "kill")
            case "stop and go of a worker":
                worker = victim.hit(point, "stop")
                stopped = psutil.Process(worker)  # on a busy machine, some time after it has taken the trap
                wait_until(lambda: stopped.status() == psutil.STATUS_STOPPED, 60, "the worker to stop")
                time.sleep(self.choose.uniform(0.5, 2))
                victim.wake(worker)
            case "error in a task":
                victim.hit(point, "raise")
            case "pause longer than the timeout":
                victim.hit("before-commit", "stall")
                victim.kill_all()
                time.sleep(TIMEOUT_MS / 1000 + 10)
            case _:
                kafka.stop(keep_data=True)
                time.sleep(_BROKER_DOWN_S)
                kafka.start()
