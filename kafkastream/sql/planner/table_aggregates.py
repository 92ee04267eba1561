"""Table aggregates: ``Table.group_by(k).flat_aggregate(f(a))``, for which SQL has no words."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.expression import TypedExpression
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.plan_builder import column_of, normalized, projected
from kafkastream.sql.plan.relations import Field, Relation, Stateful
from kafkastream.sql.plan.user_aggregate import GroupTableAggregate, UserAggregate
from kafkastream.sql.plan.user_call import user_arguments
from kafkastream.sql.session_functions import NamedFunction
from kafkastream.sql.user_functions import FunctionKind

__all__ = ["flat_aggregated"]


def flat_aggregated(
    relation: Relation,
    keys: Sequence[TypedExpression],
    named: NamedFunction,
    arguments: Sequence[TypedExpression],
    *,
    zone: str = "UTC",
    ttl_ms: int = 0,
) -> Relation:
    """Return the rows of a table aggregate function for each key: the keys, then the columns of its result.

    Args:
        relation: Input.
        keys: Expressions of the key; none for one group of all rows.
        named: Function made by ``udtaf``.
        arguments: Its arguments.
        zone: Time zone of the session.
        ttl_ms: Time without a change after which the state of a group expires, in ms; 0 for never.

    Raises:
        CallError: The function is another kind of function, its arguments do not fit, or it cannot retract.
    """
    if named.function.kind is not FunctionKind.TABLE_AGGREGATE:
        raise CallError(f"{named.name} is no table aggregate function.", "Make one with udtaf.")
    given = user_arguments(named, arguments)
    columns = list(dict.fromkeys([*keys, *given]))
    places = list(map(column_of, columns))
    names = [f"EXPR${at}" if place is None else relation.fields[place].name for at, place in enumerate(places)]
    before = normalized(projected(relation, columns, names, ttl_ms=ttl_ms), ttl_ms)
    user = UserAggregate.of(named, tuple(one.type for one in given))
    if not before.changelog.is_insert_only and not user.has("retract"):
        what = f"Method retract is not implemented: {named.name} cannot take back rows, and those of its input change."
        raise CallError(what, "Define retract in its class, or read an append-only table.")
    count = len(dict.fromkeys(keys))
    own = tuple(Field(one.name, one.type) for one in named.function.result_type.fields)
    return Stateful(
        merged=(before,),
        keys=(tuple(range(count)),),
        operation=GroupTableAggregate(
            user=attrs.evolve(user, arguments=tuple(map(columns.index, given)), zone=zone), keys=count, ttl_ms=ttl_ms
        ),
        fields=(*(attrs.evolve(field, time=None) for field in before.fields[:count]), *own),
        changelog=ChangelogMode.RETRACT,
    )
