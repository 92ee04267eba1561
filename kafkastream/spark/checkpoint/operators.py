"""Dependencies of the state of keyed operators, and whether a changed program can continue with the state."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafkastream.errors import DefinitionError
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode
from kafkastream.options.checkpoints import ACCEPT_CHANGED_OPERATORS
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids
from kafkastream.spark.checkpoint.part_identity import PartIdentity
from kafkastream.sql.plan.operations import TableOperation
from kafkastream.sql.plan.state_description import describe_same_state

__all__ = ["check_operators", "dependencies_of", "state_dependencies"]


def state_dependencies(graph: JobGraph) -> Mapping[str, str]:
    """Return the dependencies of each keyed operator's state, by the operator's identity."""
    identities = keyed_operator_ids(graph)
    return {
        identities[node.id]: _dependencies(node)
        for node in graph.nodes
        if isinstance(node, KeyedNode) and node.keeps_state
    }


def _dependencies(node: KeyedNode) -> str:
    if isinstance(node.function, TableOperation):
        return node.function.depends_on
    types = [
        "any type" if one.key_type is None else str(one.key_type) for one in node.keyed if one.selector is not None
    ]
    return f"{'all elements until their end, by ' if node.in_batch else ''}keys of {' and '.join(types)}"


def dependencies_of(part: PartIdentity, with_state: Collection[str], *, accepts_changed: bool) -> Mapping[str, str]:
    """Return the dependencies of a part's keyed state, including those of operators that the program lacks for now.

    Args:
        part: Graph of the part, and the record of its last start.
        with_state: Identities of the operators that have state in the checkpoint.
        accepts_changed: Whether to accept changed operators and continue.

    Raises:
        DefinitionError: An operator of the program computes something else than its state in the checkpoint holds.
    """
    now = state_dependencies(part.graph)
    recorded = {} if part.recorded is None else part.recorded.operators
    check_operators(recorded, now, with_state, accepts_changed=accepts_changed)
    return {**{identity: text for identity, text in recorded.items() if identity in with_state}, **now}


def check_operators(
    recorded: Mapping[str, str], now: Mapping[str, str], with_state: Collection[str], *, accepts_changed: bool
) -> None:
    """Refuse operators whose state was computed from other expressions or types.

    Args:
        recorded: Dependencies of the state at the last start, by the operators' identities.
        now: Dependencies of the state in the program.
        with_state: Identities of the operators that have state in the checkpoint.
        accepts_changed: Whether to accept changed operators and continue.

    Raises:
        DefinitionError: One has changed.
    """
    for identity in with_state:
        before, after = recorded.get(identity), now.get(identity)
        if before and after and not describe_same_state(before, after) and not accepts_changed:
            raise DefinitionError(
                f"the state of operator {identity!r} does not fit the operator's current computation:\n    "
                f"{_indented(before)}\n  in the checkpoint, and in the program:\n    {_indented(after)}",
                now=f"Change it back; or continue with the old state by {ACCEPT_CHANGED_OPERATORS.key}: true; or start under "
                "another job name, or with another checkpoint directory, without any state.",
            )


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
