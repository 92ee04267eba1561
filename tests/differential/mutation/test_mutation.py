"""What a function emits is what it had when it emitted it: random graphs of functions that change all they can reach.

``make fuzz MINUTES=60`` runs others for as long as one likes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.differential.mutation.graphs import digest, graph, reference
from tests.differential.mutation.in_process import lines_of

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())["graphs"]
SEEDS = range(1000, 1200)  # not those of the golden results


def test_the_reference_gives_what_pyflink_gives() -> None:
    assert {seed: digest(reference(graph(int(seed)))) for seed in GOLDEN} == GOLDEN
    assert len(GOLDEN) == 200


@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_gives_what_the_reference_gives(seed: int) -> None:
    assert lines_of(graph(seed)) == reference(graph(seed))
