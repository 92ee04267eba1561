"""Base classes of table sources and sinks, for planner and engine."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from kafkastream.model.common.endpoints import Sink
from kafkastream.sql.changelog import ChangelogMode

__all__ = ["RowsAtHand", "TableSink", "TableSource"]


class RowsAtHand(NamedTuple):
    """Bounded rows of a table that do not come from Kafka, for error messages.

    Attributes:
        where: Connector or stream.
        what: The rows, as subject of a sentence.
        needs_state: Whether they can be combined with Kafka rows only before a stateful operation.
    """

    where: str
    what: str
    needs_state: bool


class TableSource:
    """Source of a table, read from its options.

    Attributes:
        engine_module: Name of the module that registers a function for its rows with ``@source_rows.register``.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    @property
    def changelog(self) -> ChangelogMode:
        """Return the changelog mode of the rows; insert-only by default."""
        return ChangelogMode.APPEND

    @property
    def origin_text(self) -> str:
        """Return the origin of the rows in the description of state; checkpoints keep it, so it must never change."""
        raise NotImplementedError

    @property
    def graph_source(self) -> Any:
        """Return the source in the job graph."""
        raise NotImplementedError

    @property
    def is_bounded(self) -> bool:
        """True if the rows come to an end; by default, they do."""
        return True

    @property
    def rows_at_hand(self) -> RowsAtHand | None:
        """Return the rows that do not come from Kafka, if any."""
        return None

    @property
    def reads_kafka(self) -> bool:
        """True if rows are records of a topic."""
        return False

    @property
    def has_state(self) -> bool:
        """True if a stateful operation comes before the table."""
        return False


class TableSink:
    """Sink of a table, read from its options.

    Attributes:
        engine_module: Name of the module that registers the writer of rows with ``@table_writer.register``.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    @property
    def changelog(self) -> ChangelogMode:
        """Return the changelog mode that the table accepts; all row kinds by default."""
        return ChangelogMode.RETRACT

    @property
    def parallelism(self) -> int | None:
        """Return the number of subtasks that write; None for that of the input."""
        return None

    @property
    def sink(self) -> Sink:
        """Return the sink in the job graph."""
        raise NotImplementedError

    @property
    def changes_hint(self) -> str:
        """Return the advice for a query with changes if the table is insert-only."""
        return "Write to an 'upsert-kafka' table with a primary key, or with a changelog format such as debezium-json."
