from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.page.graph_layout import graph_layout_of


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, list[int]]:
    """Graphs in which each node stands after its inputs."""
    size = draw(st.integers(1, 12))
    return {node: draw(st.lists(st.sampled_from(range(node)), max_size=3)) if node else [] for node in range(size)}


@given(graphs())
def test_nothing_overlaps_and_everything_flows_one_way(inputs: dict[int, list[int]]) -> None:
    layout = graph_layout_of(inputs)
    for column in range(layout.columns):
        rows = sorted(position.row for position in layout.nodes.values() if position.column == column)
        assert all(after - before >= 1 for before, after in pairwise(rows))
        assert not rows or (rows[0] >= 0 and rows[-1] + 1 <= layout.rows)
    assert {(one.start, one.end) for one in layout.edges} == {(a, b) for b, taken in inputs.items() for a in taken}
    for edge in layout.edges:
        assert edge.positions[0] == layout.nodes[edge.start]
        assert edge.positions[-1] == layout.nodes[edge.end]
        columns = [position.column for position in edge.positions]
        assert columns == list(range(columns[0], columns[-1] + 1))
        for position in edge.positions[1:-1]:  # an edge passes beside the boxes of the columns that it crosses
            boxes = [node.row for node in layout.nodes.values() if node.column == position.column]
            assert all(abs(position.row - row) >= 0.75 for row in boxes)


def test_crossings_are_avoided() -> None:
    layout = graph_layout_of({1: [], 2: [], 3: [2], 4: [1]})
    assert layout.nodes[1].row == layout.nodes[4].row
    assert layout.nodes[2].row == layout.nodes[3].row


def test_an_empty_graph_has_a_layout() -> None:
    assert graph_layout_of({}).columns == 0
