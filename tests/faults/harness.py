"""Attacks jobs at random, and counts what a reader of committed records finds: ``make faults``.

::

    python -m tests.faults.harness --kills 200
    python -m tests.faults.harness --case keyed --kills 60
    python -m tests.faults.harness --seed 7 --guarantee AT_LEAST_ONCE
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, final

import attrs
from rich.console import Console
from rich.table import Table

from kafkastream.testing import EmbeddedKafka
from tests.faults.attacks import Attacks
from tests.faults.cases import CASES, TARGET, Case
from tests.faults.feed import Numbers
from tests.faults.operators_model import PARTITIONS
from tests.faults.saboteur import FENCED
from tests.faults.targets import Target, Written
from tests.faults.victim import Victim

__all__ = ["Findings", "attack", "findings_table"]

_SOURCE: Final = "numbers"
_PATIENCE_S: Final = 120.0
_START_S: Final = 150.0


@final
@attrs.frozen
class Findings:
    """What an attack has found.

    Args:
        seed: Repeats the choice of attacks; not their moments.
        written: How many numbers the job was to take.
        expected: How many records it was to write.
        lost: What no committed record tells of, with its place.
        doubled: What more records tell of than were to.
        aborted: Records of transactions that came to nothing.
        still_open: Whether a transaction of a sink is open when all is done.
        attacks: How often there was each.
        events: What workers noticed: replays that skipped what was written, fences, clients that answer no more.
        unprovoked_fences: How many of the fences no attack explains.
        seconds: How long it took.
    """

    seed: int
    written: int
    expected: int
    lost: Sequence[str]
    doubled: Sequence[str]
    aborted: int
    still_open: bool
    attacks: Counter[str]
    events: Counter[str]
    unprovoked_fences: int
    seconds: float


def attack(
    case: Case,
    kills: int,
    seed: int,
    guarantee: str = "EXACTLY_ONCE",
    *,
    outages: bool = True,
    healthy_s: float = 0.0,
    healthy_after_s: float = 0.0,
) -> Findings:
    """Run a job and attack it.

    Args:
        case: The job.
        kills: How many attacks.
        seed: Of the choices.
        guarantee: The sinks'.
        outages: Whether the broker restarts, too, and the job is once down for longer than its transactions may take.
        healthy_s: How long it works before the first attack.
        healthy_after_s: How long it works after the last.
    """
    began, folder = time.monotonic(), Path(tempfile.mkdtemp(prefix="kafkastream-faults-"))
    choose = random.Random(seed)
    attacks = Attacks.planned(kills, case.points, choose, guarantee, outages=outages, at_start=case.at_start)
    try:
        with EmbeddedKafka() as kafka:
            for topic in (_SOURCE, *case.topics):
                kafka.create_topic(topic, PARTITIONS)
            servers = kafka.bootstrap_servers
            with case.target(servers, folder) as target:
                written = _Told(case, target)
                with (
                    Numbers(servers, _SOURCE, case.per_second, case.record) as numbers,
                    Victim(servers, _SOURCE, TARGET, folder, guarantee, case.script, case.arguments) as victim,
                ):
                    victim.ensure_running()
                    written.wait_for_some(_START_S)
                    time.sleep(healthy_s)
                    attacks.carry_out(victim, kafka)
                    time.sleep(healthy_after_s)
                    total = numbers.stop()
                    written.wait_for(expected := case.expected(total), victim)
                    if written.lost(expected) or written.doubled(expected):
                        sys.stderr.write(victim.log())
                events = list(_events(folder))
                return Findings(
                    seed=seed,
                    written=total,
                    expected=expected.total() * len(case.places),
                    lost=written.lost(expected),
                    doubled=written.doubled(expected),
                    aborted=target.aborted(),
                    still_open=target.has_open_transactions(),
                    attacks=attacks.counts(),
                    events=Counter(event for _, event in events),
                    unprovoked_fences=sum(what == FENCED and not attacks.explain(moment) for moment, what in events),
                    seconds=time.monotonic() - began,
                )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@final
class _Told:
    """What the job's committed records tell of, by their place."""

    def __init__(self, case: Case, target: Target) -> None:
        self.found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._case = case
        self._target = target

    def wait_for_some(self, timeout_s: float) -> None:
        """Wait until the job has written something to each place."""
        deadline = time.monotonic() + timeout_s
        while len(self.found) < len(self._case.places):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the job wrote nothing within {timeout_s:g} s")
            self._take(self._target.some())

    def wait_for(self, expected: Counter[str], victim: Victim) -> None:
        """Wait until all is there, or nothing new comes for long; what is missing says more than an error."""
        last_new = time.monotonic()
        while self.lost(expected) and time.monotonic() < last_new + _PATIENCE_S:
            victim.ensure_running()  # the last attack may end the job long after it was carried out
            if some := self._target.some():
                self._take(some)
                last_new = time.monotonic()
        while some := self._target.some():
            self._take(some)

    def lost(self, expected: Counter[str]) -> list[str]:
        return [f"{place}: {one}" for place in self._case.places for one in expected - self.found[place]]

    def doubled(self, expected: Counter[str]) -> list[str]:
        return [f"{place}: {one}" for place in self._case.places for one in self.found[place] - expected]

    def _take(self, written: Iterable[Written]) -> None:
        for place, text in written:
            self.found[place][self._case.told(text)] += 1


def findings_table(title: str, found: Findings) -> Table:
    """The findings, for eyes."""
    table = Table(title=f"{title}, seed {found.seed}, {found.seconds:.0f} s", title_justify="left")
    table.add_column("what")
    table.add_column("how many", justify="right")
    for attacked, count in sorted(found.attacks.items()):
        table.add_row(attacked, f"{count:,}")
    table.add_section()
    for event, count in sorted(found.events.items()):
        table.add_row(event, f"{count:,}")
    table.add_row("fences without an attack", f"{found.unprovoked_fences:,}")
    table.add_row("records or files of aborted transactions", f"{found.aborted:,}")
    table.add_section()
    table.add_row("numbers written", f"{found.written:,}")
    table.add_row("records expected", f"{found.expected:,}")
    table.add_row("lost", f"{len(found.lost):,}")
    table.add_row("doubled", f"{len(found.doubled):,}")
    table.add_row("transactions left open", "some" if found.still_open else "none")
    return table


def _events(folder: Path) -> Iterator[tuple[float, str]]:
    noted = folder / "events"
    for line in noted.read_text().splitlines() if noted.exists() else ():
        moment, _, event = line.partition(" ")
        yield float(moment), event


def main() -> None:
    """Attack as the command line says, and print the findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how many attacks (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="repeats the choice of attacks")
    parser.add_argument("--case", choices=CASES, default="copy", help="the job")
    parser.add_argument("--guarantee", choices=("EXACTLY_ONCE", "AT_LEAST_ONCE"), default="EXACTLY_ONCE")
    parser.add_argument("--healthy", type=float, default=20, help="seconds before the attacks (%(default)s)")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nothing is left running
    found = attack(
        CASES[given.case],
        given.kills,
        given.seed,
        given.guarantee,
        healthy_s=given.healthy,
        healthy_after_s=2 * given.healthy,
    )
    Console().print(findings_table(f"{given.case}, {given.guarantee}", found))
    for what, some in (("lost", found.lost), ("doubled", found.doubled)):
        if some:
            Console().print(f"{what}: {', '.join(some[:20])}")
    doubled = found.doubled and given.guarantee == "EXACTLY_ONCE"
    sys.exit(1 if found.lost or found.still_open or doubled or found.unprovoked_fences else 0)


if __name__ == "__main__":
    main()
