"""The schema book follows found schemas, and the sink's tables follow the book."""

from __future__ import annotations

import attrs
import pytest

from kafkastream.cdc.book import MOST_TABLES, SchemaBook, evolved, known_schemas
from kafkastream.cdc.changes import AddColumns, AlterColumnTypes, CreateTable, SchemaChange
from kafkastream.cdc.sinks import SchemaChangeRefusedError
from kafkastream.cdc.spec.settings import SchemaChangeBehavior
from kafkastream.cdc.tables import TableId, TableSchema
from kafkastream.errors import DefinitionError, JobError
from kafkastream.sql.types import DataType, Kind

INT, BIGINT, STRING = DataType.of(Kind.INT), DataType.of(Kind.BIGINT), DataType.string()
ORDERS, REFUNDS, ALL = TableId.parse("shop.orders"), TableId.parse("shop.refunds"), TableId.parse("ods.all")
NARROW = TableSchema.of([("id", INT)])
WIDE = TableSchema.of([("id", BIGINT), ("note", STRING)])
BEHAVIORS = list(SchemaChangeBehavior)


@attrs.define
class Rules:
    """Routes by a mapping; tables that it lacks stay themselves."""

    routes: dict[TableId, tuple[TableId, ...]] = attrs.field(factory=dict)
    silent: tuple[type[SchemaChange], ...] = ()

    def targets(self, table: TableId) -> tuple[TableId, ...]:
        return self.routes.get(table, (table,))

    def output(self, table: TableId, schema: TableSchema) -> TableSchema:
        return schema

    def sends(self, change: SchemaChange) -> bool:
        return not isinstance(change, self.silent)


@attrs.define
class Tables:
    """A sink in memory that refuses what it is told to."""

    refused: tuple[type[SchemaChange], ...] = ()
    changes: list[SchemaChange] = attrs.field(factory=list)

    def apply(self, change: SchemaChange) -> None:
        if isinstance(change, self.refused):
            raise SchemaChangeRefusedError("no", where="test")
        self.changes.append(change)


def follow(
    book: SchemaBook,
    found: list[tuple[TableId, TableSchema]],
    tables: Tables,
    behavior: SchemaChangeBehavior = SchemaChangeBehavior.LENIENT,
    rules: Rules | None = None,
) -> SchemaBook:
    return evolved(book, found, rules or Rules(), behavior, tables.apply)


@pytest.mark.parametrize("behavior", BEHAVIORS, ids=lambda one: one.value)
def test_a_new_table_is_created_under_every_behavior(behavior: SchemaChangeBehavior) -> None:
    tables = Tables()
    book = follow(SchemaBook(), [(ORDERS, NARROW)], tables, behavior)
    assert tables.changes == [CreateTable(ORDERS, NARROW)]
    assert book.sources == book.sinks == {ORDERS: NARROW}


@pytest.mark.parametrize(
    "behavior",
    [SchemaChangeBehavior.LENIENT, SchemaChangeBehavior.EVOLVE, SchemaChangeBehavior.TRY_EVOLVE],
    ids=lambda one: one.value,
)
def test_columns_and_types_follow(behavior: SchemaChangeBehavior) -> None:
    tables = Tables()
    book = follow(SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW}), [(ORDERS, WIDE)], tables, behavior)
    assert {type(change) for change in tables.changes} == {AddColumns, AlterColumnTypes}
    assert book.sinks[ORDERS] == book.sources[ORDERS] == WIDE


def test_exception_fails_and_names_table_and_change() -> None:
    book = SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW})
    with pytest.raises(JobError, match=r"shop\.orders.*note STRING"):
        follow(book, [(ORDERS, WIDE)], Tables(), SchemaChangeBehavior.EXCEPTION)


def test_ignore_lets_the_source_widen_and_leaves_the_sink() -> None:
    tables = Tables()
    book = follow(SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW}), [(ORDERS, WIDE)], tables, SchemaChangeBehavior.IGNORE)
    assert (book.sources[ORDERS], book.sinks[ORDERS], tables.changes) == (WIDE, NARROW, [])


