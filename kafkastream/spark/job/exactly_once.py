"""Before an exactly-once query starts: ends open transactions, and compares the sinks' markers with the checkpoint."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, final

import attrs

from kafkastream.errors import DefinitionError, JobError
from kafkastream.kafka.admin import Cluster
from kafkastream.kafka.groups import delete_groups
from kafkastream.kafka.properties import TransactionProperties
from kafkastream.kafka.transactions import Marker, fence_writers, set_markers
from kafkastream.model.connectors.kafka_sink import ExpiredMarker, KafkaSink
from kafkastream.model.graph.job_graph import JobGraph
from kafkastream.spark.checkpoint.folder import CheckpointFolder, QueryState
from kafkastream.spark.checkpoint.operator_ids import operator_ids
from kafkastream.spark.plan.source_frames import SourceInput
from kafkastream.spark.session.key_stores import with_pem_stores
from kafkastream.spark.worker.kafka_writer import TransactionalOperator, slot_name
from kafkastream.spark.worker.slot_names import SINGLE, SlotNames, origin_name

if TYPE_CHECKING:
    from kafkastream.spark.exchange.source_task import SourceTask

__all__ = ["ExactlyOnce"]

_WEEK_MINUTES = 7 * 24 * 60
"""Kafka's default of ``offsets.retention.minutes``, in ms."""


@final
@attrs.frozen
class _Sink:
    """An exactly-once sink: its name, its definition, and the properties of its clients."""

    name: str
    spec: KafkaSink[Any]
    properties: TransactionProperties

    @property
    def topic(self) -> str | None:
        """Return the topic that it writes to; None if there are several."""
        assert self.spec.record_serializer is not None
        return self.spec.record_serializer.topic

    def broker_setting(self, name: str) -> int | None:
        """Return a setting of the brokers; None if they do not allow to read it."""
        setting = Cluster(with_pem_stores(self.spec.properties)).broker_setting(name)
        return None if setting is None else int(setting)


