"""Elements are serialized where PyFlink serializes them: the programs of ``tests/differential/values/shapes.py``, in one job."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.differential.values.shapes import SHAPES, Engine, labelled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDEN = json.loads(Path("tests/differential/values/golden.json").read_text())["shapes"]


@pytest.fixture(scope="module")
def lines(spark: SparkSession) -> dict[str, list[str]]:
    """The lines of all programs."""
    engine = Engine("kafkastream")
    env = engine.environment()
    env.set_parallelism(1)
    first, *others = (labelled(shape(engine, env), name, engine) for name, shape in SHAPES.items())
    found: dict[str, list[str]] = defaultdict(list)
    for line in first.union(*others).execute_and_collect():
        name, _, text = line.partition(": ")
        found[name].append(text)
    return {name: sorted(texts) for name, texts in found.items()}


@pytest.mark.parametrize("name", SHAPES)
def test_a_program_gives_what_it_gives_on_pyflink(name: str, lines: dict[str, list[str]]) -> None:
    assert lines.get(name) == GOLDEN[name]
