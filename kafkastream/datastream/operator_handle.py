"""Setters that streams and sinks share: name, uid, parallelism, chaining."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

import attrs
from typing_extensions import Self

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.parallelism import checked_max_parallelism, checked_parallelism
from kafkastream.model.graph.slot_placement import ChainingStrategy

if TYPE_CHECKING:
    from kafkastream.datastream.environment import StreamExecutionEnvironment

__all__ = ["OperatorHandle", "StreamHandle"]


@checked_methods
class OperatorHandle:
    """Handle of an operator in the job graph; each setter changes the operator and returns the handle."""

    def __init__(self, env: StreamExecutionEnvironment, node_id: int) -> None:
        self._env = env
        self._id = node_id

    def name(self, name: str) -> Self:
        """Set the operator's name, shown in execution plans, metrics and errors."""
        self._env._change(self._id, name=name)
        return self

    def uid(self, uid: str) -> Self:
        """Set the operator's unique id, under which a checkpoint keeps its state.

        Give one to each stateful operator before the first run. Without it, state is found again by the operator's name,
        which has to stay the same, as does the order of operators with equal names.

        Args:
            uid: Id, unique in the job.
        """
        self._env._change(self._id, uid=uid)
        return self

    def set_uid_hash(self, uid_hash: str) -> Self:
        """Set the operator's unique id in the form of Flink's node hash; otherwise like ``uid``.

        Args:
            uid_hash: 32 hexadecimal digits.

        Raises:
            DefinitionError: ``uid_hash`` has another form.
        """
        if not re.fullmatch("[0-9A-Fa-f]{32}", uid_hash):
            raise DefinitionError(
                f"{uid_hash!r} is not a node hash",
                where="set_uid_hash",
                now="Give 32 hexadecimal digits, or call uid, which takes any text.",
            )
        return self.uid(uid_hash)

    setUidHash = set_uid_hash

    def set_description(self, description: str) -> Self:
        """Set the operator's description in the execution plan."""
        self._env._change(self._id, description=description)
        return self

    setDescription = set_description

    def set_parallelism(self, parallelism: int) -> Self:
        """Set the operator's number of subtasks.

        Differs from Flink: Spark runs one task per source partition on its cores. This number only decides to which
        subtask a partition belongs, as shown by ``print`` and ``RuntimeContext.get_index_of_this_subtask``. On the
        result of a keyed stream it has no effect: the job's parallelism counts, and the start of the job warns of it.

        Args:
            parallelism: Number of subtasks, 1 or more.

        Raises:
            DefinitionError: ``parallelism`` is less than 1.
        """
        self._env._change(self._id, parallelism=checked_parallelism(parallelism))
        return self

    setParallelism = set_parallelism

    def disable_chaining(self) -> Self:
        """Never chain this operator with its neighbours.

        Same as in Flink: elements are converted to their declared types before and after an operator that is not
        chained.
        """
        return self._place(strategy=ChainingStrategy.NEVER)

    disableChaining = disable_chaining

    def slot_sharing_group(self, slot_sharing_group: object) -> Self:
        """Set the operator's slot sharing group.

        Differs from Flink: all operators share Spark's cores. As there, elements that pass from one group to another
        are converted to their declared type.

        Args:
            slot_sharing_group: Name of the group, or ``SlotSharingGroup``.
        """
        return self._place(slot_sharing_group=str(slot_sharing_group))

    slotSharingGroup = slot_sharing_group

    def _place(self, **changes: Any) -> Self:
        placement = attrs.evolve(self._env._node(self._id).placement, **changes)
        self._env._change(self._id, placement=placement)
        return self


@checked_methods
class StreamHandle(OperatorHandle):
    """Setters of operators other than sinks, and physical partitioning."""

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """Set the operator's maximum number of subtasks.

        Functions see the environment's maximum; as in Flink, operators of different maxima are not chained, so
        elements between them are converted to their declared type.

        Args:
            max_parallelism: Number of subtasks, from 1 to 32768.
        """
        return self._place(max_parallelism=checked_max_parallelism(max_parallelism))

    setMaxParallelism = set_max_parallelism

    def force_non_parallel(self) -> Self:
        """Set the parallelism to 1."""
        return self.set_parallelism(1)

    forceNonParallel = force_non_parallel

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """No effect: elements travel in micro-batches."""
        return self

    setBufferTimeout = set_buffer_timeout

    def start_new_chain(self) -> Self:
        """Start a new operator chain with this operator.

        Same as in Flink: elements are converted to their declared type before it.
        """
        return self._place(strategy=ChainingStrategy.HEAD)

    startNewChain = start_new_chain

    def shuffle(self) -> Self:
        """Distribute elements at random in Flink; here they stay with the task of their Kafka partition.

        The results are the same, and as in Flink elements are converted to their declared type at this point.
        """
        return self._place(is_redistributed=True)

    def rebalance(self) -> Self:
        """Distribute elements round-robin in Flink; here without effect, like ``shuffle``.

        To use more tasks than the topic has partitions, give the topic more partitions.
        """
        return self._place(is_redistributed=True)

    def rescale(self) -> Self:
        """Distribute elements round-robin to some subtasks in Flink; here without effect, like ``shuffle``."""
        return self._place(is_redistributed=True)

    def forward(self) -> Self:
        """Keep elements in their subtask, where they stay anyway."""
        return self

    def partition_custom(self, partitioner: object, key_selector: object) -> NoReturn:
        """Not supported: an element's subtask cannot be chosen.

        Raises:
            UnsupportedFeatureError: Always.
        """
        raise UnsupportedFeatureError(
            "custom partitioning is not supported",
            where="DataStream.partition_custom",
            now="Use key_by to bring the elements of a key together, or set_partitioner of a sink's record serializer "
            "to choose the Kafka partition.",
        )

    partitionCustom = partition_custom
