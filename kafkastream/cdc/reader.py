"""Reader of a pipeline's Kafka records: row changes by known schemas, and schemas inferred from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

import attrs

from kafkastream.cdc.changes import Change
from kafkastream.cdc.errors import MalformedRecordError, MisfitError, SchemaMismatchError
from kafkastream.cdc.formats.canal_reader import CanalJson, CanalReader
from kafkastream.cdc.formats.debezium_reader import DebeziumJson, DebeziumReader
from kafkastream.cdc.formats.json_reader import Json, JsonReader
from kafkastream.cdc.formats.settings import FormatReader, FormatSettings
from kafkastream.cdc.row_rules import RowRules
from kafkastream.cdc.table_rows import Tables
from kafkastream.cdc.table_rules import PipelineRules
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.cdc.values import Conversion
from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.formats.malformed import malformed

__all__ = ["ChangeReader", "ReadSettings"]

_SHOWN: Final = 100


@final
@attrs.frozen(kw_only=True)
class ReadSettings:
    """Settings of the reader.

    Args:
        value: Format of values, with its options.
        is_static: Keep the first schema of a table and ignore other members; otherwise schemas follow the records.
        reads_key: Read keys as JSON whose members are columns, too.
        key_prefix: Prefix of the names of the key's columns.
        value_prefix: Prefix of the names of the value's columns.
        metadata: Metadata columns, in the order in which ``read`` gets their values.
        local_time_zone: Time zone of texts without one in TIMESTAMP_LTZ columns.
        table_rules: Routes to the sink, which refuses some names of tables and columns; None to take all.
    """

    value: FormatSettings = attrs.field(factory=DebeziumJson)
    is_static: bool = False
    reads_key: bool = False
    key_prefix: str = ""
    value_prefix: str = ""
    metadata: tuple[Column, ...] = ()
    local_time_zone: str = "UTC"
    table_rules: PipelineRules | None = None

    @property
    def rules(self) -> RowRules:
        """Rules that map records to rows."""
        rules = RowRules(
            conversion=Conversion(reads_texts=self.is_static, time_zone=self.local_time_zone),
            follows_schema=not self.is_static,
            reads_key=self.reads_key,
            key_prefix=self.key_prefix,
            value_prefix=self.value_prefix,
            metadata=self.metadata,
        )
        return self.value.adapted(rules)


@final
class ChangeReader:
    """Reads records by known schemas.

    Args:
        settings: Settings of the reader.
        schemas: Schemas of all known tables.

    Example:
        >>> from kafkastream.cdc.rows import encode_row
        >>> record = b'{"op": "c", "source": {"db": "shop", "table": "orders"}, "after": {"id": 1}}'
        >>> schemas = dict(ChangeReader(ReadSettings(), {}).infer("events", None, record))
        >>> [change] = ChangeReader(ReadSettings(), schemas).read("events", None, record)
        >>> str(change.table), change.operation.name, encode_row(change.after)
        ('shop.orders', 'INSERT', b'{"id":1}')
    """

    def __init__(self, settings: ReadSettings, schemas: Mapping[TableId, TableSchema]) -> None:
        self._tables = Tables(schemas, settings.rules)
        self._ignores_errors = settings.value.ignore_parse_errors
        self._format = _format_reader(settings.value, self._tables)
        self._changes = self._format.changes
        self._inference = _Inference(settings, schemas)
        self._settled = schemas if settings.is_static else {}
        self._new_names = _NewNames(settings.table_rules, schemas)

    def read(
        self, topic: str, key: bytes | None, value: bytes | None, metadata: Sequence[object] = ()
    ) -> Sequence[Change]:
        """Return the changes in a record; none for a tombstone, and for records that the options exclude.

        Args:
            topic: Topic of the record.
            key: Key of the record.
            value: Value of the record.
            metadata: Values of the metadata columns.

        Raises:
            SchemaMismatchError: The record's rows need wider schemas than the known ones.
            MalformedRecordError: The record cannot be parsed.
        """
        if not value:
            return ()
        try:
            return self._changes(topic, key, value, metadata)
        except MisfitError as misfit:
            return self._mismatch(str(misfit), topic, key, value)
        except Exception as error:  # noqa: BLE001 - _malformed decides
            return self._malformed(error)

    def infer(
        self, topic: str, key: bytes | None, value: bytes | None, metadata: Sequence[object] = ()
    ) -> Sequence[tuple[TableId, TableSchema]]:
        """Return the schemas inferred from a record, to be merged into the known ones.

        Empty for a record that matches the known schemas merged with all that were returned before, and for known
        tables whose schema is static.

        Args:
            topic: Topic of the record.
            key: Key of the record.
            value: Value of the record.
            metadata: Values of the metadata columns, which do not matter here.

        Raises:
            MalformedRecordError: The record cannot be parsed.
        """
        if not value:
            return ()
        try:
            found = self._inference.found(topic, key, value)
            return tuple((table, schema) for table, schema in found if table not in self._settled)
        except Exception as error:  # noqa: BLE001 - _malformed decides
            self._malformed(error)
            return ()

    def _mismatch(self, reason: str, topic: str, key: bytes | None, value: bytes) -> Sequence[Change]:
        try:
            found = self._format.found(topic, key, value)
            if is_new := self._tables.misfits(found):
                self._new_names.check(found)
        except Exception as error:  # noqa: BLE001 - _malformed decides
            return self._malformed(error)
        if is_new:
            raise SchemaMismatchError(found, reason)
        return self._malformed(MalformedRecordError(reason))

    def _malformed(self, error: Exception) -> Sequence[Change]:
        """Return no changes if malformed records are ignored; raise an error that is not the record's fault."""
        if isinstance(error, UnsupportedFeatureError):
            raise error
        reason = None if isinstance(error, MalformedRecordError) else str(malformed(error))
        if self._ignores_errors:
            return ()
        if reason is None:
            raise error
        raise MalformedRecordError(reason) from error


