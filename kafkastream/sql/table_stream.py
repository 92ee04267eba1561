"""Stream of a table that a program has made from it."""

from __future__ import annotations

from typing import Any, final

import attrs

from kafkastream.model.common.types import TypeInformation
from kafkastream.model.graph.graph_nodes import Node
from kafkastream.sql.changelog import ChangelogMode

__all__ = ["TableStream"]


@final
@attrs.frozen
class TableStream:
    """A stream of the DataStream API.

    Args:
        nodes: Nodes of the stream in its job graph; the last one is its own.
        type_info: Type of its elements.
        changelog: Changelog mode of its elements.
    """

    nodes: tuple[Node, ...] = attrs.field(repr=False)
    type_info: TypeInformation[Any]
    changelog: ChangelogMode = ChangelogMode.APPEND
