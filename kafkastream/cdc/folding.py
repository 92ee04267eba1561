"""Changes buffered by a writer: the last change of each key, or rows to append."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter
from typing import Any, final

from kafkastream.cdc.changes import Change, Operation, Row
from kafkastream.cdc.sinks import SinkError
from kafkastream.cdc.tables import TableSchema

__all__ = ["AppendedRows", "FoldedChanges"]

Key = tuple[Hashable, ...]


@final
class AppendedRows:
    """Buffer of inserts into a table without primary key, which cannot take other changes."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: list[Row] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows in the order of the changes."""
        return iter(self._rows)

    def add(self, change: Change) -> None:
        """Add a change.

        Raises:
            SinkError: The change is not an INSERT.
        """
        if change.operation is not Operation.INSERT:
            raise SinkError(
                f"a table without primary key cannot take {change.operation.value}",
                where=f"table {change.table}",
                now="Define primary-keys in a transform rule, or write deletes and updates as rows by SOFT_DELETE.",
            )
        self._rows.append(change.after)


@final
class FoldedChanges:
    """Buffer of a table with a primary key: for each key, the row to upsert or the deletion.

    Args:
        schema: Schema of the table, with a primary key.

    Example:
        >>> import msgspec
        >>> from kafkastream.cdc.changes import Operation
        >>> from kafkastream.cdc.tables import TableId
        >>> from kafkastream.sql.types import DataType
        >>> Word = msgspec.defstruct("Word", ["word", "count"])
        >>> folded = FoldedChanges(
        ...     TableSchema.of([("word", DataType.string()), ("count", DataType.string())], ["word"])
        ... )
        >>> folded.add(Change(TableId.parse("words"), Operation.INSERT, None, Word("a", "1")))
        >>> folded.add(Change(TableId.parse("words"), Operation.UPDATE, Word("a", "1"), Word("b", "2")))
        >>> list(folded)
        [(('a',), None), (('b',), Word(word='b', count='2'))]
    """

    __slots__ = ("_key_of", "_places", "_rows")

    def __init__(self, schema: TableSchema) -> None:
        self._places = [schema.names.index(name) for name in schema.primary_key]
        self._rows: dict[Any, Row | None] = {}
        self._key_of: Callable[[Row], Any] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Key, Row | None]]:
        """Yield each key with its row, None for a deleted one, in the order of the last changes."""
        if len(self._places) == 1:
            return (((key,), row) for key, row in self._rows.items())
        return iter(self._rows.items())

    def add(self, change: Change) -> None:
        """Add a change.

        Raises:
            SinkError: A DELETE has no row before, so its key is unknown.
        """
        _, _, before, after = change
        row = before if after is None else after
        if row is None:
            raise SinkError("a DELETE does not say which row", where=f"table {change.table}")
        key_of = self._key_of or self._read_keys_of(type(row))
        key = key_of(row)
        if before is not None and after is not None:
            old_key = key_of(before)
            if old_key != key:
                self._set(old_key, None)
        self._set(key, after)

    def _set(self, key: Any, row: Row | None) -> None:
        if key in self._rows:
            del self._rows[key]  # moves the key to the end: keys are ordered by their last change
        self._rows[key] = row

    def _read_keys_of(self, row_class: type[Any]) -> Callable[[Row], Any]:
        fields = row_class.__struct_fields__
        self._key_of = attrgetter(*(fields[place] for place in self._places))
        return self._key_of
