"""``SchemaBook``: schemas of a pipeline's tables, in the source and in the sink, kept in the checkpoint."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, Protocol, final

import attrs
import msgspec

from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange, applied
from kafkastream.cdc.merge import merged, schema_changes
from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.spec.settings import SchemaChangeBehavior
from kafkastream.cdc.tables import Column, TableId, TableSchema
from kafkastream.errors import DefinitionError, JobError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.printable import one_line
from kafkastream.sql.syntax.data_types import parse_type

__all__ = [
    "MOST_TABLES",
    "SchemaBook",
    "TableRules",
    "described",
    "evolved",
    "known_schemas",
]

log = logging.getLogger("kafkastream")

FORMAT: Final = 1
MOST_TABLES: Final = 10_000
"""Maximum number of tables, so that table ids taken from unique values, such as record ids, do not fill the memory."""

_KEEPS: Final = (
    "A table keeps its keys and options: change it back, or give the pipeline another name and the sink another table."
)


class TableRules(Protocol):
    """Effect of a pipeline's transforms and routes on schemas."""

    def targets(self, table: TableId) -> Sequence[TableId]:
        """Return the sink tables that a source table is written to."""

    def output(self, table: TableId, schema: TableSchema) -> TableSchema:
        """Return the schema of a source table's rows after its transform."""

    def sends(self, change: SchemaChange) -> bool:
        """Return whether the sink receives a schema change (``include.schema.changes``, ``exclude.schema.changes``)."""


@final
@attrs.frozen
class SchemaBook:
    """Schemas of all tables that a pipeline has seen, and its number of skipped records.

    Args:
        sources: Schemas of source tables.
        sinks: Schemas of sink tables.
        skipped: Records that could not be parsed since the first start of the job.
        job: Permanent id of the job, by which sinks find the progress that they have stored for it.
        sink: Identity of the sink that has the tables.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> orders = TableId.parse("shop.orders")
        >>> book = SchemaBook({orders: TableSchema.of([("name", DataType.string())])}, {}, 2)
        >>> SchemaBook.of_record(book.record(), "here") == book
        True
    """

    sources: Mapping[TableId, TableSchema] = attrs.field(factory=FrozenMap, converter=FrozenMap[TableId, TableSchema])
    sinks: Mapping[TableId, TableSchema] = attrs.field(factory=FrozenMap, converter=FrozenMap[TableId, TableSchema])
    skipped: int = 0
    job: str = attrs.field(factory=lambda: uuid.uuid4().hex)
    sink: str = ""

    def record(self) -> dict[str, Any]:
        """Return the contents as plain values, for the checkpoint."""
        return {
            "format": FORMAT,
            "job": self.job,
            "skipped": self.skipped,
            "sink": self.sink,
            "sources": _plain(self.sources),
            "sinks": _plain(self.sinks),
        }

    @staticmethod
    def of_record(record: Mapping[str, Any], where: str) -> SchemaBook:
        """Restore a book from the values returned by ``record``.

        Args:
            record: Plain values.
            where: Path of the file, for errors.

        Raises:
            DefinitionError: The record is damaged, or has another format version.
        """
        try:
            stored = msgspec.convert(record, type=_Stored)
        except msgspec.ValidationError as error:
            raise DefinitionError(
                f"the schema book cannot be read: {error}",
                where=where,
                now="Restore the checkpoint directory from a copy, or give the pipeline another name.",
            ) from None
        if stored.format != FORMAT:
            raise DefinitionError(
                f"the schema book has format {stored.format}, and this version of kafkastream reads format {FORMAT}",
                where=where,
                now="Start the pipeline with the version that wrote it, or give it another name.",
            )
        sources, sinks = (dict(_schemas(tables)) for tables in (stored.sources, stored.sinks))
        return SchemaBook(sources, sinks, stored.skipped, stored.job, stored.sink)


