"""Job graph node of a pipeline's processing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import attrs

from kafkastream.cdc.processing import ChangeProcessing
from kafkastream.model.graph.job_graph import Node

__all__ = ["PipelineNode"]


@final
@attrs.frozen(kw_only=True)
class PipelineNode(Node):
    """Transforms, routes and schema evolution, between a source and a sink.

    Args:
        input: Id of the source's node.
        processing: Processing of the records.
    """

    input: int
    processing: ChangeProcessing

    @property
    def inputs(self) -> tuple[int, ...]:
        """Id of the source's node."""
        return (self.input,)

    def _taking(self, numbers: Mapping[int, int]) -> dict[str, Any]:
        return {"input": numbers[self.input]}
