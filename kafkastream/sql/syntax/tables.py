"""CREATE TABLE, with its LIKE and AS clauses."""

from __future__ import annotations

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.sql.syntax.columns import TableElements, comment, computed_column
from kafkastream.sql.syntax.cursor import Cursor, is_word
from kafkastream.sql.syntax.expressions import hinted_options, options, query
from kafkastream.sql.syntax.kinds import FeatureOption, MergingStrategy
from kafkastream.sql.syntax.statements import AsTable, CreateTable, Distribution, LikeClause
from kafkastream.sql.syntax.tokens import Token
from kafkastream.sql.table import TableDefinition

__all__ = ["create_table"]

_NEVER_OVERWRITTEN = {
    FeatureOption.ALL,
    FeatureOption.CONSTRAINTS,
    FeatureOption.DISTRIBUTION,
    FeatureOption.PARTITIONS,
}


def create_table(cursor: Cursor, start: Token, *, temporary: bool) -> CreateTable:
    """Read the rest of a ``CREATE TABLE`` statement."""
    if_not_exists = cursor.take("IF", "NOT", "EXISTS")
    name = cursor.path()
    elements = TableElements(cursor)
    if cursor.sees("("):
        cursor.listed(elements.read)
    described = comment(cursor)
    distribution = _distribution(cursor)
    partitioned_by = cursor.listed(cursor.name) if cursor.take("PARTITIONED", "BY") else ()
    if is_word(cursor.token, "USING"):
        raise cursor.refused(cursor.token, "USING CONNECTION is not supported.", "Give its options in the WITH clause.")
    given, positions = options(cursor) if cursor.take("WITH") else (FrozenMap(), FrozenMap())
    like = _like(cursor)
    is_filled = like is None and cursor.take("AS")
    if is_filled and temporary:
        what = "CREATE TABLE AS SELECT syntax does not support to create temporary table yet."
        raise cursor.error(start, what, "Leave TEMPORARY out, or create the table and INSERT INTO it.")
    as_table = _as_table(cursor) if is_filled and cursor.take("TABLE") else None
    return CreateTable(
        definition=TableDefinition(
            name,
            elements.schema(complete=like is None and not is_filled),
            given,
            described,
            positions,
            partitioned_by=partitioned_by,
        ),
        if_not_exists=if_not_exists,
        temporary=temporary,
        distribution=distribution,
        like=like,
        query=query(cursor) if is_filled and as_table is None else None,
        as_table=as_table,
        position=start.position,
    )


def _distribution(cursor: Cursor) -> Distribution | None:
    if not cursor.take("DISTRIBUTED"):
        return None
    if cursor.take("INTO"):
        return Distribution(buckets=_buckets(cursor))
    cursor.expect("BY")
    algorithm = next((word for word in ("HASH", "RANGE") if cursor.take(word)), "")
    columns = cursor.listed(cursor.name)
    return Distribution(algorithm=algorithm, columns=columns, buckets=_buckets(cursor) if cursor.take("INTO") else None)


def _buckets(cursor: Cursor) -> int:
    token = cursor.token
    buckets = cursor.integer()
    if not buckets:
        raise cursor.error(token, "Bucket count must be a positive integer.")
    cursor.expect("BUCKETS")
    return buckets


def _like(cursor: Cursor) -> LikeClause | None:
    position = cursor.token.position
    if not cursor.take("LIKE"):
        return None
    like = LikeClause(cursor.path(), position=position)
    if cursor.take("("):
        like = _like_option(cursor, like)
        while not cursor.take(")"):
            like = _like_option(cursor, like)
    return like


def _like_option(cursor: Cursor, like: LikeClause) -> LikeClause:
    start = cursor.token
    strategy = MergingStrategy(cursor.choose(*(one.value for one in MergingStrategy)))
    feature = FeatureOption(cursor.choose(*(one.value for one in FeatureOption)))
    if feature in like.strategies:
        raise cursor.error(start, f"Each like option feature can be declared only once: {feature.value}.")
    if strategy is MergingStrategy.OVERWRITING and feature in _NEVER_OVERWRITTEN:
        what = f"Illegal merging strategy '{strategy.value}' for '{feature.value}' option."
        raise cursor.error(start, what, f"Use INCLUDING {feature.value} or EXCLUDING {feature.value}.")
    return attrs.evolve(like, strategies=like.strategies.set(feature, strategy))


def _as_table(cursor: Cursor) -> AsTable:
    source = cursor.path()
    hinted = hinted_options(cursor)
    if not cursor.take("ADD", "COLUMN"):
        return AsTable(source, options=hinted)
    if cursor.sees("("):
        return AsTable(source, cursor.listed(lambda: computed_column(cursor)), hinted)
    columns = [computed_column(cursor)]
    while cursor.take(","):
        columns.append(computed_column(cursor))
    return AsTable(source, tuple(columns), hinted)
