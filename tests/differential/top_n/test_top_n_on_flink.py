"""A top-N of appended and of updated rows makes the changes of real Flink, wherever micro-batches end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.differential.queries_driven import driven_rows
from tests.differential.top_n.cases import CASES, COLUMNS, ROWS

GOLDEN: Final[Mapping[str, Any]] = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]
Change = list[str]


class Varying(NamedTuple):
    """Changes that are not Flink's: why, and the rows that are left; none where those are Flink's."""

    why: str
    rows: Sequence[Change] = ()


VARIES: Final[Mapping[str, Varying]] = {
    "highest price with counts": Varying("Flink's top-1 misses an update that leaves the place as it is."),
    "highest price with NULL first": Varying(
        "Flink's top-1 misses that a row falls.", [["+I", "x", "b", "31"], ["+I", "y", "b", "21"]]
    ),
    "lowest price": Varying("That no price is NULL is known to Flink, and is not to the type of the column."),
}


@pytest.fixture(scope="module")
def planning() -> TableEnvironment:
    """Knows the table; plans only, so that there need not be a broker."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'h:1', 'format' = 'json'"
    t_env.execute_sql(f"CREATE TABLE bids ({COLUMNS}) WITH ({options}, 'scan.startup.mode' = 'earliest-offset')")
    return t_env


def changes(t_env: TableEnvironment, query: str, at_once: int) -> list[Change]:
    """The changes that a query makes of micro-batches with so many rows."""
    rows = driven_rows(t_env, query, {"bids": ROWS}, at_once)
    return [[str(row.get_row_kind()), *map(str, row)] for row in rows]


def left(found: Iterable[Change]) -> Counter[tuple[str, ...]]:
    """The rows that are left when all changes have been made."""
    rows: Counter[tuple[str, ...]] = Counter()
    for kind, *values in found:
        rows[tuple(values)] += 1 if kind in {"+I", "+U"} else -1
    return +rows


@pytest.mark.parametrize("at_once", [1, 5, len(ROWS)])
@pytest.mark.parametrize("name", [name for name in CASES if name not in VARIES])
def test_changes_are_those_of_flink(name: str, at_once: int, planning: TableEnvironment) -> None:
    assert changes(planning, CASES[name], at_once) == GOLDEN[name]["changes"]


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("name", VARIES)
def test_other_changes_make_a_right_table(name: str, at_once: int, planning: TableEnvironment) -> None:
    found = changes(planning, CASES[name], at_once)
    assert found != GOLDEN[name]["changes"]
    assert left(found) == left(VARIES[name].rows or GOLDEN[name]["changes"])


def test_each_case_is_recorded() -> None:
    assert list(GOLDEN) == list(CASES)
    assert {"AppendFastStrategy", "UpdateFastStrategy", "RetractStrategy"} == {
        one["strategy"] for one in GOLDEN.values()
    }
