"""Values have their declared type where PyFlink serializes them, and only there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.testing import JobTestDriver
from tests.differential.values.shapes import SHAPES, Engine

GOLDEN: Final[Mapping[str, list[str]]] = json.loads(
    (Path(__file__).parents[2] / "differential" / "values" / "golden.json").read_text()
)["shapes"]


def test_all_shapes_are_recorded() -> None:
    assert list(GOLDEN) == list(SHAPES)


NOT_HERE: Final = {"process with a side output that nobody takes": ["1.1"]}
"""What PyFlink gives there is in docs/porting/where-pyflink-differs.md."""


@pytest.fixture(scope="module")
def lines() -> Mapping[str, list[str]]:
    """What each program prints, as in the recorded runs; all are one job."""
    engine, env = Engine("kafkastream"), StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    for name, shape in SHAPES.items():
        shape(engine, env).print(name)
    with JobTestDriver.of(env) as driver:
        printed = driver.printed
    found: dict[str, list[str]] = {name: [] for name in SHAPES}
    for name, _, line in (line.partition("> ") for line in printed):
        found[name].append(line)
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_values_are_serialized_where_flink_does_it(lines: Mapping[str, list[str]], name: str) -> None:
    assert sorted(lines[name]) == NOT_HERE.get(name, GOLDEN[name])
