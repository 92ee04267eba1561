"""Execution of ``DESCRIBE`` and ``SHOW``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.secret_masking import masked_statement
from kafkastream.sql.catalog import SessionCatalog
from kafkastream.sql.plan.functions import NAMES
from kafkastream.sql.plan.planning_catalog import View
from kafkastream.sql.planner.computed_columns import compile_columns
from kafkastream.sql.syntax.kinds import ObjectKind, Shown
from kafkastream.sql.syntax.statements import Describe, NamePattern, Show
from kafkastream.sql.table import ComputedColumn, MetadataColumn, PhysicalColumn, TableDefinition
from kafkastream.sql.types import DataType, Kind
from kafkastream.table.session.ddl_text import create_catalog_text, create_table_text
from kafkastream.table.session.session_planner import SessionPlanner
from kafkastream.table.table_result import TableResult

__all__ = ["describe_result", "functions", "show_result"]

_STRING: Final = DataType.string()
_DESCRIBED: Final = (
    ("name", _STRING),
    ("type", _STRING),
    ("null", DataType.of(Kind.BOOLEAN)),
    ("key", _STRING),
    ("extras", _STRING),
    ("watermark", _STRING),
)


def describe_result(statement: Describe, planner: SessionPlanner) -> TableResult:
    """Return the result of ``DESCRIBE``.

    Raises:
        DefinitionError: No table, view, function or catalog has this name.
    """
    if statement.kind not in {ObjectKind.TABLE, ObjectKind.VIEW}:
        return TableResult([("name", _STRING)], [Row(".".join(statement.name))])
    found = planner.catalog.get(statement.name, str(statement.position))
    rows = _of_view(found, planner) if isinstance(found, View) else _of_table(found, planner)
    return TableResult(_DESCRIBED, rows)


def _of_view(view: View, planner: SessionPlanner) -> list[Row]:
    fields = planner.query(view.query, is_view=True).fields
    names = view.columns or tuple(field.name for field in fields)
    return [
        Row(name, str(field.type.nullable()), field.type.is_nullable, None, None, None)
        for name, field in zip(names, fields, strict=True)
    ]


def _of_table(table: TableDefinition, planner: SessionPlanner) -> list[Row]:
    schema, fields = table.schema, compile_columns(table, planner).fields
    key = f"PRI({', '.join(schema.primary_key)})"
    watermark = schema.watermark
    rows = []
    for column, field in zip(schema.columns, fields, strict=True):
        is_time = watermark is not None and watermark.path == (column.name,)
        rows.append(
            Row(
                column.name,
                f"{field.type.nullable()}{' *ROWTIME*' if is_time else ''}",
                field.type.is_nullable,
                key if column.name in schema.primary_key else None,
                _extras(column),
                watermark.expression.text if watermark is not None and is_time else None,
            )
        )
    return rows


def _extras(column: PhysicalColumn | MetadataColumn | ComputedColumn) -> str | None:
    match column:
        case ComputedColumn():
            return f"AS {column.expression.text}"
        case MetadataColumn():
            key = f" FROM '{column.key}'" if column.key != column.name else ""
            return f"METADATA{key}{' VIRTUAL' if column.is_virtual else ''}"
        case _:
            return None


def show_result(statement: Show, planner: SessionPlanner) -> TableResult:
    """Return the result of ``SHOW``.

    Raises:
        DefinitionError: The object that the statement names does not exist.
    """
    match statement.what:
        case Shown.COLUMNS:
            return describe_result(Describe(ObjectKind.TABLE, statement.of, position=statement.position), planner)
        case Shown.FUNCTIONS | Shown.USER_FUNCTIONS:
            return _names("function name", functions(statement.what, planner), statement.pattern)
        case Shown.CREATE_TABLE | Shown.CREATE_VIEW:
            return TableResult(rows=[Row(_created(statement, planner.catalog))])
        case Shown.CREATE_CATALOG:
            catalog = planner.catalog.catalog(statement.of[-1], str(statement.position))
            return TableResult(rows=[Row(create_catalog_text(catalog.statement))])
        case what:
            header, names = _NAMES[what]
            return _names(header, names(planner.catalog), statement.pattern)


def functions(what: Shown, planner: SessionPlanner) -> list[str]:
    """Return the names of all functions, or of user-defined ones."""
    own = planner.functions.names(planner.catalog.current)
    return own if what is Shown.USER_FUNCTIONS else sorted({*own, *map(str.lower, NAMES)})


def _created(statement: Show, catalog: SessionCatalog) -> str:
    found, where = catalog.get(statement.of, str(statement.position)), str(statement.position)
    if statement.what is Shown.CREATE_TABLE:
        if isinstance(found, View):
            raise DefinitionError("SHOW CREATE TABLE is for tables", where=where, now="SHOW CREATE VIEW")
        return create_table_text(found)
    if not isinstance(found, View):
        raise DefinitionError("SHOW CREATE VIEW is for views", where=where, now="SHOW CREATE TABLE")
    return f"CREATE VIEW {'.'.join(f'`{part}`' for part in catalog.path(statement.of))} AS {masked_statement(found.query.text)}"


_NAMES: Final[Mapping[Shown, tuple[str, Callable[[SessionCatalog], Iterable[str]]]]] = {
    Shown.TABLES: ("table name", SessionCatalog.names),
    Shown.VIEWS: ("view name", lambda catalog: catalog.names(View)),
    Shown.CATALOGS: ("catalog name", lambda catalog: catalog.catalogs),
    Shown.DATABASES: ("database name", lambda catalog: catalog.databases),
    Shown.CURRENT_CATALOG: ("current catalog name", lambda catalog: catalog.current[:1]),
    Shown.CURRENT_DATABASE: ("current database name", lambda catalog: catalog.current[1:]),
    Shown.JARS: ("jars", lambda _: ()),
}


def _names(header: str, names: Iterable[str], pattern: NamePattern | None) -> TableResult:
    rows = [Row(name) for name in names if pattern is None or _matches(name, pattern)]
    return TableResult([(header, _STRING)], rows)


def _matches(name: str, pattern: NamePattern) -> bool:
    """Return whether a name matches a LIKE pattern: ``%`` is any text, ``_`` any character."""
    expression = "".join(".*" if one == "%" else "." if one == "_" else re.escape(one) for one in pattern.text)
    found = re.fullmatch(expression, name, re.IGNORECASE if pattern.any_case else 0) is not None
    return found is not pattern.negated
