"""Statements that change what a session has: they declare and drop tables, views, databases and catalogs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.sql.connectors import check_partitions
from kafkastream.sql.kafka_catalog.catalog import KafkaJsonCatalog
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.syntax.kinds import ObjectKind
from kafkastream.sql.syntax.like import liked
from kafkastream.sql.syntax.statements import (
    AddJar,
    CreateCatalog,
    CreateDatabase,
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
    Statement,
    Use,
    UseCatalog,
)
from kafkastream.sql.table import TableDefinition
from kafkastream.table.functions import created_function, drop_function
from kafkastream.table.planning import Planner
from kafkastream.table.topics import connected

__all__ = ["carry_out"]

log = logging.getLogger("kafkastream")


def carry_out(statement: Statement, planner: Planner) -> None:
    """Carry out a statement that has nothing to tell.

    Raises:
        DefinitionError: It is wrong.
        UnsupportedFeatureError: It asks for what is not to be had.
    """
    carried_out = _STATEMENTS.get(type(statement))
    if carried_out is None:
        raise UnsupportedFeatureError(
            f"{type(statement).__name__} cannot be carried out", where=str(statement.position), now="Leave it out."
        )
    carried_out(statement, planner)


def _create_table(statement: CreateTable, planner: Planner) -> None:
    definition = statement.definition
    if statement.like is not None:
        base = planner.catalog.get(statement.like.table, str(statement.like.position))
        if not isinstance(base, TableDefinition):
            raise DefinitionError(
                f"'{'.'.join(statement.like.table)}' is a view, and LIKE takes over tables",
                where=str(statement.like.position),
                now="Name a table.",
            )
        definition = liked(definition, statement.like, base)
    check_partitions(definition, f"table {definition.identifier}, {statement.position}")
    named = attrs.evolve(definition, name=planner.catalog.path(definition.name))
    _keep(statement, definition.name, named, planner)


def _create_view(statement: CreateView, planner: Planner) -> None:
    relation = planner.query(statement.query)
    if statement.columns and len(statement.columns) != len(relation.fields):
        raise DefinitionError(
            f"VIEW definition and input fields not match: the view has {len(statement.columns)} columns, and the query "
            f"{len(relation.fields)}",
            where=str(statement.position),
            now="Name as many columns as the query gives.",
        )
    query = attrs.evolve(statement.query, space=planner.catalog.current)
    _keep(statement, statement.name, View(query, statement.columns), planner)


def _keep(
    statement: CreateTable | CreateView, name: tuple[str, ...], thing: TableDefinition | View, planner: Planner
) -> None:
    planner.catalog.create(
        name, thing, str(statement.position), temporary=statement.temporary, if_not_exists=statement.if_not_exists
    )


def _drop(statement: Drop, planner: Planner) -> None:
    catalog, where = planner.catalog, str(statement.position)
    match statement.kind:
        case ObjectKind.TABLE | ObjectKind.VIEW:
            kind = TableDefinition if statement.kind is ObjectKind.TABLE else View
            catalog.drop(statement.name, kind, where, temporary=statement.temporary, if_exists=statement.if_exists)
        case ObjectKind.DATABASE:
            catalog.drop_database(statement.name, where, if_exists=statement.if_exists, cascade=statement.cascade)
        case ObjectKind.CATALOG:
            catalog.drop_catalog(statement.name[-1], where, if_exists=statement.if_exists)
        case ObjectKind.FUNCTION:
            drop_function(statement, planner)


def _create_database(statement: CreateDatabase, planner: Planner) -> None:
    planner.catalog.create_database(statement.name, str(statement.position), if_not_exists=statement.if_not_exists)


def _use(statement: Use, planner: Planner) -> None:
    planner.catalog.use(statement.database, str(statement.position))


def _use_catalog(statement: UseCatalog, planner: Planner) -> None:
    planner.catalog.use_catalog(statement.catalog, str(statement.position))


def _add_jar(statement: AddJar, _: Planner) -> None:
    log.info("ADD JAR %r has no effect: nothing here is loaded from Flink's jars", statement.path)


def _create_catalog(statement: CreateCatalog, planner: Planner) -> None:
    catalog = KafkaJsonCatalog(statement, connected)
    planner.catalog.add_catalog(catalog, str(statement.position), if_not_exists=statement.if_not_exists)


_STATEMENTS: Final[Mapping[type[Any], Callable[[Any, Planner], None]]] = {
    AddJar: _add_jar,
    CreateCatalog: _create_catalog,
    CreateDatabase: _create_database,
    CreateFunction: created_function,
    CreateTable: _create_table,
    CreateView: _create_view,
    Drop: _drop,
    Use: _use,
    UseCatalog: _use_catalog,
}