def known_schemas(
    book: SchemaBook, given: Mapping[TableId, TableSchema], metadata: Sequence[Column]
) -> list[tuple[TableId, TableSchema]]:
    """Return the source tables that are known at the start, before the first record, with their metadata columns.

    Args:
        book: Schemas kept by an earlier run.
        given: Schemas declared by the user, which widen the kept ones.
        metadata: Metadata columns of all tables.

    Raises:
        DefinitionError: A table is declared with another primary key than the kept one.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> text = DataType.string()
        >>> orders, items = (TableId.parse(name) for name in ("orders", "items"))
        >>> kept = SchemaBook({orders: TableSchema.of([("id", text)])})
        >>> given = {orders: TableSchema.of([("note", text)]), items: TableSchema.of([("sku", text)])}
        >>> [(str(table), schema.names) for table, schema in known_schemas(kept, given, [Column("topic", text)])]
        [('orders', ('id', 'note', 'topic')), ('items', ('sku', 'topic'))]
    """
    schemas = dict(book.sources)
    for table, schema in given.items():
        if table in schemas and schema.primary_key:
            _check_key(table, schemas[table], schema, "source, its CREATE TABLE")
        elif table in schemas and (key := schemas[table].primary_key):  # it may have come with the records
            log.warning(
                "table %s keeps its primary key %s, though its CREATE TABLE has none",
                one_line(str(table)),
                ", ".join(key),
            )
        schemas[table] = merged(schemas[table], schema) if table in schemas else schema
    more = TableSchema(tuple(metadata))
    return [(table, merged(schema, more)) for table, schema in schemas.items()]


def evolved(
    book: SchemaBook,
    found: Iterable[tuple[TableId, TableSchema]],
    rules: TableRules,
    behavior: SchemaChangeBehavior,
    apply: Callable[[SchemaChange], None],
) -> SchemaBook:
    """Merge inferred schemas into the book, and apply the resulting changes to the sink's tables.

    Args:
        book: Current schemas.
        found: Schemas inferred from records.
        rules: Transforms and routes.
        behavior: Schema change behavior of the pipeline.
        apply: Applies a change to the sink; may be called again with the same change after a failure.

    Raises:
        JobError: The behavior is EXCEPTION, or the sink refuses a change.
        DefinitionError: A table's primary key would change, or tables with different keys are routed to one table.
    """
    sources, changed = dict(book.sources), dict.fromkeys(table for table, _ in found)
    for table, schema in found:
        sources[table] = merged(sources[table], schema) if table in sources else schema
    if len(sources) > MOST_TABLES:
        raise _too_many(list(sources)[MOST_TABLES])
    sinks = dict(book.sinks)
    feeding = _feeding(sources, rules)
    for target in dict.fromkeys(target for table in changed for target in rules.targets(table)):
        outputs = {table: rules.output(table, sources[table]) for table in feeding[target]}
        _check_one_key(target, outputs)
        wanted = reduce(merged, outputs.values())
        if target in sinks:
            _check_key(target, sinks[target], wanted, "transform, primary-keys")
            _check_layout(target, sinks[target], wanted)
            wanted = merged(sinks[target], wanted)
        for change in schema_changes(target, sinks.get(target), wanted):
            if _is_made(change, rules, behavior, apply):
                sinks[target] = applied(sinks.get(target), change)
    return attrs.evolve(book, sources=sources, sinks=sinks)


def _feeding(tables: Iterable[TableId], rules: TableRules) -> Mapping[TableId, list[TableId]]:
    """Return the source tables of each sink table."""
    feeding: dict[TableId, list[TableId]] = {}
    for table in tables:
        for target in rules.targets(table):
            feeding.setdefault(target, []).append(table)
    return feeding


def _check_key(table: TableId, before: TableSchema, now: TableSchema, where: str) -> None:
    if before.primary_key != now.primary_key:
        keys = [", ".join(schema.primary_key) or "none" for schema in (before, now)]
        raise DefinitionError(
            f"the primary key of table {table} was {keys[0]}, and would become {keys[1]}",
            where=where,
            now=_KEEPS,
        )


def _check_layout(table: TableId, before: TableSchema, now: TableSchema) -> None:
    """Refuse changes of properties that cannot be altered after a table's creation; Flink CDC ignores them."""
    if before.partition_key != now.partition_key:
        keys = [", ".join(schema.partition_key) or "none" for schema in (before, now)]
        raise DefinitionError(
            f"the partition key of table {table} was {keys[0]}, and would become {keys[1]}",
            where="transform, partition-keys",
            now=_KEEPS,
        )
    changed = sorted({name for name, _ in before.options.items() ^ now.options.items()})
    if changed:
        raise DefinitionError(
            f"table {table} was created with other options: {', '.join(changed)}",
            where="transform, table-options",
            now=_KEEPS,
        )


