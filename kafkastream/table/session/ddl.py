"""Execution of DDL: statements that create and drop tables, views, databases, catalogs and functions, and ``USE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.options.job import JARS
from kafkastream.sql.connectors import check_partitions
from kafkastream.sql.kafka_catalog.catalog import KafkaJsonCatalog, Topics
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
from kafkastream.table.session.function_registration import created_function, drop_function
from kafkastream.table.session.session_planner import SessionPlanner

__all__ = ["execute_ddl"]


def execute_ddl(statement: Statement, planner: SessionPlanner) -> None:
    """Execute a statement that returns no rows and starts no job.

    Raises:
        DefinitionError: The statement is invalid.
        UnsupportedFeatureError: The statement is not supported.
    """
    carried_out = _STATEMENTS.get(type(statement))
    if carried_out is None:
        raise UnsupportedFeatureError(
            f"{type(statement).__name__} is not supported", where=str(statement.position), now="Leave it out."
        )
    carried_out(statement, planner)


def _create_table(statement: CreateTable, planner: SessionPlanner) -> None:
    definition = statement.definition
    if statement.like is not None:
        base = planner.catalog.get(statement.like.table, str(statement.like.position))
        if not isinstance(base, TableDefinition):
            raise DefinitionError(
                f"'{'.'.join(statement.like.table)}' is a view, and LIKE copies tables only",
                where=str(statement.like.position),
                now="Name a table.",
            )
        definition = liked(definition, statement.like, base)
    check_partitions(definition, f"table {definition.identifier}, {statement.position}")
    named = attrs.evolve(definition, name=planner.catalog.path(definition.name))
    _keep(statement, definition.name, named, planner)


def _create_view(statement: CreateView, planner: SessionPlanner) -> None:
    relation = planner.query(statement.query, is_view=True)
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
    statement: CreateTable | CreateView, name: tuple[str, ...], thing: TableDefinition | View, planner: SessionPlanner
) -> None:
    planner.catalog.create(
        name, thing, str(statement.position), temporary=statement.temporary, if_not_exists=statement.if_not_exists
    )


def _drop(statement: Drop, planner: SessionPlanner) -> None:
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


def _create_database(statement: CreateDatabase, planner: SessionPlanner) -> None:
    planner.catalog.create_database(statement.name, str(statement.position), if_not_exists=statement.if_not_exists)


def _use(statement: Use, planner: SessionPlanner) -> None:
    planner.catalog.use(statement.database, str(statement.position))


def _use_catalog(statement: UseCatalog, planner: SessionPlanner) -> None:
    planner.catalog.use_catalog(statement.catalog, str(statement.position))


def _add_jar(statement: AddJar, planner: SessionPlanner) -> None:
    """Add a jar to the session's, of which the start of each job warns: connectors and formats need no Flink jars."""
    configuration = planner.config.get_configuration()
    configuration.set(JARS, ";".join((*configuration.get(JARS), statement.path)))


def _cluster_topics(properties: Mapping[str, str]) -> Topics:
    """Return the topics of a cluster; imports the Kafka client only when a Kafka catalog is created."""
    from kafkastream.kafka.topics import ClusterTopics

    return ClusterTopics(properties)


def _create_catalog(statement: CreateCatalog, planner: SessionPlanner) -> None:
    catalog = KafkaJsonCatalog(statement, _cluster_topics)
    planner.catalog.add_catalog(catalog, str(statement.position), if_not_exists=statement.if_not_exists)


_STATEMENTS: Final[Mapping[type[Any], Callable[[Any, SessionPlanner], None]]] = {
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