def test_try_evolve_takes_what_the_sink_takes() -> None:
    tables = Tables(refused=(AlterColumnTypes,))
    book = follow(
        SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW}), [(ORDERS, WIDE)], tables, SchemaChangeBehavior.TRY_EVOLVE
    )
    assert book.sinks[ORDERS] == TableSchema.of([("id", INT), ("note", STRING)])
    assert book.sources[ORDERS] == WIDE


@pytest.mark.parametrize(
    "behavior", [SchemaChangeBehavior.LENIENT, SchemaChangeBehavior.EVOLVE], ids=lambda one: one.value
)
def test_a_refused_change_fails_otherwise(behavior: SchemaChangeBehavior) -> None:
    book = SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW})
    with pytest.raises(SchemaChangeRefusedError):
        follow(book, [(ORDERS, WIDE)], Tables(refused=(AlterColumnTypes,)), behavior)


def test_a_table_that_cannot_be_created_fails_even_if_changes_may_be_refused() -> None:
    with pytest.raises(SchemaChangeRefusedError):
        follow(SchemaBook(), [(ORDERS, NARROW)], Tables(refused=(CreateTable,)), SchemaChangeBehavior.TRY_EVOLVE)


def test_tables_that_are_routed_into_one_have_their_schemas_merged() -> None:
    rules, tables = Rules({ORDERS: (ALL,), REFUNDS: (ALL,)}), Tables()
    book = follow(SchemaBook(), [(ORDERS, NARROW), (REFUNDS, WIDE)], tables, rules=rules)
    assert book.sinks == {ALL: WIDE}
    assert book.sources == {ORDERS: NARROW, REFUNDS: WIDE}
    assert tables.changes == [CreateTable(ALL, WIDE)]


def test_a_table_with_two_routes_changes_in_both() -> None:
    rules, tables = Rules({ORDERS: (ALL, REFUNDS)}), Tables()
    book = follow(SchemaBook({ORDERS: NARROW}, {ALL: NARROW}), [(ORDERS, NARROW)], tables, rules=rules)
    assert book.sinks == {ALL: NARROW, REFUNDS: NARROW}
    assert tables.changes == [CreateTable(REFUNDS, NARROW)]


def test_a_table_without_a_route_changes_nothing_in_the_sink() -> None:
    tables = Tables()
    book = follow(SchemaBook(), [(ORDERS, NARROW)], tables, rules=Rules({ORDERS: ()}))
    assert (book.sources, book.sinks, tables.changes) == ({ORDERS: NARROW}, {}, [])


def test_excluded_changes_are_not_sent_and_rows_keep_to_the_table() -> None:
    tables = Tables()
    book = follow(
        SchemaBook({ORDERS: NARROW}, {ORDERS: NARROW}), [(ORDERS, WIDE)], tables, rules=Rules(silent=(AddColumns,))
    )
    assert book.sinks[ORDERS] == TableSchema.of([("id", BIGINT)])


def test_an_excluded_table_is_taken_to_exist() -> None:
    tables = Tables()
    book = follow(SchemaBook(), [(ORDERS, NARROW)], tables, rules=Rules(silent=(CreateTable,)))
    assert (book.sinks, tables.changes) == ({ORDERS: NARROW}, [])


def test_nothing_new_changes_nothing() -> None:
    tables = Tables()
    book = SchemaBook({ORDERS: WIDE}, {ORDERS: WIDE})
    assert follow(book, [(ORDERS, NARROW)], tables) == book
    assert tables.changes == []


def test_a_book_of_another_version_is_refused() -> None:
    record = {**SchemaBook().record(), "format": 2}
    with pytest.raises(DefinitionError, match="format 2"):
        SchemaBook.of_record(record, "here")


def test_a_damaged_book_is_told() -> None:
    with pytest.raises(DefinitionError, match="cannot be read"):
        SchemaBook.of_record({"format": 1}, "here")


