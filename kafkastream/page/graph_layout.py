"""Layout of a job graph: each node in a column after its inputs, and the path of each edge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, final

import attrs

__all__ = ["EdgePath", "GraphLayout", "Position", "graph_layout_of"]

_SWEEPS: Final = 8
_CROSSING: Final = 0.5
"""Height, in rows, of an edge in a column that it crosses."""


class Position(NamedTuple):
    """Position of a node, or of an edge in a column that it crosses.

    Args:
        column: Number of the column, from 0.
        row: Top of the node in rows, from 0; for an edge, as if it were as high as a node.
    """

    column: int
    row: float


@final
@attrs.frozen
class EdgePath:
    """Path of an edge: the positions of the node ``start``, of each column that it crosses, and of the node ``end``."""

    start: int
    end: int
    positions: tuple[Position, ...]


@final
@attrs.frozen
class GraphLayout:
    """Layout of a graph.

    Args:
        nodes: Position of each node.
        edges: Paths of the edges.
        columns: Number of columns.
        rows: Number of rows; an edge that crosses a column takes a part of a row.
    """

    nodes: Mapping[int, Position]
    edges: tuple[EdgePath, ...]
    columns: int
    rows: float


_Spot: TypeAlias = tuple[int, int, int]
"""Content of a column: a node as (node, node, 0), or an edge that crosses the column as (start, end, column)."""


def graph_layout_of(inputs: Mapping[int, Sequence[int]]) -> GraphLayout:
    """Return the layout of a graph, from the inputs of each node; a node stands after its inputs in the mapping.

    A node's column is the length of the longest path from a source. Rows are ordered by the barycenter heuristic of
    layered graph drawing, which avoids crossings: each spot moves to the average row of its neighbours in the column
    before, then in the column after, a few times.

    Example:
        >>> layout = graph_layout_of({1: [], 2: [1], 3: [1, 2]})
        >>> layout.nodes
        {1: Position(column=0, row=0.25), 2: Position(column=1, row=0.0), 3: Position(column=2, row=0.25)}
        >>> layout.edges[1].positions
        (Position(column=0, row=0.25), Position(column=1, row=0.75), Position(column=2, row=0.25))
    """
    columns = _assign_columns(inputs)
    edges = list(dict.fromkeys((start, end) for end, starts in inputs.items() for start in starts))
    paths = {(start, end): _path(start, end, columns) for start, end in edges}
    order = _order_spots(columns, paths.values())
    rows = max((sum(map(_height, spots)) for spots in order), default=0.0)
    positions = {
        spot: position for column, spots in enumerate(order) for spot, position in _position_spots(column, spots, rows)
    }
    return GraphLayout(
        {node: positions[_node_spot(node)] for node in inputs},
        tuple(EdgePath(*edge, tuple(positions[spot] for spot in paths[edge])) for edge in edges),
        len(order),
        rows,
    )


def _position_spots(column: int, spots: Sequence[_Spot], rows: float) -> Iterator[tuple[_Spot, Position]]:
    """Yield the positions of a column's spots, stacked and centered vertically."""
    top = (rows - sum(map(_height, spots))) / 2
    for spot in spots:
        yield spot, Position(column, top + (_height(spot) - 1) / 2)
        top += _height(spot)


def _height(spot: _Spot) -> float:
    return 1.0 if spot[0] == spot[1] else _CROSSING


def _node_spot(node: int) -> _Spot:
    return node, node, 0


def _assign_columns(inputs: Mapping[int, Sequence[int]]) -> dict[int, int]:
    columns: dict[int, int] = {}
    for node, starts in inputs.items():
        columns[node] = max((columns[start] + 1 for start in starts), default=0)
    return columns


def _path(start: int, end: int, columns: Mapping[int, int]) -> list[_Spot]:
    crossed = [(start, end, column) for column in range(columns[start] + 1, columns[end])]
    return [_node_spot(start), *crossed, _node_spot(end)]


def _order_spots(columns: Mapping[int, int], paths: Iterable[Sequence[_Spot]]) -> list[list[_Spot]]:
    """Return the spots of each column, in an order with few crossings."""
    order: list[list[_Spot]] = [[] for _ in range(max(columns.values(), default=-1) + 1)]
    for node, column in columns.items():
        order[column].append(_node_spot(node))
    predecessors: dict[_Spot, list[_Spot]] = {}
    successors: dict[_Spot, list[_Spot]] = {}
    for path in paths:
        for column, spot in enumerate(path[1:-1], columns[path[0][0]] + 1):
            order[column].append(spot)
        for left, right in pairwise(path):
            predecessors.setdefault(right, []).append(left)
            successors.setdefault(left, []).append(right)
    for _ in range(_SWEEPS):
        for column in range(1, len(order)):
            _reorder(order, column, column - 1, predecessors)
        for column in range(len(order) - 2, -1, -1):
            _reorder(order, column, column + 1, successors)
    return order


def _reorder(order: list[list[_Spot]], column: int, adjacent: int, neighbours: Mapping[_Spot, Sequence[_Spot]]) -> None:
    """Reorder a column so that each spot is near the average row of its neighbours in the adjacent column."""
    adjacent_rows = {spot: row for row, spot in enumerate(order[adjacent])}
    wanted_rows = {spot: float(row) for row, spot in enumerate(order[column])}
    for spot in order[column]:
        rows = [adjacent_rows[neighbour] for neighbour in neighbours.get(spot, ()) if neighbour in adjacent_rows]
        if rows:
            wanted_rows[spot] = sum(rows) / len(rows)
    order[column].sort(key=wanted_rows.__getitem__)
