"""Keys become their declared type before elements are grouped by them, as on PyFlink 2.2 (expected is what that gave)."""

from __future__ import annotations

import datetime
import pickle
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.common import Row, Types
from kafkastream.errors import UserFunctionError
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import KeyedInput
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.spark.exchange.shuffle_messages import ExchangeOperator
from kafkastream.spark.worker.batches import Batch
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.operator_chain import applied

NAMED = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.INT()])


def keys(key_type: TypeInformation[Any] | None, given: list[Any]) -> list[bytes]:
    """The keys of elements, as they are sent."""
    exchange = ExchangeOperator("op", 2, 0, KeyedInput(node=1, selector=lambda key: key, key_type=key_type), (0,))
    exchange.open(RuntimeContext(task_name="op"))
    exchange.begin(TaskScope("here"))
    applied(exchange, Batch(given, [None] * len(given), range(len(given))), lambda row: f"offset {row}")
    (report,) = exchange.drain()
    return KeyedElements(*pickle.loads(report.content.payload)).keys


@pytest.mark.parametrize(
    ("key_type", "given", "key"),
    [
        (Types.DOUBLE(), [1, 1.0, True, Decimal("1.0")], 1.0),
        (Types.FLOAT(), [1.1, 1.100000023841858], 1.100000023841858),
        (Types.INT(), [1, 1.0, True, 1.9, Decimal(1)], 1),
        (Types.BOOLEAN(), [1, True, 5], True),
        (Types.SQL_TIME(), [datetime.time(1, 2, 3, 1500), datetime.time(1, 2, 3, 1000)], datetime.time(1, 2, 3, 1000)),
        (NAMED, [Row("a", 1), Row(n=1, w="a"), Row("a", 1.0)], Row(w="a", n=1)),
        (Types.TUPLE([Types.STRING(), Types.DOUBLE()]), [("a", 1), ("a", 1.0)], ("a", 1.0)),
        (Types.LIST(Types.INT()), [[1, 2], [1, 2.0]], [1, 2]),
    ],
    ids=str,
)
def test_keys_that_their_type_makes_equal_are_one_key(
    key_type: TypeInformation[Any], given: list[Any], key: object
) -> None:
    (found,) = set(keys(key_type, given))
    assert repr(pickle.loads(found)) == repr(key)


@pytest.mark.parametrize("key", ["a", 1, 1.5, True, b"k", ("a", 1), None])
def test_a_key_of_its_declared_type_has_the_bytes_that_it_had_without(key: Any) -> None:
    declared: Any = {
        str: Types.STRING(),
        int: Types.LONG(),
        float: Types.DOUBLE(),
        bool: Types.BOOLEAN(),
        bytes: Types.PRIMITIVE_ARRAY(Types.BYTE()),
        tuple: Types.TUPLE([Types.STRING(), Types.INT()]),
    }.get(type(key), Types.STRING())
    assert keys(declared, [key]) == keys(None, [key])


def test_keys_without_a_type_stay_what_they_are() -> None:
    assert len(set(keys(None, [1, 1.0, True]))) == 3


def test_maps_are_no_keys() -> None:
    with pytest.raises(UserFunctionError, match="a map has no order, so it cannot be a key"):
        keys(Types.MAP(Types.STRING(), Types.INT()), [{"a": 1}])


def test_a_key_of_another_type_is_named() -> None:
    with pytest.raises(UserFunctionError) as raised:
        keys(Types.INT(), [1, "x"])
    assert raised.value.what == (
        "the key selector of operator 'op' gave a key that is not of the declared type: 'x' (a str) is not of type Integer"
    )
    assert raised.value.where == "offset 1; element 'x'"
    assert raised.value.now.startswith("Declared is Integer: ")