def test_more_tables_than_anybody_means_are_told() -> None:
    found = [(TableId.parse(f"shop.t{number}"), NARROW) for number in range(MOST_TABLES + 1)]
    with pytest.raises(JobError, match="more than 10,000 tables"):
        follow(SchemaBook(), found, Tables())


def test_a_table_keeps_its_primary_key() -> None:
    keyed = TableSchema.of([("id", INT)], ["id"])
    with pytest.raises(DefinitionError, match=r"primary key of table shop\.orders was id, and would become none"):
        follow(SchemaBook({ORDERS: NARROW}, {ORDERS: keyed}), [(ORDERS, NARROW)], Tables())


def test_a_given_key_other_than_the_kept_one_is_refused() -> None:
    kept, other = TableSchema.of([("id", INT)], ("id",)), TableSchema.of([("id", INT), ("no", INT)], ("no",))
    assert known_schemas(SchemaBook({ORDERS: kept}), {ORDERS: kept}, ()) == [(ORDERS, kept)]
    with pytest.raises(DefinitionError, match=r"the primary key of table shop\.orders was id, and would become no"):
        known_schemas(SchemaBook({ORDERS: kept}), {ORDERS: other}, ())


def test_key_that_create_table_no_longer_declares_is_kept_and_told(caplog: pytest.LogCaptureFixture) -> None:
    kept = TableSchema.of([("id", INT)], ("id",))
    assert known_schemas(SchemaBook({ORDERS: kept}), {ORDERS: NARROW}, ()) == [(ORDERS, kept)]
    assert "table shop.orders keeps its primary key id, though its CREATE TABLE has none" in caplog.text


@pytest.mark.parametrize(
    ("created", "told"),
    [
        (
            attrs.evolve(NARROW, partition_key=("id",)),
            r"partition key of table shop\.orders was id, and would become none",
        ),
        (
            attrs.evolve(NARROW, options={"delta.x": "s3cret"}),
            r"table shop\.orders was created with other options: delta\.x",
        ),
    ],
    ids=["partition-key", "options"],
)
def test_table_keeps_what_it_was_created_with(created: TableSchema, told: str) -> None:
    with pytest.raises(DefinitionError, match=told) as raised:
        follow(SchemaBook({ORDERS: NARROW}, {ORDERS: created}), [(ORDERS, NARROW)], Tables())
    assert "s3cret" not in str(raised.value)
    assert (
        follow(SchemaBook({ORDERS: created}, {ORDERS: created}), [(ORDERS, created)], Tables()).sinks[ORDERS] == created
    )


@pytest.mark.parametrize("key", [("no",), ()])
def test_tables_with_different_keys_do_not_become_one(key: tuple[str, ...]) -> None:
    orders = TableSchema.of([("id", INT), ("no", INT)], ("id",))
    refunds = TableSchema.of([("id", INT), ("no", INT)], key)
    rules, tables = Rules({ORDERS: (ALL,), REFUNDS: (ALL,)}), Tables()
    book = follow(SchemaBook(), [(ORDERS, orders)], tables, rules=rules)
    with pytest.raises(
        DefinitionError, match=r"shop\.orders and shop\.refunds .* keys differ: id; (no|none)"
    ) as raised:
        follow(book, [(REFUNDS, refunds)], tables, rules=rules)
    assert raised.value.where == "route, sink-table ods.all"


def test_tables_with_one_key_in_another_order_become_one() -> None:
    orders = TableSchema.of([("id", INT), ("no", INT)], ("id", "no"))
    refunds = TableSchema.of([("id", INT), ("no", INT)], ("no", "id"))
    rules = Rules({ORDERS: (ALL,), REFUNDS: (ALL,)})
    book = follow(SchemaBook(), [(ORDERS, orders), (REFUNDS, refunds)], Tables(), rules=rules)
    assert book.sinks[ALL].primary_key == ("id", "no")
