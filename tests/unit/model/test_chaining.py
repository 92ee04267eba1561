"""Elements are serialized behind the functions behind which PyFlink serializes them."""

from __future__ import annotations

import pytest

from kafkastream.model.graph.chaining import Serialization
from tests.differential.values.shapes import SHAPES, Engine

ENGINE = Engine("kafkastream")
# Whether the function that gives 1.1 under FLOAT hands it on as an object.
AS_OBJECTS = {
    "map, map": True,
    "map, map without a type, map": True,
    "map, filter, map": True,
    "map, flat_map": True,
    "map, process": True,
    "map, forward, map": True,
    "map, async": True,
    "async, async": True,
    "map, filter, co-map": True,
    "map, map, key_by, process, union": True,
    "map, key_by, process, map, union": True,
    "map, map, union": True,
    "map, map, union with a map": True,
    "map, key_by": True,
    "map in a new chain, map": True,
    "map, timestamps by an assigner": True,
    "keyed process, map": True,
    "keyed map, map": True,
    "count window, map": True,
    "co-map, map": True,
    "process with a side output that nobody takes": True,
    "map, map in a new chain": False,
    "map, map without chaining": False,
    "map without chaining, map": False,
    "map, rescale, map": False,
    "map, map with parallelism 2": False,
    "map, map in another slot": False,
    "map, map with another maximum": False,
    "map, union, map": False,
    "map, two maps": False,
    "map, map and key_by": False,
    "map, co-map": False,
    "map, watermarks without an assigner": False,
    "process with a side output": False,
}


def serialization(name: str, *, chains: bool = True) -> tuple[Serialization, int]:
    """What is said of a program, and the first of its nodes that has a type."""
    env = ENGINE.environment()
    env.set_parallelism(1)
    SHAPES[name](ENGINE, env).print()
    graph = env._graph()
    first = next(node for node in graph.nodes if node.output_type == ENGINE.float)
    return Serialization.of(graph, 1, chains=chains), first.id


@pytest.mark.parametrize("name", AS_OBJECTS)
def test_a_type_counts_where_pyflink_ends_a_chain(name: str) -> None:
    found, first = serialization(name)
    assert (first in found.objects, first in found.types) == (AS_OBJECTS[name], not AS_OBJECTS[name])


def test_a_filter_at_the_end_of_a_chain_has_its_inputs_type() -> None:
    found, first = serialization("map, filter, rebalance, map")
    assert first in found.objects
    assert found.types[first + 1] == ENGINE.float


@pytest.mark.parametrize("name", AS_OBJECTS)
def test_a_type_counts_everywhere_without_chaining(name: str) -> None:
    found, first = serialization(name, chains=False)
    assert not found.objects
    assert first in found.types
