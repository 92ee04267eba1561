"""An operator of a job being put together, and what can be set of it."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.parallelism import checked_max_parallelism, checked_parallelism
from kafkastream.model.graph.job_graph import KeyedNode
from kafkastream.model.graph.slot_placement import ChainingStrategy

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["OperatorHandle", "StreamHandle"]

log = logging.getLogger("kafkastream")


@checked_methods
class OperatorHandle:
    """A node of the environment's graph, with the setters that streams and sinks share."""

    def __init__(self, env: StreamExecutionEnvironment, node_id: int) -> None:
        self._env = env
        self._id = node_id

    def name(self, name: str) -> Self:
        """Name the operator, for plans, errors and prints."""
        self._env._change(self._id, name=name)
        return self

    def uid(self, uid: str) -> Self:
        """Give the operator an identity that outlives changes of the job."""
        self._env._change(self._id, uid=uid)
        return self

    def set_uid_hash(self, uid_hash: str) -> Self:
        """Give the operator an identity of 32 hexadecimal digits: the same as ``uid``.

        Raises:
            DefinitionError: It is none.
        """
        if not re.fullmatch("[0-9A-Fa-f]{32}", uid_hash):
            raise DefinitionError(
                f"{uid_hash!r} is no node hash",
                where="set_uid_hash",
                now="It has 32 hexadecimal digits; uid takes any.",
            )
        return self.uid(uid_hash)

    setUidHash = set_uid_hash

    def set_description(self, description: str) -> Self:
        """Describe the operator in the execution plan."""
        self._env._change(self._id, description=description)
        return self

    setDescription = set_description

    def set_parallelism(self, parallelism: int) -> Self:
        """How many subtasks the operator has in Flink's counting.

        Differs from Flink: Spark runs one task per source partition on the cores it has; this number decides only
        which subtask a partition belongs to, as shown by ``print`` and seen by a ``RuntimeContext``. An operator on a
        keyed stream has as many subtasks as the job's parallelism says, and this has no effect.
        """
        node = self._env._node(self._id)
        if isinstance(node, KeyedNode):
            log.info("set_parallelism(%d) of %r has no effect: the job's parallelism counts", parallelism, node.name)
        self._env._change(self._id, parallelism=checked_parallelism(parallelism))
        return self

    setParallelism = set_parallelism

    def disable_chaining(self) -> Self:
        """Let declared types count before and behind this operator, as in Flink, where elements are serialized there."""
        return self._place(strategy=ChainingStrategy.NEVER)

    disableChaining = disable_chaining

    def slot_sharing_group(self, slot_sharing_group: object) -> Self:
        """Spark shares its cores among all operators; a declared type counts between two of different groups."""
        return self._place(slot_sharing_group=str(slot_sharing_group))

    slotSharingGroup = slot_sharing_group

    def _place(self, **changes: Any) -> Self:
        placement = attrs.evolve(self._env._node(self._id).placement, **changes)
        self._env._change(self._id, placement=placement)
        return self


@checked_methods
class StreamHandle(OperatorHandle):
    """What can be set of an operator that is no sink, too."""

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """The environment's maximum is what functions are told; a declared type counts between operators of other maxima."""
        return self._place(max_parallelism=checked_max_parallelism(max_parallelism))

    setMaxParallelism = set_max_parallelism

    def force_non_parallel(self) -> Self:
        """One subtask: ``set_parallelism(1)``."""
        return self.set_parallelism(1)

    forceNonParallel = force_non_parallel

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Has no effect: elements go on in batches."""
        return self

    setBufferTimeout = set_buffer_timeout

    def start_new_chain(self) -> Self:
        """Let a declared type count before this operator, as in Flink, where elements are serialized there."""
        return self._place(strategy=ChainingStrategy.HEAD)

    startNewChain = start_new_chain

    def shuffle(self) -> Self:
        """Leave elements with the subtask of their Kafka partition: what they come to is the same.

        As in Flink, a declared type counts there.
        """
        return self._place(is_redistributed=True)

    def rebalance(self) -> Self:
        """Work as ``shuffle``; more partitions of the topic are more tasks at a time."""
        return self._place(is_redistributed=True)

    def rescale(self) -> Self:
        """Work as ``shuffle``."""
        return self._place(is_redistributed=True)

    def forward(self) -> Self:
        """Leave elements with their subtask, where they are anyway."""
        return self

    def partition_custom(self, partitioner: object, key_selector: object) -> NoReturn:
        """Refused: no subtask can be chosen.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "no subtask can be chosen for an element",
            where="DataStream.partition_custom",
            now="key_by brings the elements of a key together; a sink's set_partitioner chooses Kafka's partition.",
        )

    partitionCustom = partition_custom
