"""Expressions that the test driver computes in Python have the values of real Flink, of which ``golden.json`` is the record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.errors import KafkastreamError, UnsupportedFeatureError
from kafkastream.model.common.value_printing import single
from kafkastream.sql.plan.expression import Call, TypedExpression
from kafkastream.sql.plan.relations import computations
from kafkastream.table import EnvironmentSettings, TableEnvironment
from kafkastream.testing.driver.sql.functions import FUNCTIONS
from tests.differential.expressions.cases import COLUMNS, EXPRESSIONS, FAILING, ROWS
from tests.differential.queries_driven import driven_rows

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())
VALUES: Final[Mapping[str, Sequence[str | None]]] = GOLDEN["values"]
BEFORE_1970: Final = 1
"""Row with a time before 1970 that has a fraction, whose second, and so day, Flink takes to be the next one."""
DIGITS: Final = ("f + i", "f - i", "f * i", "d * l", "f / j")
"""Expressions whose values Java before version 19, with which Flink ran, shows with more digits than they need.

https://bugs.openjdk.org/browse/JDK-4511638
"""
OF_THE_SAME_KIND: Final = frozenset(
    {"UCASE", "LCASE", "SHA224", "SHA384", "SHA512", "CEIL TO MINUTE", "CEIL TO DAY", "FLOOR TO QUARTER"}
    | {f"TIMESTAMPADD {unit}" for unit in ("QUARTER", "YEAR")}
)
"""Functions that differ from compared ones in a word."""
OF_WHOLE_SECONDS: Final = (
    *(
        "CAST(ts AS DATE)",
        "CAST(ts AS TIMESTAMP(0))",
        "EXTRACT(",
        "MONTH(ts)",
        "DAYOF",
        "HOUR(",
        "MINUTE(",
        "SECOND(",
        "YEAR(tl)",
    ),
    *("FLOOR(ts TO MONTH)", "FLOOR(ts TO YEAR)"),
)


@pytest.fixture(scope="module")
def t_env() -> TableEnvironment:
    found = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    found.get_config().set_local_timezone("UTC")
    found.execute_sql(f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'datagen')")
    return found


def values(t_env: TableEnvironment, expressions: Sequence[str], *, spark: bool = False) -> dict[str, list[Any]]:
    texts = ", ".join(f"CAST({one} AS STRING)" for one in expressions)
    changes = driven_rows(t_env, f"SELECT {texts} FROM t", {"t": ROWS}, len(ROWS), spark=spark)
    return dict(zip(expressions, map(list, zip(*changes, strict=True)), strict=True))


def as_compared(expression: str, texts: Sequence[str | None]) -> Sequence[object]:
    """The values, without what differs on Flink."""
    compared = [
        text for row, text in enumerate(texts) if row != BEFORE_1970 or not expression.startswith(OF_WHOLE_SECONDS)
    ]
    if expression not in DIGITS:
        return compared
    return [None if text is None else single(float(text)) for text in compared]


def test_values_are_those_of_flink(t_env: TableEnvironment) -> None:
    found = values(t_env, EXPRESSIONS)
    wrong = {
        one: (found[one], VALUES[one])
        for one in EXPRESSIONS
        if as_compared(one, found[one]) != as_compared(one, VALUES[one])
    }
    assert not wrong


@pytest.mark.parametrize("expression", FAILING)
def test_what_fails_on_flink_fails(expression: str, t_env: TableEnvironment) -> None:
    assert GOLDEN["failing"][expression]
    with pytest.raises(KafkastreamError):
        values(t_env, [expression])


def test_each_expression_is_recorded() -> None:
    assert {*VALUES} == {*EXPRESSIONS}
    assert not GOLDEN["refused"]
    assert {*GOLDEN["failing"]} == {*FAILING}


def test_texts_of_bytes_are_those_of_flink() -> None:
    family = json.loads((Path(__file__).parents[1] / "matrix" / "golden.json").read_text())["families"]["bytes"]
    texts: Sequence[str | None] = family["CAST(b AS STRING)"]["values"]
    rows = [{"b": None if text is None else text.encode()} for text in texts if text is None or "\ufffd" not in text]
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE t (b BYTES) WITH ('connector' = 'datagen')")
    query = "SELECT CAST(b AS STRING) FROM t"
    changes = driven_rows(t_env, query, {"t": rows}, len(rows))
    assert [text for (text,) in changes] == [text for text in texts if text is None or "\ufffd" not in text]
    with pytest.raises(UnsupportedFeatureError, match="bytes that are not UTF-8"):
        driven_rows(t_env, query, {"t": [{"b": b"\xff"}]})


def calls(expression: TypedExpression) -> Iterator[str]:
    """The names of all functions of an expression."""
    if isinstance(expression, Call):
        yield expression.function
    for part in expression.parts:
        yield from calls(part)


def test_each_function_is_compared(t_env: TableEnvironment) -> None:
    relation = t_env.sql_query(f"SELECT {', '.join(EXPRESSIONS)} FROM t")._relation
    compared = {name for computed in computations(relation) for name in calls(computed)}
    assert {name for name in FUNCTIONS if not name.startswith("$")} - compared - OF_THE_SAME_KIND == set()
