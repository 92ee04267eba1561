"""Layout of a query's keyed state in its checkpoint, and whether a changed program can continue with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode
from kafkastream.options.checkpoints import IGNORE_UNCLAIMED_STATE
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME, LAYOUT
from kafkastream.spark.checkpoint.operator_ids import keyed_operator_ids
from kafkastream.sql.plan.query_node import streams_read

__all__ = ["Layout"]

_NOTHING: Final[Mapping[str, Any]] = FrozenMap({"buckets": 0, "levels": ()})
_ANEW: Final = "start under another job name, or with another checkpoint directory, without any state."

Level = Mapping[str, str | None]
"""Operators with state in a stateful stage: identity to name; an operator with a uid has no name here."""


@final
@attrs.frozen
class Layout:
    """Layout of the state of keyed operators: its buckets and stateful stages.

    Args:
        buckets: Number of buckets of keys.
        levels: Operators with state, for each stateful stage.
        gone: Identities of operators whose state is to be deleted.
    """

    buckets: int
    levels: tuple[Level, ...]
    gone: tuple[str, ...] = ()

    @staticmethod
    def of(graph: JobGraph, buckets: int) -> Layout:
        """Return the layout of a part of a job without a checkpoint."""
        identities = keyed_operator_ids(graph)
        return Layout(
            buckets,
            tuple(
                FrozenMap({identities[node.id]: None if node.uid else node.name for node in level if node.keeps_state})
                for level in _stages(graph)
            ),
        )

    @staticmethod
    def of_offsets(sources: Mapping[str, str]) -> Layout | None:
        """Return the layout as of a micro-batch, from the offsets of its sources by key; None if it had none."""
        if not sources:
            return None
        told = json.loads(sources[CONTROL_NAME])[LAYOUT] if CONTROL_NAME in sources else _NOTHING
        return Layout(told["buckets"], tuple(map(FrozenMap, told["levels"])))

    def content(self) -> dict[str, Any]:
        """Return the layout as content of the control stream, with the state to be deleted."""
        layout = {"buckets": self.buckets, "levels": [dict(level) for level in self.levels]}
        return {LAYOUT: layout, "gone": list(self.gone)}

    @property
    def operator_ids(self) -> frozenset[str]:
        """Return the operators with state, by their identities."""
        return frozenset(self._places)

    def continued(self, now: Layout, *, ignores_unclaimed: bool) -> Layout:
        """Return the layout with which a program continues with this state.

        Args:
            now: Layout that the program would have without a checkpoint.
            ignores_unclaimed: Whether to delete the state of operators that the program no longer has.

        Raises:
            DefinitionError: No operator of the program claims some state, several might, or Spark would not find it.
        """
        unclaimed = [identity for identity in self._places if identity not in now._places]
        if unclaimed and not ignores_unclaimed:
            raise self._unclaimed(unclaimed)
        self._refuse_doubt(now)
        for identity, place in now._places.items():
            if self._places.get(identity, place) != place:
                raise self._moved(identity, place)
        self.check_streams(now)
        more = len(now.levels) - len(self.levels)
        if more > 0:
            raise DefinitionError(
                f"the keyed operators form {len(now.levels)} stages, and {len(self.levels)} in the checkpoint: "
                "Spark cannot add stages to a query",
                now=_ANEW.capitalize(),
            )
        return Layout(self.buckets, now.levels + (FrozenMap(),) * -more, tuple(unclaimed))

    def check_streams(self, now: Layout) -> None:
        """Refuse to add or remove all keyed operators of a query: the control stream comes and goes with them.

        Raises:
            DefinitionError: Only the checkpoint or only the program has keyed operators.
        """
        if bool(self.levels) != bool(now.levels):
            had, has = ("with", "none") if self.levels else ("without", "some")
            raise DefinitionError(
                f"the checkpoint is of a program {had} keyed operators, and this one has {has}: Spark cannot continue with "
                "another number of streams",
                now=_ANEW.capitalize(),
            )

    @property
    def _places(self) -> Mapping[str, int]:
        return {identity: number for number, level in enumerate(self.levels, 1) for identity in level}

    def _named(self) -> Counter[str]:
        """Count the operators without a uid by their names."""
        return Counter(name for level in self.levels for name in level.values() if name is not None)

    def _shown(self, identity: str) -> str:
        name = dict(chain.from_iterable(level.items() for level in self.levels))[identity]
        return f"with uid {identity!r}" if name is None else f"{name!r}"

    def _unclaimed(self, operator_ids: Sequence[str]) -> DefinitionError:
        others = f" (and of {len(operator_ids) - 1} more)" if len(operator_ids) > 1 else ""
        return DefinitionError(
            f"cannot map the checkpoint's state of operator {self._shown(operator_ids[0])}{others} to the program, which "
            "does not have it",
            now=f"Put the operator back, or give the one in its place uid({operator_ids[0]!r}); discard the state with "
            f"{IGNORE_UNCLAIMED_STATE.key}: true; or {_ANEW}",
        )

    def _refuse_doubt(self, now: Layout) -> None:
        before, after = self._named(), now._named()
        for name in before.keys() & after.keys():
            if before[name] != after[name]:
                known = [repr(identity) for level in self.levels for identity, shown in level.items() if shown == name]
                raise DefinitionError(
                    f"{after[name]} operators are called {name!r}, and {before[name]} in the checkpoint: "
                    "their state cannot be assigned",
                    now=f"Give each a uid; in the checkpoint is the state of uid {' and '.join(known)}. Or {_ANEW}",
                )

    def _moved(self, identity: str, place: int) -> DefinitionError:
        return DefinitionError(
            f"operator {self._shown(identity)} was in stage {self._places[identity]} of the keyed operators, and is in "
            f"stage {place} now: Spark keeps state by stage",
            now="Put it back to its place; or give it another uid, to begin without state, and discard the old state with "
            f"{IGNORE_UNCLAIMED_STATE.key}: true; or {_ANEW}",
        )


def _stages(graph: JobGraph) -> Sequence[Sequence[KeyedNode]]:
    """Return the keyed operators by stateful stage: each stream that a query reads has its own, one after the other."""
    streams = streams_read(graph)
    inside = {node.id for stream in streams for node in stream.nodes}
    others = ([node for node in level if node.id not in inside] for level in graph.levels())
    return [*chain.from_iterable(stream.levels() for stream in streams), *filter(None, others)]
