"""User-defined aggregate functions: where they are allowed, and which methods they need there."""

from __future__ import annotations

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.plan.operations import (
    AggregateCall,
    GroupAggregate,
    SessionAggregate,
    TableOperation,
    WindowAggregate,
)
from kafkastream.sql.row_functions import taking_columns
from kafkastream.sql.user_functions import AggregateFunction
from tests.unit.sql.planning import FUNCTIONS, columns, failure, operation, plain_texts, plan, under

TUMBLE = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
SESSION = "TABLE(SESSION(TABLE orders PARTITION BY cur, DESCRIPTOR(ts), INTERVAL '1' MINUTE))"
CHANGING = "TABLE(TUMBLE(TABLE rates, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end"
TOTALS = "(SELECT cur, CAST(COUNT(*) AS INT) AS n FROM orders GROUP BY cur)"


def calls(query: str) -> tuple[AggregateCall, ...]:
    found = operation(query)
    assert isinstance(found, GroupAggregate | WindowAggregate | SessionAggregate)
    return found.calls


def test_a_call_has_its_arguments_as_columns() -> None:
    query = """
        SELECT cur, spread(id) AS s, default_database.spread(DISTINCT id + 1) + 1,
          SPAN(id, price) FILTER (WHERE id > 1), COUNT(*) FROM orders GROUP BY cur
    """
    planned = plan(query)
    assert columns(planned) == ["cur STRING", "s BIGINT", "EXPR$2 BIGINT", "EXPR$3 BIGINT", "EXPR$4 BIGINT NOT NULL"]
    first, second, third, count = calls(query)
    assert [one.user and one.user.arguments for one in (first, second, third, count)] == [(1,), (2,), (1, 3), None]
    assert (second.distinct, third.filter, third.name) == (True, 4, "span")
    assert plain_texts(under(planned).merged[0])[1:4] == ("c0", "(c0 + 1)", "c2")


def test_equal_calls_are_one() -> None:
    assert len(calls("SELECT span(id), span(id) + 1 FROM orders HAVING span(id) > 1")) == 1


def test_batches_are_not_aggregated_before_the_shuffle() -> None:
    found = operation("SELECT cur, span(id), COUNT(*) FROM orders GROUP BY cur")
    assert not TableOperation(found).takes_parts


def test_functions_stand_in_windows() -> None:
    windowed = operation(f"SELECT cur, spread(id), middle(id) FROM {TUMBLE} GROUP BY cur, window_start, window_end")
    assert isinstance(windowed, WindowAggregate)
    session = operation(f"SELECT cur, span(id) FROM {SESSION} GROUP BY cur, window_start, window_end")
    assert isinstance(session, SessionAggregate)
    older = operation("SELECT middle(id) FROM orders GROUP BY HOP(ts, INTERVAL '5' SECOND, INTERVAL '1' MINUTE)")
    assert isinstance(older, WindowAggregate)


def test_functions_that_retract_take_changes() -> None:
    assert calls(f"SELECT span(n) FROM {TOTALS}")[0].name == "span"


@pytest.mark.parametrize(
    ("query", "what"),
    [
        (f"SELECT spread(n) FROM {TOTALS}", "Method retract is not implemented: spread cannot take back rows"),
        (
            f"SELECT spread(CAST(rate AS INT)) FROM {CHANGING}",
            "Method retract is not implemented: spread cannot take back",
        ),
        (
            f"SELECT spread(id) FROM {SESSION} GROUP BY cur, window_start, window_end",
            "Method merge is not implemented: spread cannot merge sessions",
        ),
        ("SELECT id FROM orders WHERE span(id) > 1", "The aggregate function span is not allowed here."),
        ("SELECT id FROM orders, LATERAL TABLE(span(id)) AS t (a)", "span is not a table function"),
        ("SELECT spread(id, id) FROM orders", "1 arguments are expected, and 2 given"),
        ("SELECT span(*) FROM orders", "only COUNT takes a star"),
        ("SELECT id, span(id) FROM orders", "Expression 'id' is not being grouped"),
    ],
)
def test_what_is_wrong_has_a_place(query: str, what: str) -> None:
    error = failure(query)
    assert what in error.what
    assert error.where.startswith("line 1, column ")


def test_vectorized_functions_need_a_window() -> None:
    error = failure("SELECT middle(id) FROM orders GROUP BY cur")
    assert isinstance(error, UnsupportedFeatureError)
    assert error.what.startswith("Pandas UDAFs are not supported in streaming mode currently")
    error = failure(f"SELECT middle(id) FROM {SESSION} GROUP BY cur, window_start, window_end")
    assert error.what.startswith("Session Group Window is currently not supported for Pandas UDAF")


def test_wrapped_functions_have_what_is_inside_of_them() -> None:
    for name, implements in (("spread", False), ("span", True)):
        function = next(one.function for one in FUNCTIONS.known.values() if one.name == name)
        wrapped = taking_columns(function, ["n"]).function
        assert isinstance(wrapped, AggregateFunction)
        assert wrapped._implements("retract") is implements
