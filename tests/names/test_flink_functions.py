"""Every function of Flink 2.2 is here, or is refused with another way.

``flink-functions-2.2.txt`` has the names of Flink's ``BuiltInFunctionDefinitions`` and ``FlinkSqlOperatorTable`` that are
called with parentheses, or stand for a time; without those that belong to a clause: OVER, MATCH_RECOGNIZE, windows and
grouping sets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.sql.expressions.aggregate_names import AGGREGATES
from kafkastream.sql.expressions.built_in_names import is_built_in
from kafkastream.sql.expressions.function_calls import REFUSED_FUNCTIONS
from kafkastream.sql.plan.functions import NAMES
from tests.unit.sql.planning import failure

FLINKS: Final = (Path(__file__).parent / "flink-functions-2.2.txt").read_text(encoding="utf-8").split()


def test_every_function_of_flink_is_here_or_refused() -> None:
    assert [name for name in FLINKS if not is_built_in(name) and name not in REFUSED_FUNCTIONS] == []


def test_what_is_refused_is_flinks_and_is_not_here() -> None:
    assert set(REFUSED_FUNCTIONS) <= set(FLINKS)
    assert set(REFUSED_FUNCTIONS) & {*NAMES, *AGGREGATES} == set()


@pytest.mark.parametrize("name", REFUSED_FUNCTIONS)
def test_a_refusal_names_another_way(name: str) -> None:
    error = failure(f"SELECT {name}(cur) FROM orders")
    assert isinstance(error, UnsupportedFeatureError)
    assert REFUSED_FUNCTIONS[name] in str(error)
