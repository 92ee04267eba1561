"""Layout of a job graph: each node in a column after its inputs, and the way of each edge between columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, final

import attrs

__all__ = ["EdgePath", "GraphLayout", "Place", "graph_layout_of"]

_SWEEPS: Final = 8
_CROSSING: Final = 0.5
"""Part of a row that an edge takes in a column that it crosses."""


class Place(NamedTuple):
    """Place in a layout, from 0: the column, and where in it a row begins; of an edge, as if it took a whole row."""

    column: int
    row: float


@final
@attrs.frozen
class EdgePath:
    """Way of an edge: places from the node ``start`` to the node ``end``, one in each column that it crosses."""

    start: int
    end: int
    places: tuple[Place, ...]


@final
@attrs.frozen
class GraphLayout:
    """Layout of a graph.

    Args:
        nodes: Place of each node.
        edges: Ways of the edges.
        columns: Number of columns.
        rows: Number of rows; an edge that crosses a column takes a part of one.
    """

    nodes: Mapping[int, Place]
    edges: tuple[EdgePath, ...]
    columns: int
    rows: float


_Spot: TypeAlias = tuple[int, int, int]
"""What takes a row of a column: a node as (node, node, 0), or an edge that crosses the column as (start, end, column)."""


def graph_layout_of(inputs: Mapping[int, Sequence[int]]) -> GraphLayout:
    """Return the layout of a graph, from the inputs of each node; a node stands after its inputs in the mapping.

    Columns are the longest ways from a source, and rows avoid crossings by the usual heuristic: each spot goes to the
    middle of its neighbours in the column before, then in the column after, a few times.

    Example:
        >>> layout = graph_layout_of({1: [], 2: [1], 3: [1, 2]})
        >>> layout.nodes
        {1: Place(column=0, row=0.25), 2: Place(column=1, row=0.0), 3: Place(column=2, row=0.25)}
        >>> layout.edges[1].places
        (Place(column=0, row=0.25), Place(column=1, row=0.75), Place(column=2, row=0.25))
    """
    column = _columns(inputs)
    edges = list(dict.fromkeys((start, end) for end, starts in inputs.items() for start in starts))
    ways = {(start, end): _way(start, end, column) for start, end in edges}
    order = _ordered(column, ways.values())
    rows = max((sum(map(_size, spots)) for spots in order), default=0.0)
    places = {spot: place for at, spots in enumerate(order) for spot, place in _placed(at, spots, rows)}
    return GraphLayout(
        {node: places[_of(node)] for node in inputs},
        tuple(EdgePath(*edge, tuple(places[spot] for spot in ways[edge])) for edge in edges),
        len(order),
        rows,
    )


def _placed(at: int, spots: Sequence[_Spot], rows: float) -> Iterator[tuple[_Spot, Place]]:
    """Yield the places of a column's spots, one below the other and in the middle of the rows."""
    top = (rows - sum(map(_size, spots))) / 2
    for spot in spots:
        yield spot, Place(at, top + (_size(spot) - 1) / 2)
        top += _size(spot)


def _size(spot: _Spot) -> float:
    return 1.0 if spot[0] == spot[1] else _CROSSING


def _of(node: int) -> _Spot:
    return node, node, 0


def _columns(inputs: Mapping[int, Sequence[int]]) -> dict[int, int]:
    column: dict[int, int] = {}
    for node, taken in inputs.items():
        column[node] = max((column[one] + 1 for one in taken), default=0)
    return column


def _way(start: int, end: int, column: Mapping[int, int]) -> list[_Spot]:
    crossed = [(start, end, at) for at in range(column[start] + 1, column[end])]
    return [_of(start), *crossed, _of(end)]


def _ordered(column: Mapping[int, int], ways: Iterable[Sequence[_Spot]]) -> list[list[_Spot]]:
    """Return the spots of each column, in an order with few crossings."""
    order: list[list[_Spot]] = [[] for _ in range(max(column.values(), default=-1) + 1)]
    for node, at in column.items():
        order[at].append(_of(node))
    before: dict[_Spot, list[_Spot]] = {}
    after: dict[_Spot, list[_Spot]] = {}
    for way in ways:
        for at, spot in enumerate(way[1:-1], column[way[0][0]] + 1):
            order[at].append(spot)
        for left, right in pairwise(way):
            before.setdefault(right, []).append(left)
            after.setdefault(left, []).append(right)
    for _ in range(_SWEEPS):
        for at in range(1, len(order)):
            _sort(order, at, at - 1, before)
        for at in range(len(order) - 2, -1, -1):
            _sort(order, at, at + 1, after)
    return order


def _sort(order: list[list[_Spot]], at: int, neighbour: int, neighbours: Mapping[_Spot, Sequence[_Spot]]) -> None:
    """Sort a column by the middle of each spot's neighbours in the column neighbour it; without any, it stays."""
    position = {spot: row for row, spot in enumerate(order[neighbour])}
    own = {spot: float(row) for row, spot in enumerate(order[at])}
    for spot in order[at]:
        near = [position[one] for one in neighbours.get(spot, ()) if one in position]
        if near:
            own[spot] = sum(near) / len(near)
    order[at].sort(key=own.__getitem__)
