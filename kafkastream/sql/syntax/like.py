"""CREATE TABLE ... LIKE: merges a table with its base."""

from __future__ import annotations

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.checks import problems
from kafkastream.sql.syntax.kinds import FeatureOption, MergingStrategy
from kafkastream.sql.syntax.statements import LikeClause
from kafkastream.sql.table import Column, ComputedColumn, MetadataColumn, TableDefinition, TableSchema, Watermark

__all__ = ["liked"]

_GENERATED = {ComputedColumn: FeatureOption.GENERATED, MetadataColumn: FeatureOption.METADATA}


def liked(definition: TableDefinition, like: LikeClause, of: TableDefinition) -> TableDefinition:
    """Return a table merged with the base of its LIKE clause.

    Flink's rules apply: the base's columns come first; everything is included, and options are overwritten, unless the
    clause says otherwise; a physical column is never overwritten, a computed or metadata column only by one of the same
    kind. The distribution is not part of a definition, since no connector here has one. The comment is not copied.

    Args:
        definition: Table as its statement declares it.
        like: LIKE clause.
        of: Base table.

    Raises:
        DefinitionError: Both tables have a part that may exist only once, or the key or watermark refers to a column
            that neither has.
    """
    schema = TableSchema(
        _columns(definition.schema, like, of.schema),
        _watermark(definition.schema, like, of.schema),
        _key(definition.schema, like, of.schema),
    )
    for problem in problems(schema):
        raise _error(like, *problem)
    return attrs.evolve(
        definition,
        schema=schema,
        options=_options(definition, like, of),
        positions={**of.positions, **definition.positions},
        partitioned_by=_partitions(definition, like, of),
    )


def _columns(own: TableSchema, like: LikeClause, base: TableSchema) -> tuple[Column, ...]:
    columns = {column.name: column for column in base.columns if not _is_excluded(column, like)}
    for column in own.columns:
        if column.name in columns:
            _check_overwriting(column, columns[column.name], like)
        columns[column.name] = column
    return tuple(columns.values())


def _is_excluded(column: Column, like: LikeClause) -> bool:
    feature = _GENERATED.get(type(column))
    return feature is not None and like.strategy(feature) is MergingStrategy.EXCLUDING


def _check_overwriting(column: Column, of: Column, like: LikeClause) -> None:
    feature = _GENERATED.get(type(column))
    if feature is None or type(column) is not type(of):
        what = f"A column named '{column.name}' already exists in the base table."
        raise _error(
            like, what, "Give it another name: only computed and metadata columns overwrite, and each only its like."
        )
    if like.strategy(feature) is not MergingStrategy.OVERWRITING:
        kind = "computed" if feature is FeatureOption.GENERATED else "metadata"
        raise _clash(like, f"a {kind} column named '{column.name}'", feature)


def _watermark(own: TableSchema, like: LikeClause, base: TableSchema) -> Watermark | None:
    strategy = like.strategy(FeatureOption.WATERMARKS)
    if base.watermark is None or strategy is MergingStrategy.EXCLUDING:
        return own.watermark
    if own.watermark is None:
        return base.watermark
    if own.watermark.path != base.watermark.path:
        what = f"The base table has a watermark for column '{'.'.join(base.watermark.path)}', and a table has only one."
        raise _error(like, what, "Specify EXCLUDING WATERMARKS.")
    if strategy is not MergingStrategy.OVERWRITING:
        raise _clash(like, f"a watermark for column '{'.'.join(own.watermark.path)}'", FeatureOption.WATERMARKS)
    return own.watermark


def _key(own: TableSchema, like: LikeClause, base: TableSchema) -> tuple[str, ...]:
    return _either(own.primary_key, base.primary_key, like, FeatureOption.CONSTRAINTS, "a primary key")


def _partitions(own: TableDefinition, like: LikeClause, base: TableDefinition) -> tuple[str, ...]:
    return _either(own.partitioned_by, base.partitioned_by, like, FeatureOption.PARTITIONS, "partitions defined")


def _either(
    own: tuple[str, ...], base: tuple[str, ...], like: LikeClause, feature: FeatureOption, what: str
) -> tuple[str, ...]:
    """The columns of the one table that has any; those of the base only if the feature is included."""
    if not base or like.strategy(feature) is MergingStrategy.EXCLUDING:
        return own
    if own:
        raise _error(like, f"The base table already has {what}.", f"Specify EXCLUDING {feature.value}.")
    return base


def _options(own: TableDefinition, like: LikeClause, base: TableDefinition) -> FrozenMap[str, str]:
    strategy = like.strategy(FeatureOption.OPTIONS)
    if strategy is MergingStrategy.EXCLUDING:
        return own.options
    both = sorted(base.options.keys() & own.options.keys())
    if both and strategy is MergingStrategy.INCLUDING:
        raise _clash(like, f"the option '{both[0]}'", FeatureOption.OPTIONS)
    return base.options | own.options


def _clash(like: LikeClause, what: str, feature: FeatureOption) -> DefinitionError:
    now = f"Specify EXCLUDING {feature.value} or OVERWRITING {feature.value}."
    return _error(like, f"The base table already has {what}.", now)


def _error(like: LikeClause, what: str, now: str) -> DefinitionError:
    return DefinitionError(what, where=f"LIKE {'.'.join(like.table)}, {like.position}", now=now)
