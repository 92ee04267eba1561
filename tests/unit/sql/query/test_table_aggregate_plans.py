"""Plans of table aggregates, for which the Table API asks."""

from __future__ import annotations

import pytest

from kafkastream.sql.changelog import ChangelogMode
from kafkastream.sql.plan.functions.built_in import CallError
from kafkastream.sql.plan.plan_builder import reference
from kafkastream.sql.plan.state_description import state_description
from kafkastream.sql.plan.user_aggregate import GroupTableAggregate
from kafkastream.sql.planner.table_aggregates import flat_aggregated
from kafkastream.sql.session_functions import NamedFunction, SessionFunctions
from kafkastream.sql.user_functions import UserFunction
from kafkastream.table.udf import TableAggregateFunction, udaf, udtaf
from tests.unit.sql.planning import Spread, columns, plan, under


class Top(TableAggregateFunction):
    """The accumulated numbers."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], *args: int) -> None:
        accumulator.extend(args)

    def emit_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


def named(function: UserFunction) -> NamedFunction:
    functions = SessionFunctions()
    functions.create(("", "", "top"), function, "here", temporary=True)
    (only,) = functions.known.values()
    return only


TOP = named(udtaf(Top(), ["BIGINT"], "ROW<v BIGINT, n INT>", "ARRAY<BIGINT>"))


def test_a_table_aggregate_has_keys_and_the_columns_of_its_function() -> None:
    orders = plan("SELECT id, cur, ts FROM orders")
    found = flat_aggregated(orders, [reference(orders, 1)], TOP, [reference(orders, 0)], ttl_ms=5)
    assert columns(found) == ["cur STRING", "v BIGINT", "n INT"]
    assert found.changelog is ChangelogMode.RETRACT
    stateful = under(found)
    operation = stateful.operation
    assert isinstance(operation, GroupTableAggregate)
    assert (operation.keys, operation.user.arguments, operation.ttl_ms) == (1, (1,), 5)
    described = state_description(stateful, lambda scan: scan.table.name[-1])
    assert described.startswith(
        "GroupTableAggregate top(c1) ROW<`v` BIGINT, `n` INT> NOT NULL ACCUMULATOR ARRAY<BIGINT> BY (c0)"
    )


def test_what_no_table_aggregate_takes() -> None:
    changing = plan("SELECT id, w FROM cdc")
    with pytest.raises(CallError) as caught:
        flat_aggregated(changing, [], TOP, [reference(changing, 0)])
    assert "Method retract is not implemented: top" in caught.value.what
    with pytest.raises(CallError) as caught:
        flat_aggregated(changing, [], named(udaf(Spread())), [reference(changing, 0)])
    assert "top is no table aggregate function" in caught.value.what
