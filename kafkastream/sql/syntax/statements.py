"""Statements of Flink SQL as frozen values; queries and expressions stay text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from kafkastream.model.common.immutable import FrozenMap, redacted
from kafkastream.sql.syntax.kinds import ExplainDetail, FeatureOption, MergingStrategy, ObjectKind, Shown
from kafkastream.sql.table import ComputedColumn, Expression, Position, TableDefinition

__all__ = [
    "AddJar",
    "AsTable",
    "CreateCatalog",
    "CreateDatabase",
    "CreateFunction",
    "CreateTable",
    "CreateView",
    "Describe",
    "Distribution",
    "Drop",
    "Explain",
    "Insert",
    "LikeClause",
    "NamePattern",
    "Query",
    "Reset",
    "Set",
    "Show",
    "Statement",
    "StatementSet",
    "Use",
    "UseCatalog",
]

Path = tuple[str, ...]
"""A name, with its catalog and database in front where they are given."""


@attrs.frozen(kw_only=True)
class _Placed:
    """Base of values with a position in the SQL text, which equality ignores."""

    position: Position = attrs.field(default=Position(), eq=False)


@final
@attrs.frozen(kw_only=True)
class Distribution:
    """``DISTRIBUTED BY HASH(a, b) INTO 4 BUCKETS``: no algorithm, columns or number where none is given."""

    algorithm: str = ""
    columns: tuple[str, ...] = ()
    buckets: int | None = None


@final
@attrs.frozen
class LikeClause(_Placed):
    """``LIKE base (OVERWRITING OPTIONS ...)``.

    Args:
        table: The base table.
        strategies: The merging strategies that were written.
    """

    table: Path
    strategies: FrozenMap[FeatureOption, MergingStrategy] = attrs.field(default=FrozenMap())

    def strategy(self, feature: FeatureOption) -> MergingStrategy:
        """Merging strategy of a part: as written for it, else as written for ALL, else INCLUDING (options: OVERWRITING).

        Example:
            >>> LikeClause(("base",)).strategy(FeatureOption.OPTIONS).name
            'OVERWRITING'
        """
        default = MergingStrategy.OVERWRITING if feature is FeatureOption.OPTIONS else MergingStrategy.INCLUDING
        return self.strategies.get(feature, self.strategies.get(FeatureOption.ALL, default))


@final
@attrs.frozen
class AsTable:
    """``AS TABLE source ADD COLUMN c AS expression, ...``: a table with another one's columns and rows, and more columns.

    Args:
        source: The other table.
        columns: The columns that are added.
        options: The source's hint, merged over its options.
    """

    source: Path
    columns: tuple[ComputedColumn, ...] = ()
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen(kw_only=True)
class CreateTable(_Placed):
    """``CREATE TABLE``.

    Args:
        definition: The table as far as this statement says it: with ``like`` the base's parts are to be merged in
            (:func:`~kafkastream.sql.syntax.like.liked`), with ``query`` or ``as_table`` their columns.
        if_not_exists: Whether a table of this name may be there.
        temporary: Whether it ends with the session.
        distribution: That of ``DISTRIBUTED``.
        like: The base table.
        query: The query of ``AS``, whose rows are written to the table.
        as_table: The table whose rows are written to the table.
    """

    definition: TableDefinition
    if_not_exists: bool = False
    temporary: bool = False
    distribution: Distribution | None = None
    like: LikeClause | None = None
    query: Expression | None = None
    as_table: AsTable | None = None


@final
@attrs.frozen(kw_only=True)
class CreateView(_Placed):
    """``CREATE VIEW``; no columns when the query names them."""

    name: Path
    query: Expression
    columns: tuple[str, ...] = ()
    comment: str = ""
    if_not_exists: bool = False
    temporary: bool = False


@attrs.frozen(kw_only=True)
class _CreateSpace(_Placed):
    name: Path
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)
    comment: str = ""
    if_not_exists: bool = False
    positions: Mapping[str, Position] = attrs.field(default=FrozenMap(), eq=False, repr=False)


@final
@attrs.frozen(kw_only=True)
class CreateCatalog(_CreateSpace):
    """``CREATE CATALOG``; its name has one part."""

    @property
    def subject(self) -> str:
        """Subject of errors about the options: the catalog."""
        return f"catalog {self.name[-1]}"


@final
@attrs.frozen(kw_only=True)
class CreateDatabase(_CreateSpace):
    """``CREATE DATABASE``."""


@final
@attrs.frozen(kw_only=True)
class CreateFunction(_Placed):
    """``CREATE FUNCTION name AS 'module.function' LANGUAGE PYTHON``."""

    name: Path
    function: str
    if_not_exists: bool = False
    temporary: bool = False
    system: bool = False


@final
@attrs.frozen(kw_only=True)
class Drop(_Placed):
    """``DROP TABLE``, ``VIEW``, ``CATALOG``, ``DATABASE`` or ``FUNCTION``; ``cascade`` is for databases, ``system`` for functions."""

    kind: ObjectKind
    name: Path
    if_exists: bool = False
    temporary: bool = False
    system: bool = False
    cascade: bool = False


@final
@attrs.frozen
class NamePattern:
    """``[NOT] LIKE 'a%'``, or ``ILIKE``, which takes small and capital letters as the same."""

    text: str
    negated: bool = attrs.field(default=False, kw_only=True)
    any_case: bool = attrs.field(default=False, kw_only=True)


@final
@attrs.frozen
class Show(_Placed):
    """``SHOW``: of a database, a table or a catalog, if it names one."""

    what: Shown
    of: Path = ()
    pattern: NamePattern | None = None


@final
@attrs.frozen
class Describe(_Placed):
    """``DESCRIBE``; views are described as tables."""

    kind: ObjectKind
    name: Path
    extended: bool = False


@final
@attrs.frozen
class Use(_Placed):
    """``USE database``."""

    database: Path


@final
@attrs.frozen
class UseCatalog(_Placed):
    """``USE CATALOG name``."""

    catalog: str


@final
@attrs.frozen
class Set(_Placed):
    """``SET 'key' = 'value'``: one pair; none when ``SET`` alone asks for the settings."""

    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen
class Reset(_Placed):
    """``RESET 'key'``; no key when all settings go back to their defaults."""

    key: str = ""


@final
@attrs.frozen
class AddJar(_Placed):
    """``ADD JAR 'path'``, which has no effect here: nothing runs in a JVM that would load it."""

    path: str


@final
@attrs.frozen
class Query(_Placed):
    """A query of its own."""

    query: Expression


@final
@attrs.frozen(kw_only=True)
class Insert(_Placed):
    """``INSERT INTO``.

    Args:
        target: The table.
        query: What is written, also ``VALUES``.
        columns: Which columns are given; none for all of them, in their order.
        options: The target's hint, merged over its options.
    """

    target: Path
    query: Expression
    columns: tuple[str, ...] = ()
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen
class StatementSet(_Placed):
    """``EXECUTE STATEMENT SET BEGIN ... END``: what starts and stops together."""

    statements: tuple[Insert | CreateTable, ...]


@final
@attrs.frozen
class Explain(_Placed):
    """``EXPLAIN``."""

    statement: Query | Insert | StatementSet | CreateTable
    details: tuple[ExplainDetail, ...] = ()


_Definition = CreateTable | CreateView | CreateCatalog | CreateDatabase | CreateFunction | Drop
_Question = Query | Show | Describe | Explain
Statement = _Definition | _Question | Insert | StatementSet | Use | UseCatalog | Set | Reset | AddJar
