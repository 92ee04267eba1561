"""Statements of Flink SQL as frozen values; queries and expressions stay text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import redacted
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
"""A name, preceded by catalog and database if given."""


@attrs.frozen(kw_only=True)
class _Placed:
    """Base of values with a position in the SQL text, which equality ignores."""

    position: Position = attrs.field(default=Position(), eq=False)


@final
@attrs.frozen(kw_only=True)
class Distribution:
    """``DISTRIBUTED BY HASH(a, b) INTO 4 BUCKETS``; algorithm, columns and number are optional."""

    algorithm: str = ""
    columns: tuple[str, ...] = ()
    buckets: int | None = None


@final
@attrs.frozen
class LikeClause(_Placed):
    """``LIKE base (OVERWRITING OPTIONS ...)``.

    Args:
        table: Base table.
        strategies: Merging strategies in the clause.
    """

    table: Path
    strategies: FrozenMap[FeatureOption, MergingStrategy] = attrs.field(default=FrozenMap())

    def strategy(self, feature: FeatureOption) -> MergingStrategy:
        """Return the merging strategy of a part: its own one, else that of ALL, else INCLUDING (options: OVERWRITING).

        Example:
            >>> LikeClause(("base",)).strategy(FeatureOption.OPTIONS).name
            'OVERWRITING'
        """
        default = MergingStrategy.OVERWRITING if feature is FeatureOption.OPTIONS else MergingStrategy.INCLUDING
        return self.strategies.get(feature, self.strategies.get(FeatureOption.ALL, default))


@final
@attrs.frozen
class AsTable:
    """``AS TABLE source ADD COLUMN c AS expression, ...``: copies columns and rows of another table, and adds columns.

    Args:
        source: The other table.
        columns: Added columns.
        options: Options of the source's hint, merged over its own.
    """

    source: Path
    columns: tuple[ComputedColumn, ...] = ()
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen(kw_only=True)
class CreateTable(_Placed):
    """``CREATE TABLE``.

    Args:
        definition: Declared part of the table: with ``like``, the base's parts must be merged in
            (:func:`~kafkastream.sql.syntax.like.liked`), with ``query`` or ``as_table`` their columns.
        if_not_exists: Whether an existing table of this name is accepted.
        temporary: Whether the table is temporary.
        distribution: ``DISTRIBUTED`` clause.
        like: ``LIKE`` clause.
        query: Query of ``AS``, whose rows are written to the table.
        as_table: Table of ``AS TABLE``, whose rows are written to the table.
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
    """``CREATE VIEW``; columns are empty if the query names them."""

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
        """Return the subject of errors about options: the catalog."""
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
    """``[NOT] LIKE 'a%'``, or ``ILIKE``, which ignores case."""

    text: str
    negated: bool = attrs.field(default=False, kw_only=True)
    any_case: bool = attrs.field(default=False, kw_only=True)


@final
@attrs.frozen
class Show(_Placed):
    """``SHOW``, perhaps of a database, a table or a catalog."""

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
    """``SET 'key' = 'value'``; without a pair, ``SET`` alone lists the settings."""

    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen
class Reset(_Placed):
    """``RESET 'key'``; without a key, all settings are reset."""

    key: str = ""


@final
@attrs.frozen
class AddJar(_Placed):
    """``ADD JAR 'path'``, which has no effect: no JVM loads classes of jobs."""

    path: str


@final
@attrs.frozen
class Query(_Placed):
    """A query as a statement."""

    query: Expression


@final
@attrs.frozen(kw_only=True)
class Insert(_Placed):
    """``INSERT INTO``.

    Args:
        target: Table to write to.
        query: Query, or ``VALUES``.
        columns: Names of the written columns; empty for all, in their order.
        options: Options of the target's hint, merged over its own.
    """

    target: Path
    query: Expression
    columns: tuple[str, ...] = ()
    options: FrozenMap[str, str] = attrs.field(default=FrozenMap(), repr=redacted)


@final
@attrs.frozen
class StatementSet(_Placed):
    """``EXECUTE STATEMENT SET BEGIN ... END``: statements that run as one job."""

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