def _check_one_key(target: TableId, outputs: Mapping[TableId, TableSchema]) -> None:
    """Refuse to route tables with different keys to one table, where rows of one would replace rows of another."""
    (first, schema), *others = outputs.items()
    for other, found in others:
        if set(found.primary_key) != set(schema.primary_key):
            keys = [", ".join(one.primary_key) or "none" for one in (schema, found)]
            raise DefinitionError(
                f"tables {first} and {other} go to one table, and their primary keys differ: {keys[0]}; {keys[1]}",
                where=f"route, sink-table {target}",
                now="Give both the same key by primary-keys of a transform rule, or route them to tables of their own.",
            )


def _too_many(table: TableId) -> JobError:
    return JobError(
        f"the records belong to more than {MOST_TABLES:,} tables",
        where=f"table {table}",
        now="Check the fields that name the table (json.decode.parser-table-id.fields), "
        "or divide the topics among several pipelines.",
    )


def _is_made(
    change: SchemaChange, rules: TableRules, behavior: SchemaChangeBehavior, apply: Callable[[SchemaChange], None]
) -> bool:
    """Apply a change according to the behavior, and return whether rows have the new schema afterwards."""
    if not isinstance(change, CreateTable):
        if behavior is SchemaChangeBehavior.IGNORE:
            return False
        if behavior is SchemaChangeBehavior.EXCEPTION:
            raise JobError(
                f"the schema of table {change.table} has changed: {described(change)}",
                where="pipeline, schema.change.behavior: exception",
                now="Choose evolve or lenient to have the sink follow, or ignore to leave new columns out.",
            )
    if not rules.sends(change):
        return isinstance(change, CreateTable)  # the rows still need a schema; the table exists already
    try:
        apply(change)
    except SchemaChangeRefusedError as refusal:
        if behavior is not SchemaChangeBehavior.TRY_EVOLVE or isinstance(change, CreateTable):
            raise
        log.warning("table %s stays as it is, and rows are fitted to it: %s", one_line(str(change.table)), refusal)
        return False
    return True


def described(change: SchemaChange) -> str:
    """Describe a schema change in one line.

    Example:
        >>> from kafkastream.sql.types import DataType
        >>> described(AddColumns(TableId.parse("orders"), (Column("note", DataType.string()),)))
        'add column note STRING'
    """
    match change:
        case CreateTable(schema=schema):
            return f"create the table with columns {_listed(schema.columns)}"
        case AddColumns(columns=columns):
            return f"add column{'s' * (len(columns) > 1)} {_listed(columns)}"
        case AlterColumnTypes(types=types, before=before):
            return ", ".join(f"change column {name} from {before[name]} to {new}" for name, new in types.items())


def _listed(columns: Iterable[Column]) -> str:
    return ", ".join(f"{column.name} {column.type}" for column in columns)


class _StoredTable(msgspec.Struct):
    table: list[str]
    columns: list[tuple[str, str, str]]
    primary_key: list[str]
    partition_key: list[str]
    options: dict[str, str]


class _Stored(msgspec.Struct):
    format: int
    job: str
    skipped: int
    sources: list[_StoredTable]
    sinks: list[_StoredTable]
    sink: str = ""


def _plain(schemas: Mapping[TableId, TableSchema]) -> list[dict[str, Any]]:
    return [
        {
            "table": table.parts,
            "columns": [(column.name, str(column.type), column.comment) for column in schema.columns],
            "primary_key": schema.primary_key,
            "partition_key": schema.partition_key,
            "options": dict(schema.options),
        }
        for table, schema in schemas.items()
    ]


def _schemas(stored: Iterable[_StoredTable]) -> Iterator[tuple[TableId, TableSchema]]:
    for one in stored:
        columns = tuple(Column(name, parse_type(type_), comment) for name, type_, comment in one.columns)
        schema = TableSchema(columns, tuple(one.primary_key), tuple(one.partition_key), FrozenMap(one.options))
        yield TableId(tuple(one.table)), schema
