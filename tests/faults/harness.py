"""Attacks a copying job at random, and counts what a reader of committed records finds: ``make faults``.

::

    python -m tests.faults.harness --kills 200
    python -m tests.faults.harness --seed 7 --guarantee AT_LEAST_ONCE
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, final

import attrs
from confluent_kafka import Producer
from rich.console import Console
from rich.table import Table
from typing_extensions import Self

from kafkastream.kafka.admin import Cluster
from kafkastream.spec.subscription import TopicPartition
from kafkastream.testing import EmbeddedKafka, wait_until
from tests.faults.copy_job import TIMEOUT_MS
from tests.faults.saboteur import POINTS
from tests.faults.victim import Victim

__all__ = ["Findings", "attack", "findings_table"]

SCRIPTS: Final = ("copy_job.py", "sql_job.py", "stream_sql_job.py")
PARTITIONS = 4  # below 5, Spark orders the tasks of a replay in another way
BROKER_DOWN_S = 20.0
_DRAIN_S = 300.0
_PER_SECOND = 400
_ATTACKS_PER_RESTART = 40  # of the broker


@final
@attrs.frozen
class Findings:
    """What an attack has found.

    Args:
        seed: Repeats the choice of attacks; not their moments.
        written: How many numbers the job was to copy.
        lost: Those that no committed record holds.
        doubled: Those that several hold.
        aborted: Records of transactions that came to nothing.
        still_open: Whether a transaction of the sink is open when all is done.
        attacks: How often there was each.
        events: What workers noticed: replays that skipped what was written, fences, clients that answer no more.
        seconds: How long it took.
    """

    seed: int
    written: int
    lost: Sequence[int]
    doubled: Sequence[int]
    aborted: int
    still_open: bool
    attacks: Counter[str]
    events: Counter[str]
    seconds: float


def attack(
    kills: int, seed: int, guarantee: str = "EXACTLY_ONCE", *, outages: bool = True, script: str = "copy_job.py"
) -> Findings:
    """Run the job and attack it.

    Args:
        kills: How many attacks.
        seed: Of the choices.
        guarantee: The sink's.
        outages: Whether the broker restarts, too, and the job is once down for longer than its transactions may take.
        script: The job's program.
    """
    began, choose = time.monotonic(), random.Random(seed)
    folder = Path(tempfile.mkdtemp(prefix="kafkastream-faults-"))
    try:
        with EmbeddedKafka() as kafka, _Numbers(kafka.bootstrap_servers) as numbers:
            kafka.create_topic("numbers", PARTITIONS)
            kafka.create_topic("copies", PARTITIONS)
            numbers.start()
            with Victim(kafka.bootstrap_servers, "numbers", "copies", folder, guarantee, script) as victim:
                attacks = _attacked(victim, _plan(choose, kills, guarantee, outages=outages), choose, kafka)
                written = numbers.stop()
                victim.ensure_running()
                wait_until(lambda: len(_copies(kafka)) == written, _DRAIN_S, f"{written} numbers in the copies")
            copies = Counter(number for number, _ in _raw(kafka, "read_committed"))
            everything = _raw(kafka, "read_uncommitted")
            noted = folder / "events"
            return Findings(
                seed=seed,
                written=written,
                lost=sorted(set(range(written)) - set(copies)),
                doubled=sorted(number for number, count in copies.items() if count > 1),
                aborted=len(everything) - sum(copies.values()),
                still_open=_has_open_transactions(kafka),
                attacks=attacks,
                events=Counter(noted.read_text().splitlines() if noted.exists() else ()),
                seconds=time.monotonic() - began,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def findings_table(guarantee: str, found: Findings) -> Table:
    """The findings, for eyes."""
    table = Table(title=f"{guarantee}, seed {found.seed}, {found.seconds:.0f} s", title_justify="left")
    table.add_column("what")
    table.add_column("how many", justify="right")
    for attacked, count in sorted(found.attacks.items()):
        table.add_row(attacked, f"{count:,}")
    table.add_section()
    for event, count in sorted(found.events.items()):
        table.add_row(event, f"{count:,}")
    table.add_row("records of aborted transactions", f"{found.aborted:,}")
    table.add_section()
    table.add_row("numbers written", f"{found.written:,}")
    table.add_row("lost", f"{len(found.lost):,}")
    table.add_row("doubled", f"{len(found.doubled):,}")
    table.add_row("transactions left open", "some" if found.still_open else "none")
    return table


_KILLS = ("kill of all", "kill of driver and JVM", "kill of a worker", "stop and go of a worker", "error in a task")
_WEIGHTS = (3, 2, 11, 3, 6)


def _plan(choose: random.Random, kills: int, guarantee: str, *, outages: bool) -> list[str]:
    """Which attacks, in which order; each kind occurs when there are at least 25."""
    if guarantee != "EXACTLY_ONCE":
        return ["kill of all"] * kills
    plan = [kind for kind, weight in zip(_KILLS, _WEIGHTS, strict=True) for _ in range(weight * kills // sum(_WEIGHTS))]
    plan += choose.choices(_KILLS, _WEIGHTS, k=kills - len(plan))
    if outages:
        plan += ["restart of the broker"] * max(1, kills // _ATTACKS_PER_RESTART) + ["pause longer than the timeout"]
    choose.shuffle(plan)
    return plan


def _attacked(victim: Victim, plan: Sequence[str], choose: random.Random, kafka: EmbeddedKafka) -> Counter[str]:
    points = POINTS if victim.guarantee == "EXACTLY_ONCE" else ("mid-produce",)
    upcoming: list[str] = []  # each point comes before any comes again, so that few attacks meet all
    for number, kind in enumerate(plan, 1):
        victim.ensure_running()
        upcoming = upcoming or choose.sample(points, len(points))
        point = upcoming.pop()
        print(f"{number} of {len(plan)}: {kind}, {point}", file=sys.stderr)  # noqa: T201 - minutes of silence otherwise
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
                time.sleep(choose.uniform(0.5, 2))
                victim.wake(worker)
            case "error in a task":
                victim.hit(point, "raise")
            case "pause longer than the timeout":
                victim.hit("before-commit", "stall")
                victim.kill_all()
                time.sleep(TIMEOUT_MS / 1000 + 10)
            case _:
                kafka.stop(keep_data=True)
                time.sleep(BROKER_DOWN_S)
                kafka.start()
        time.sleep(choose.uniform(0, 0.7))
    return Counter(plan)


@final
class _Numbers:
    """Writes 0, 1, 2, … to the partitions in turn, until it is stopped."""

    def __init__(self, servers: str) -> None:
        settings: dict[str, str | int] = {"bootstrap.servers": servers, "enable.idempotence": "true", "log_level": 0}
        self._producer = Producer(settings)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._written = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> int:
        """End it; how many there are."""
        self._over.set()
        self._thread.join()
        assert self._producer.flush(60) == 0
        return self._written

    def _write(self) -> None:
        while not self._over.wait(0.1):
            for number in range(self._written, self._written + _PER_SECOND // 10):
                self._producer.produce("numbers", str(number), partition=number % PARTITIONS)
            self._written += _PER_SECOND // 10
            self._producer.poll(0)


def _raw(kafka: EmbeddedKafka, isolation: str) -> list[tuple[int, str]]:
    records = kafka.consume(
        "copies", isolation="read_committed" if isolation == "read_committed" else "read_uncommitted"
    )
    texts = (record.value.decode() for record in records if record.value is not None)
    return [(int(number), rest) for number, _, rest in (text.partition(" ") for text in texts)]


def _copies(kafka: EmbeddedKafka) -> set[int]:
    return {number for number, _ in _raw(kafka, "read_committed")}


def _has_open_transactions(kafka: EmbeddedKafka) -> bool:
    partitions = [TopicPartition("copies", partition) for partition in range(PARTITIONS)]
    servers = {"bootstrap.servers": kafka.bootstrap_servers}
    readable = Cluster({**servers, "isolation.level": "read_committed"}).readable_ends(partitions)
    return readable != Cluster(servers).end_offsets(partitions)


def main() -> None:
    """Attack as the command line says, and print the findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how many attacks (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="repeats the choice of attacks")
    parser.add_argument("--script", choices=SCRIPTS, default=SCRIPTS[0], help="the job")
    parser.add_argument("--guarantee", choices=("EXACTLY_ONCE", "AT_LEAST_ONCE"), default="EXACTLY_ONCE")
    given = parser.parse_args()
    found = attack(given.kills, given.seed, given.guarantee, script=given.script)
    Console().print(findings_table(given.guarantee, found))
    wrong = found.lost or found.still_open or (found.doubled and given.guarantee == "EXACTLY_ONCE")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
