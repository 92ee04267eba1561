"""The stream whose elements are the rows of a table."""

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
        nodes: All that its elements come from, in a job graph; its own node is the last.
        type_info: The type of its elements.
        changelog: Which kinds of rows they may be.
    """

    nodes: tuple[Node, ...] = attrs.field(repr=False)
    type_info: TypeInformation[Any]
    changelog: ChangelogMode = ChangelogMode.APPEND
