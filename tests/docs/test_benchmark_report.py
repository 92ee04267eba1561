"""The page of benchmarks has the report of the last whole run, with each aim and whether it was met."""

from __future__ import annotations

import attrs
import pytest

from benchmarks import report
from benchmarks.aims import AIMS
from benchmarks.contenders import KAFKASTREAM, PYFLINK, SPARK, contenders, watched
from benchmarks.growth import CPU, FEW_KEYS, KEYED_STATE, MANY_KEYS, grown
from benchmarks.growth import RUNS as GROWN
from benchmarks.results import Measurement
from benchmarks.runs import RUNS, Run, latest
from benchmarks.serving import LISTS, MAPS, SQL_FILTER

RUN = Run(
    day="2026-01-02",
    machine="2 cores",
    versions={"pyspark": "4.2.0"},
    records={SQL_FILTER: 1000},
    races={SQL_FILTER: {KAFKASTREAM: [Measurement(10.0, 5.0)], SPARK: [Measurement(9.0, 6.0)]}},
    delays={200: {f"{KAFKASTREAM}, latency mode, AT_LEAST_ONCE": {"50 %": 4.0, "99 %": 200.0}}},
    costs={KEYED_STATE: {FEW_KEYS: {CPU: 10.0}, MANY_KEYS: {CPU: 20.0, "bytes": 3.0}}},
)


@pytest.mark.skipif(not list(RUNS.glob("*.json")), reason="no whole run is kept yet")
def test_the_page_has_the_report_of_the_last_run() -> None:
    assert report.written() == report.text(latest())


def test_each_aim_is_met_missed_or_not_measured() -> None:
    lines = report.text(RUN).splitlines()
    assert "| SQL filter, compared with plain Spark | ≥ 1 x | 0.90 x | **missed** |" in lines
    assert "| Latency mode, 200 records/s, median | ≤ 10 ms | 4.0 ms | met |" in lines
    assert "| Latency mode, 200 records/s, 99 % | ≤ 100 ms | 200.0 ms | **missed** |" in lines
    assert "| Running count by key, compared with PyFlink | ≥ 5 x | not measured |  |" in lines
    assert "| Cost per record of many keys by that of few | ≤ 1.5 times | 2.0 times | **missed** |" in lines
    assert f"| {MANY_KEYS} | 20.00 | 3.00 |" in lines


def test_each_aim_has_a_figure_if_all_take_part() -> None:
    workloads = [name for name in report.TITLES if name != "pipelines"]
    races = {name: {one.name: [Measurement(1.0, 1.0)] for one in contenders(name, "python")} for name in workloads}
    delays = {rate: {one.name: {"50 %": 1.0, "99 %": 1.0} for one in watched("python")} for rate in (200, 5000)}
    rows = (FEW_KEYS, MANY_KEYS, *(grown(one, number) for one in (LISTS, MAPS) for number in (2, GROWN)))
    costs = {KEYED_STATE: {name: {CPU: 1.0} for name in rows}}
    whole = attrs.evolve(RUN, races=races, delays=delays, costs=costs)
    assert [aim.text for aim in AIMS if aim.figure(whole) is None] == []
    assert PYFLINK in races[SQL_FILTER]


def test_a_run_is_kept(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.runs.RUNS", tmp_path)
    RUN.write()
    assert latest() == RUN
