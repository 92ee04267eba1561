"""Identity of the connected parts of a job: maps each to the record of an earlier start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.connectors.file_formats import FileContents
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import PartitionSet, TopicList, TopicPattern
from kafkastream.model.graph.graph_nodes import CollectionSource, SinkNode
from kafkastream.model.graph.job_graph import JobGraph, KeyedNode, SourceNode
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder_names import query_folders
from kafkastream.spark.checkpoint.matching import ContinuedPart, ProgramPart, ProgramSource, Progress, continued
from kafkastream.spark.checkpoint.record import JobRecord, PartRecord, SourceRecord
from kafkastream.sql.files.tables import TableFiles
from kafkastream.sql.plan.operations import TableOperation
from kafkastream.sql.plan.query_node import QueryNode, StreamNode

__all__ = ["LET_TOPIC_GO", "PartIdentity", "check_owner", "part_identities", "removed_topics"]

LET_TOPIC_GO: Final = "let the topic go by the source's property spark.failOnDataLoss = false"


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


def part_identities(
    components: Sequence[JobGraph],
    recorded: Sequence[PartRecord],
    progress: Progress,
    *,
    can_name: bool,
    ignores_unclaimed: bool,
) -> tuple[PartIdentity, ...]:
    """Map the connected parts of a program to the queries of an earlier start.

    Args:
        components: Graphs of the parts.
        recorded: Queries of the last start.
        progress: Returns the sources that a query has read from.
        can_name: Whether queries of this version of Spark can have named sources.
        ignores_unclaimed: Whether to discard the progress of sources that the program no longer has.

    Raises:
        DefinitionError: The program cannot continue from the progress.
    """
    folders = query_folders(map(_query_name, components))
    program = [_program_part(graph, name, can_name=can_name) for graph, name in zip(components, folders, strict=True)]
    places = continued(program, recorded, progress, ignores_unclaimed=ignores_unclaimed)
    by_folder = {part.folder: part for part in recorded}
    return tuple(
        PartIdentity(_with_keys(graph, place.keys), place, by_folder.get(place.folder))
        for graph, place in zip(components, places, strict=True)
    )


def check_owner(before: JobRecord, settings: JobSettings) -> None:
    """Check that a record is of the job with these settings.

    Raises:
        DefinitionError: It is of a job with another name, or of another program without a job name.
    """
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


def removed_topics(source: str, topics: Sequence[str]) -> DefinitionError:
    """Return the error for topics that were read and that a source, by its name, does not read any more."""
    return DefinitionError(
        f"the job no longer reads topic {', '.join(topics)}, and its checkpoint has offsets for that topic",
        where=f"source {source!r}",
        now=f"Read it again, or give this job another name, or {LET_TOPIC_GO}.",
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
