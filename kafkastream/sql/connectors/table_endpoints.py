"""Base classes of tables that are read and written: what planner and engine ask of each."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from kafkastream.model.common.endpoints import Sink
from kafkastream.sql.changelog import ChangelogMode

__all__ = ["RowsAtHand", "TableSink", "TableSource"]


class RowsAtHand(NamedTuple):
    """Rows of a table that are there when the query starts, as messages tell of them.

    Attributes:
        where: The connector, or the stream.
        what: The rows, as the subject of a sentence.
        needs_state: Whether they may stand beside rows of Kafka in front of an operation with state.
    """

    where: str
    what: str
    needs_state: bool


class TableSource:
    """A table that is read, as its options describe it."""

    __slots__ = ()

    @property
    def changelog(self) -> ChangelogMode:
        """Kinds of rows that the table may give; only new rows if not overridden."""
        return ChangelogMode.APPEND

    @property
    def origin_text(self) -> str:
        """Origin of the rows in the description of an operation's state; checkpoints keep it, so it never changes."""
        raise NotImplementedError

    @property
    def graph_source(self) -> Any:
        """Source of the table in the job graph."""
        raise NotImplementedError

    @property
    def rows_at_hand(self) -> RowsAtHand | None:
        """Rows that do not come from Kafka, if there are such."""
        return None

    @property
    def reads_kafka(self) -> bool:
        """Whether records of a topic become rows."""
        return False

    @property
    def has_state(self) -> bool:
        """Whether an operation with state comes before the table."""
        return False


class TableSink:
    """A table that is written, as its options describe it.

    Attributes:
        engine_module: Name of the module that registers the writer of rows with ``@table_writer.register``.
    """

    __slots__ = ()

    engine_module: ClassVar[str] = ""

    @property
    def changelog(self) -> ChangelogMode:
        """Most kinds of rows that the table takes; every kind if not overridden."""
        return ChangelogMode.RETRACT

    @property
    def parallelism(self) -> int | None:
        """Number of subtasks that write; as many as before the sink if None."""
        return None

    @property
    def sink(self) -> Sink:
        """Sink of the table in the job graph."""
        raise NotImplementedError

    @property
    def changes_hint(self) -> str:
        """Advice for a query whose rows change, where the table takes only new rows."""
        return "Write to an 'upsert-kafka' table with a primary key, or with a changelog format such as debezium-json."
