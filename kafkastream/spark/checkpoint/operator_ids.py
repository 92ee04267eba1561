"""Identities of a graph's nodes that are stable across restarts: their uids, or names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkastream.model.graph.job_graph import JobGraph, Node, distinct_names
from kafkastream.spark.checkpoint.folder_names import slug

__all__ = ["keyed_operator_ids", "operator_ids"]


def operator_ids(nodes: Sequence[Node]) -> Mapping[int, str]:
    """Return stable identities of nodes: their uids, or names, as parts of a path.

    A uid is taken as it is; a name that is the same as another node's uid gets a number.
    """
    uids_first = sorted(nodes, key=lambda node: node.uid is None)
    names = distinct_names(slug(node.uid or node.name) for node in uids_first)
    return {node.id: name for node, name in zip(uids_first, names, strict=True)}


def keyed_operator_ids(graph: JobGraph) -> Mapping[int, str]:
    """Return the identities by which the state of a part's keyed operators is found after a restart."""
    return operator_ids([node for level in graph.levels() for node in level])
