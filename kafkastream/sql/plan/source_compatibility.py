"""Rejects queries that combine bounded in-memory sources with Kafka sources."""

from __future__ import annotations

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.connectors import GeneratedTableSource, TableSource, source_of
from kafkastream.sql.connectors.table_endpoints import RowsAtHand
from kafkastream.sql.plan.branches import Origin, origins
from kafkastream.sql.plan.relations import Relation, Scan, Stateful, Values

__all__ = ["check_mixture", "generators", "is_bounded"]


def generators(relation: Relation) -> tuple[GeneratedTableSource, ...]:
    """Return the tables of a query whose rows are generated."""
    return tuple(source for source in map(_table, origins(relation)) if isinstance(source, GeneratedTableSource))


def is_bounded(relation: Relation) -> bool:
    """Return whether the rows of a query come to an end."""
    return all(source is None or source.is_bounded for source in map(_table, origins(relation)))


def check_mixture(relation: Relation) -> None:
    """Refuse a query with both bounded in-memory rows and Kafka rows.

    Raises:
        UnsupportedFeatureError: The query reads both.
    """
    every = tuple(origins(relation))
    is_keyed = any(map(_has_keys, every))
    here = [rows for rows in map(_rows_at_hand, every) if rows is not None]
    if any(map(_reads_kafka, every)):
        for where, what, needs_state in here:
            if not (is_keyed and needs_state):
                raise UnsupportedFeatureError(
                    f"{what} together with a table or stream of Kafka",
                    where=where,
                    now="Write the rows to a topic with one INSERT, and read that topic.",
                )
    rows = [origin for origin in every if not isinstance(origin, Stateful)]
    if is_keyed and not all(map(_is_endless, rows)):
        for source in generators(relation):
            source.check_bounded(
                "together with bounded rows before a stateful operation",
                "; or write it to a topic with one INSERT, and read that topic.",
            )


def _is_endless(origin: Origin) -> bool:
    """Return whether a table generates rows without end."""
    table = _table(origin)
    return isinstance(table, GeneratedTableSource) and not table.is_bounded


def _rows_at_hand(origin: Origin) -> RowsAtHand | None:
    """Return the rows that do not come from Kafka, if any.

    Collections of the program come by the control stream, which exists if there is state.
    """
    if isinstance(origin, Values):
        return RowsAtHand("VALUES", "rows of VALUES, or of a SELECT without FROM,", needs_state=False)
    table = _table(origin)
    return None if table is None else table.rows_at_hand


def _has_keys(origin: Origin) -> bool:
    """Return whether a query has state, itself or in a stream that it reads."""
    table = _table(origin)
    return isinstance(origin, Stateful) or (table is not None and table.has_state)


def _reads_kafka(origin: Origin) -> bool:
    """Return whether a table or a stream reads a topic."""
    table = _table(origin)
    return table is not None and table.reads_kafka


def _table(origin: Origin) -> TableSource | None:
    """Return the table source of an origin, if it is a scan."""
    return source_of(origin.table) if isinstance(origin, Scan) else None
