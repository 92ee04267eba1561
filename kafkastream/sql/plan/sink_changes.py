"""Adapts the rows of a query to the changelog mode of its sink, or refuses the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kafkastream.errors import DefinitionError
from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.connectors import FileTableSink, TableSink
from kafkastream.sql.plan.operations import Materialize, PartitionCommit
from kafkastream.sql.plan.plan_builder import normalized
from kafkastream.sql.plan.relations import Explode, Project, Relation, Scan, Stateful, Union, Values
from kafkastream.sql.table import Position, TableDefinition

__all__ = ["consumed"]


_START: Final = Position()


def consumed(
    relation: Relation, sink: TableSink | None, table: TableDefinition | None, ttl_ms: int, where: Position = _START
) -> Relation:
    """Return the rows of a query in the changelog mode of a sink.

    Args:
        relation: Query, with the columns of the sink.
        sink: Sink; None for the calling program.
        table: Table of the sink.
        ttl_ms: Time without a change after which the state of a key expires, in ms; 0 for never.
        where: Position of the INSERT, for errors.

    If rows change by another key than the sink's primary key, a stateful operation turns them into upserts by that key.

    Raises:
        DefinitionError: The sink is insert-only, and the query is not.
    """
    has_changes = table is not None and not relation.changelog.is_insert_only
    if isinstance(sink, FileTableSink) and sink.writer.commit is not None and not has_changes:
        return _committed(relation, sink.writer.partitions.names, sink.writer.commit)
    if sink is None or table is None or not has_changes:
        return normalized(relation, ttl_ms)
    if sink.changelog.is_insert_only:
        raise DefinitionError(
            f"Table sink '{table.identifier}' doesn't support consuming update and delete changes which is produced by "
            f"node {_producer(relation)}",
            where=f"INSERT INTO {table.identifier}, {where}",
            now=sink.changes_hint,
        )
    if sink.changelog is ChangelogMode.RETRACT:
        return normalized(relation, ttl_ms)
    names = [field.name for field in relation.fields]
    key = tuple(names.index(name) for name in table.schema.primary_key)
    if relation.upsert_key is not None and set(relation.upsert_key) == set(key):
        return relation
    return Stateful(
        fields=relation.fields,
        changelog=ChangelogMode.UPSERT,
        upsert_key=key,
        merged=(normalized(relation, ttl_ms),),
        keys=(key,),
        operation=Materialize(ttl_ms=ttl_ms),
    )


def _committed(relation: Relation, partition: Sequence[str], commit: PartitionCommit) -> Relation:
    """Return the rows of a table in files by partition, with a DELETE for each partition that is complete.

    The sink is insert-only, so this row kind has no other meaning there.
    """
    names = [field.name for field in relation.fields]
    return Stateful(
        fields=relation.fields,
        merged=(relation,),
        keys=(tuple(map(names.index, partition)),),
        operation=commit,
    )


def _producer(relation: Relation) -> str:
    """Return Flink's name of the operator that produces changes."""
    match relation:
        case Project() | Explode():
            return _producer(relation.input)
        case Union():
            return next((_producer(one) for one in relation.merged if not one.changelog.is_insert_only), "Union")
        case Stateful():
            return type(relation.operation).__name__
        case Scan():
            return f"TableSourceScan(table=[[{relation.table.identifier.replace('.', ', ')}]])"
        case Values():
            return "Values"