@final
@attrs.frozen
class _NewNames:
    """Check of the names of new tables and columns, which come with the records.

    Args:
        rules: Routes to the sink; None to take all names.
        schemas: Known tables, whose names have been accepted.
    """

    rules: PipelineRules | None
    schemas: Mapping[TableId, TableSchema]

    def check(self, found: Sequence[tuple[TableId, TableSchema]]) -> None:
        """Refuse a record whose tables the sink cannot have.

        Raises:
            MalformedRecordError: A name is impossible in the sink, or reserved.
        """
        if self.rules is None:
            return
        for table, schema in found:
            known = self.schemas.get(table)
            problem = None if known is not None else self.rules.problem_of_table(table, self.schemas)
            if problem is None:
                before = set() if known is None else set(known.names)
                columns = [name for name in schema.names if name not in before]
                problem = next(iter(self.rules.problems_of_columns(table, columns, self.schemas).values()), None)
            if problem is not None:
                raise MalformedRecordError(f"it is for table {str(table)[:_SHOWN]!r}, and {problem}")


@final
class _Inference:
    """Infers schemas and remembers them: reading a matching record is ten times faster than inferring its schema."""

    def __init__(self, settings: ReadSettings, schemas: Mapping[TableId, TableSchema]) -> None:
        self._tables = Tables(schemas, attrs.evolve(settings, is_static=False).rules)
        self._format = _format_reader(settings.value, self._tables)
        self._no_metadata = (None,) * len(settings.metadata)
        self._new_names = _NewNames(settings.table_rules, schemas)

    def found(self, topic: str, key: bytes | None, value: bytes) -> Sequence[tuple[TableId, TableSchema]]:
        try:
            self._format.changes(topic, key, value, self._no_metadata)
        except MisfitError:
            found = self._format.found(topic, key, value)
            self._new_names.check(found)
            for table, schema in found:
                self._tables.learn(table, schema)
                self._format.forget(table)
            return found
        return ()


def _format_reader(settings: FormatSettings, tables: Tables) -> FormatReader:
    match settings:
        case Json():
            return JsonReader(settings, tables)
        case DebeziumJson():
            return DebeziumReader(settings, tables)
        case _:
            assert isinstance(settings, CanalJson), settings
            return CanalReader(settings, tables)
