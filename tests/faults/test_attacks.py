"""Exactly-once jobs under attack: few attacks in each run of the suite, more of them and on more jobs nightly."""

from __future__ import annotations

import os
import random

import pytest
from rich.console import Console

from tests.faults.cases import CASES
from tests.faults.harness import Findings, attack, findings_table

KILLS = int(os.environ.get("KAFKASTREAM_KILLS", "8"))


def found(kills: int, guarantee: str, *, outages: bool = False, case: str = "copy", healthy_s: float = 0) -> Findings:
    seed = random.randrange(10**6)
    Console().print(f"seed {seed}")
    findings = attack(CASES[case], kills, seed, guarantee, outages=outages, healthy_s=healthy_s)
    Console().print(findings_table(f"{case}, {guarantee}", findings))
    return findings


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("case", "kills"), [("copy", 5), pytest.param("sql", 3, marks=pytest.mark.nightly)])
def test_few_attacks_lose_and_double_nothing(case: str, kills: int) -> None:
    """In each run on the copying job, as many as there are points of the writing."""
    findings = found(kills, "EXACTLY_ONCE", case=case)
    assert (findings.lost, findings.doubled, findings.still_open) == ([], [], False)
    assert findings.unprovoked_fences == 0
    assert findings.written


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_exactly_once_loses_and_doubles_nothing() -> None:
    findings = found(KILLS, "EXACTLY_ONCE", outages=True, healthy_s=6)
    assert (findings.lost, findings.doubled, findings.still_open) == ([], [], False)
    assert findings.unprovoked_fences == 0
    assert findings.aborted  # else nothing was hit in mid-transaction
    assert findings.events["replay skipped"]


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", ["pipeline", "two-keyed-sinks"])
def test_other_jobs_lose_and_double_nothing(case: str) -> None:
    """Of the others, those whose attacks find most; all of them, and more of each: make faults."""
    findings = found(max(KILLS // 4, 3), "EXACTLY_ONCE", case=case)
    assert (findings.lost, findings.doubled, findings.still_open) == ([], [], False)
    assert findings.written


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_at_least_once_loses_nothing_and_doubles_something() -> None:
    findings = found(1, "AT_LEAST_ONCE")
    assert findings.lost == []
    assert findings.doubled