@final
@attrs.frozen
class ExactlyOnce:
    """The exactly-once sinks of a query.

    Args:
        name: The query's name in the checkpoint folder.
        folder: The job's checkpoint folder.
        names: Names of the sinks' transaction slots.
        sources: The identities of the sources, by their nodes.
        sinks: The sinks by their identities.
        reached: The identities of the sinks that each source reaches, by the source's node.
        single: Identities of the sinks after keyed operators, which have one slot each.
        commits_with_checkpoint: Whether the output of a sink becomes visible once per micro-batch.
        in_epochs: Whether the query runs in latency mode.
    """

    name: str
    folder: CheckpointFolder
    names: SlotNames
    sources: Mapping[int, str]
    sinks: Mapping[str, _Sink]
    reached: Mapping[int, Collection[str]]
    single: Collection[str] = ()
    commits_with_checkpoint: bool = False
    in_epochs: bool = attrs.field(default=False, kw_only=True)

    @staticmethod
    def of(
        name: str,
        folder: CheckpointFolder,
        graph: JobGraph,
        run: str,
        chains: Mapping[int, SourceTask],
        writers: Collection[TransactionalOperator] = (),
        *,
        in_epochs: bool = False,
    ) -> ExactlyOnce:
        """Create the sinks of a connected graph in a run, from its chains and its sinks after keyed operators."""
        operators = {source: _transactional(chain) for source, chain in chains.items()}
        properties = {one.sink: one.properties for several in (*operators.values(), writers) for one in several}
        names = operator_ids(graph.sinks)
        sinks = {
            names[node.id]: _Sink(node.name, node.sink, properties[names[node.id]])
            for node in graph.sinks
            if isinstance(node.sink, KafkaSink) and names[node.id] in properties
        }
        deduplicates = any(node.sink.deduplicates_batches for node in graph.sinks)
        return ExactlyOnce(
            name,
            folder,
            _names(folder, name, run) if sinks or deduplicates else SlotNames(""),
            operator_ids(graph.sources),
            sinks,
            {source: {one.sink for one in several} for source, several in operators.items()},
            {one.sink for one in writers},
            any(node.sink.commits_with_checkpoint for node in graph.sinks),
            in_epochs=in_epochs,
        )

    def begin(self, inputs: Sequence[SourceInput]) -> None:
        """Save the names of the slots before anything is written.

        Raises:
            DefinitionError: A sink's name or prefix has changed, or its transaction timeout exceeds the brokers' limit.
        """
        for sink in self.sinks.values():
            _check_timeout(sink)
        if self.names.id:
            self._keep_names(inputs)

    def prepare(self, inputs: Sequence[SourceInput]) -> None:
        """Check that the sinks' markers agree with the checkpoint, and end open transactions of an earlier run.

        Raises:
            JobError: The sinks have written more than the checkpoint records, or their markers have expired.
            DeliveryError: The brokers do not let a sink write.
        """
        if not self.sinks:
            return
        state = self.folder.state_in_epochs(self.name) if self.in_epochs else self.folder.state(self.name)
        if state is not None or not self.names.is_first:
            for identity in self.sinks:
                self._secure(identity, state or QueryState("", 0), inputs)

    def forget(self) -> None:
        """Delete the slots' consumer groups if the checkpoint is temporary.

        A worker does it: Kafka's admin client may crash its process when brokers go away at that moment.
        """
        if not self.folder.temporary:
            return
        spark = self.folder.session.sparkContext
        for sink in self.sinks.values():
            prefixes = spark.parallelize([f"{sink.spec.transactional_id_prefix}-{self.names.id}-"], 1)
            prefixes.foreach(partial(delete_groups, sink.properties.client))

    def _keep_names(self, inputs: Sequence[SourceInput]) -> None:
        """Save the names by which a later run finds the transactions; they stay as long as the checkpoint."""
        now = {identity: str(sink.spec.transactional_id_prefix) for identity, sink in self.sinks.items()}
        before = self.names.prefixes
        changed = {identity: prefix for identity, prefix in before.items() if now.get(identity) != prefix}
        if changed and inputs:  # collections are written again at each start
            raise DefinitionError(
                f"the exactly-once sinks of this checkpoint are {_listed(before)}; now they are {_listed(now)}",
                where=f"checkpoint {self.folder.of_query(self.name)}",
                now="Give sinks and prefixes their old names (set_uid keeps a sink's), or give this job another name.",
            )
        self.folder.record_sinks(self.name, attrs.evolve(self.names, prefixes=now).record())

    def _secure(self, identity: str, state: QueryState, inputs: Sequence[SourceInput]) -> None:
        sink, slots = self.sinks[identity], dict(self._slots(identity, state, inputs))
        markers = fence_writers(sink.properties, slots.keys(), sink.name, sink.topic)
        most = self._most(state)
        ahead = {slot: marker for slot, marker in markers.items() if marker is not None and marker > most}
        if ahead:
            raise JobError(
                f"sink {sink.name!r} has already written {self._told(max(ahead.values()))}, "
                f"and the checkpoint is before micro-batch {state.batch}: it is older than the sink's output",
                where=f"checkpoint {self.folder.of_query(self.name)}, transactional.id {min(ahead)}",
                now="Restore the newest checkpoint, or give this job another name and choose where it begins to read.",
            )
        unknown = [slot for slot, is_planned in slots.items() if is_planned and markers[slot] is None]
        if unknown and state.planned_at_ms is not None:
            self._decide(sink, state, unknown)

    def _most(self, state: QueryState) -> Marker:
        """Return the highest marker that agrees with the checkpoint; epochs compare offsets, so any offset does."""
        if self.in_epochs:
            return Marker(self.names.of_epochs + 1)
        next_batch = self.names.of_batch(state.batch)
        return Marker(next_batch if state.planned_at_ms is None else next_batch + 1)

    def _told(self, marker: Marker) -> str:
        """Describe the last micro-batch before a marker, for errors."""
        batch = self.names.batch(marker.batch - 1)
        return "micro-batches of a later run" if batch is None else f"micro-batch {batch}"

    def _slots(self, sink: str, state: QueryState, inputs: Sequence[SourceInput]) -> Iterator[tuple[str, bool]]:
        """Return the slots that a sink may have written to, each with whether the planned micro-batch writes to it."""
        prefix = str(self.sinks[sink].spec.transactional_id_prefix)
        if sink in self.single:
            yield slot_name(prefix, self.names.id, sink, SINGLE), state.planned_at_ms is not None
            return
        for one in inputs:
            if sink not in self.reached[one.node.id]:
                continue
            planned = state.partitions(one.key)
            for partition in sorted({*one.offset_range.starts, *planned}):
                origin = origin_name(self.sources[one.node.id], partition.topic, partition.partition)
                yield slot_name(prefix, self.names.id, sink, origin), partition in planned

    def _decide(self, sink: _Sink, state: QueryState, unknown: Sequence[str]) -> None:
        """Decide about missing markers: nothing was written, unless the brokers' retention of markers has passed."""
        assert state.planned_at_ms is not None
        kept_for = sink.broker_setting("offsets.retention.minutes") or _WEEK_MINUTES
        minutes = (time.time() - state.planned_at_ms / 1000) / 60
        what_now = sink.spec.on_expired_marker
        if minutes < kept_for or what_now is ExpiredMarker.REPLAY:
            return
        if what_now is ExpiredMarker.SKIP and not self.in_epochs:  # nothing tells how much an epoch has written
            assert sink.topic is not None
            set_markers(sink.properties, unknown, sink.topic, Marker(self.names.of_batch(state.batch + 1)))
            return
        raise JobError(
            f"it is unknown whether sink {sink.name!r} has written micro-batch {state.batch}: it was begun "
            f"{minutes / 1440:.1f} days ago, and the brokers delete a sink's progress after {kept_for / 1440:.1f}",
            where=f"transactional.id {min(unknown)}",
            now="Check the topic, and set the sink's property on.expired.marker: replay writes that micro-batch, "
            "skip leaves it out.",
        )


def _names(folder: CheckpointFolder, name: str, run: str) -> SlotNames:
    """Return the names of a query's transaction slots in a run of the job."""
    state = folder.state(name)
    before = SlotNames.of_record(folder.sinks(name), None if state is None else state.query)
    return before.started(run, has_begun=state is not None)


def _transactional(task: SourceTask) -> Sequence[TransactionalOperator]:
    return [sink for sink in task.chain.sinks if isinstance(sink, TransactionalOperator)]


def _check_timeout(sink: _Sink) -> None:
    most = sink.broker_setting("transaction.max.timeout.ms")
    if most is not None and sink.properties.timeout_ms > most:
        raise DefinitionError(
            f"transaction.timeout.ms = {sink.properties.timeout_ms} exceeds the brokers' "
            f"transaction.max.timeout.ms = {most}",
            where=f"sink {sink.name!r}",
            now="Lower it, or leave it out: here a job may be down for longer and loses nothing.",
        )


def _listed(prefixes: Mapping[str, str]) -> str:
    return ", ".join(f"{identity!r} with prefix {prefix!r}" for identity, prefix in prefixes.items()) or "none"
