"""Identity of a job: maps a program to the record in its checkpoint folder, and writes the next record."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.error_location import located
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import PartitionSet, TopicList, TopicPattern
from kafkastream.model.graph.graph_nodes import CollectionSource, SinkNode
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode, SourceNode
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder import CheckpointFolder
from kafkastream.spark.checkpoint.folder_names import query_folders
from kafkastream.spark.checkpoint.matching import ContinuedPart, ProgramPart, ProgramSource, continued
from kafkastream.spark.checkpoint.record import JobRecord, PartRecord, SourceRecord
from kafkastream.spark.session.spark_versions import names_sources
from kafkastream.sql.files.tables import TableFiles
from kafkastream.sql.plan.operations import TableOperation
from kafkastream.sql.plan.query_node import QueryNode, StreamNode

__all__ = ["JobIdentity", "PartIdentity"]

log = logging.getLogger("kafkastream")


@final
@attrs.frozen
class PartIdentity:
    """A connected part of the job, with its place in the checkpoint folder.

    Args:
        graph: Graph of the part; each source has its key as uid, so that names derived from a source stay the same.
        place: Query folder and sources that it continues from.
        recorded: Record of the query's last start; None for a new query.
    """

    graph: JobGraph
    place: ContinuedPart
    recorded: PartRecord | None

    def started(self, operators: Mapping[str, str]) -> PartIdentity:
        """Return the part as a restart after a failure begins with it."""
        return attrs.evolve(self, recorded=self.record(operators))

    def record(self, operators: Mapping[str, str]) -> PartRecord:
        """Return the record of the query as it is now.

        Args:
            operators: Dependencies of the state of each keyed operator, by the operator's identity.
        """
        sources = (
            SourceRecord(key=key, name=source.name, uid=source.uid, reads=source.reads)
            for key, source in zip(self.place.keys, self.place.sources, strict=True)
        )
        return PartRecord(
            folder=self.place.folder,
            sources=tuple(sources),
            sinks=_sinks(self.graph),
            operators=FrozenMap(operators),
            is_named=self.place.is_named,
        )


@final
@attrs.frozen
class JobIdentity:
    """A job and the checkpoint folder that it continues from.

    Args:
        folder: The job's checkpoint folder.
        settings: The job's settings.
        parts: The parts of the program.
        before: Record of the last start; None at the first.
    """

    folder: CheckpointFolder
    settings: JobSettings
    parts: tuple[PartIdentity, ...]
    before: JobRecord | None

    @staticmethod
    def of(folder: CheckpointFolder, settings: JobSettings, components: Sequence[JobGraph]) -> JobIdentity:
        """Map the parts of a program to the queries in a folder.

        Raises:
            DefinitionError: The folder belongs to another job or has another format, or the program cannot continue
                from its progress.
        """
        before = folder.job_record()
        with located(f"job {settings.name!r}, checkpoint {folder.path}"):
            if before is not None:
                _check_owner(before, settings)
            recorded = () if before is None else before.parts
            folders = query_folders(map(_query_name, components))
            can_name = names_sources(folder.session.version)
            program = [
                _program_part(graph, name, can_name=can_name) for graph, name in zip(components, folders, strict=True)
            ]
            ignores = settings.ignores_unclaimed_state
            places = continued(program, recorded, folder.sources_read, ignores_unclaimed=ignores)
            by_folder = {part.folder: part for part in recorded}
            parts = [
                PartIdentity(_with_keys(graph, place.keys), place, by_folder.get(place.folder))
                for graph, place in zip(components, places, strict=True)
            ]
        return JobIdentity(folder, settings, tuple(parts), before)

    def keep(self, operators: Sequence[Mapping[str, str]]) -> None:
        """Write the record of this start, and delete progress that no source claims any more.

        Args:
            operators: Dependencies of the state of keyed operators, for each part.
        """
        records = tuple(part.record(own) for part, own in zip(self.parts, operators, strict=True))
        versions = {name: version(name) for name in ("kafkastream", "pyspark")}
        record = JobRecord(
            job=self.settings.name, program=self.settings.program, parts=records, versions=FrozenMap(versions)
        )
        self.folder.keep_record(record)
        kept = {one.folder for one in records}
        for gone in () if self.before is None else self.before.parts:
            if gone.folder not in kept:
                self.folder.forget(gone.folder)
        for part in self.parts:
            for source in part.place.added:
                log.info(
                    "job %r: %s is new in its checkpoint and begins at its starting offsets", self.settings.name, source
                )
            for key in part.place.dropped:
                self.folder.forget_source(part.place.folder, key)


def _check_owner(before: JobRecord, settings: JobSettings) -> None:
    if before.job != settings.name:
        raise DefinitionError(
            f"the checkpoint folder belongs to job {before.job!r}",
            now="Give this job that name to continue from it, or use another checkpoint directory.",
        )
    if before.program != settings.program and None not in {before.program, settings.program}:
        raise DefinitionError(
            f"the checkpoint folder was made by {before.program!r}, and this is {settings.program!r}: jobs without a "
            "name of their own share Flink's default name, and so this folder",
            now="Name the job: env.execute('orders'), or pipeline.name. To continue from the folder as the same job, run "
            f"the program as {before.program!r}.",
        )


def _program_part(graph: JobGraph, folder: str, *, can_name: bool) -> ProgramPart:
    return ProgramPart(
        folder,
        tuple(map(_program_source, graph.sources)),
        _sinks(graph),
        is_named=can_name and _can_name_sources(graph),
    )


def _program_source(node: SourceNode) -> ProgramSource:
    of_copy = "query-" * node.is_copy
    return ProgramSource(f"{of_copy}{node.name}", None if node.uid is None else f"{of_copy}{node.uid}", _reads(node))


def _reads(node: SourceNode) -> str:
    if not isinstance(node.source, KafkaSource):
        return ""
    match node.source.subscription:
        case TopicList() | TopicPattern() | PartitionSet() as subscription:
            return str(subscription)
        case subscriber:
            return f"what {type(subscriber).__qualname__} chooses"


def _sinks(graph: JobGraph) -> tuple[str, ...]:
    return tuple(sorted(node.uid or node.name for node in graph.sinks if isinstance(node, SinkNode)))


def _can_name_sources(graph: JobGraph) -> bool:
    """Return whether Spark accepts names of sources; it refuses them if a plan has the control stream several times.

    A SQL query has it once for each stateful operation, each stream and each table in files.
    """
    if not any(isinstance(node, QueryNode) for node in graph.nodes):
        return True
    keyed = (node for node in graph.nodes if isinstance(node, KeyedNode) and isinstance(node.function, TableOperation))
    streams = (node for node in graph.nodes if isinstance(node, StreamNode))
    files = (node for node in graph.sources if _is_in_files(node))
    return len([*keyed, *streams, *files]) <= 1 and not any(
        isinstance(node, KeyedNode) and not isinstance(node.function, TableOperation) for node in graph.nodes
    )


def _is_in_files(node: SourceNode) -> bool:
    """Return whether a source is a table of the connector ``filesystem``."""
    elements = node.source.elements if isinstance(node.source, CollectionSource) else ()
    return isinstance(elements, FileContents) and isinstance(elements.format, TableFiles)


def _query_name(graph: JobGraph) -> str:
    return "+".join(f"{'query-' * node.is_copy}{node.uid or node.name}" for node in graph.sources)


def _with_keys(graph: JobGraph, keys: Iterable[str]) -> JobGraph:
    uids = {node.id: key for node, key in zip(graph.sources, keys, strict=True)}
    return JobGraph(tuple(attrs.evolve(node, uid=uids[node.id]) if node.id in uids else node for node in graph.nodes))
