"""Elements of collections and files as rows, the form in which a source's task takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa

from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.graph.job_graph import SourceNode
from kafkastream.spark.internals.pickles import dumps

__all__ = ["collection_rows"]


def collection_rows(
    node: SourceNode, elements: Sequence[object] | FileContents, pickled: Callable[[object], bytes] = dumps
) -> pa.Table:
    """Return the pickled elements of a collection, in order, with the node of their source.

    Args:
        node: Node of the source.
        elements: The elements, or the files that hold them.
        pickled: Pickles an element; by default so that another process needs no module of the program.
    """
    held: Iterable[object] = () if isinstance(elements, FileContents) else elements
    if isinstance(elements, FileContents):
        from kafkastream.spark.sql.files.file_contents import file_elements  # imports the formats of SQL

        held = file_elements(elements)
    values = pa.array([pickled(element) for element in held], pa.binary())
    return pa.table({"source": pa.array([node.id] * len(values), pa.int32()), "value": values})
