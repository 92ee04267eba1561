"""Functions and casts have the types and the values of real Flink, but for ``differences.json``, each with a reason.

``python -m tests.differential.matrix.compared --write`` writes what differs for a reason anew, and shows what differs without.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from kafkastream.testing import KafkaBroker
from tests.differential.matrix.cells import FAMILIES
from tests.differential.matrix.compared import (
    GOLDEN,
    KNOWN,
    REFUSED,
    Compiled,
    Differences,
    differences_of,
    known_of,
    planned,
    refusals,
    session_of,
    type_differences,
)
from tests.differential.matrix.our_aggregates import grouped_values_of
from tests.differential.matrix.ours import values_of
from tests.differential.matrix.reasons import REASONS
from tests.hostile import hostile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDED: Final = {name: family for name, family in FAMILIES.items() if name in GOLDEN}
"""Families that Flink has been asked for."""
_NIGHTLY: Final = ("windows", "spreads", "chosen", "pairs", "changed")
AGGREGATED: Final = ("sums", *(pytest.param(one, marks=pytest.mark.nightly) for one in _NIGHTLY))
"""Families of aggregates, each compared by one query."""


@pytest.fixture(scope="module")
def compiled() -> dict[str, Compiled]:
    """The expressions of all families."""
    return {name: planned(family) for name, family in RECORDED.items()}


def _known(*, types: bool) -> dict[str, Differences]:
    """What differs for a reason, in types or in values."""
    found: dict[str, Differences] = {}
    for name, family in RECORDED.items():
        told = {
            one: {cell: ours for cell, ours in cells.items() if (cell == "type") is types}
            for one, cells in known_of(family).items()
        }
        found[name] = {one: cells for one, cells in told.items() if cells}
    return found


def test_all_cells_are_recorded() -> None:
    counts = {
        name: {one: len(told["values"]) for one, told in cells.items() if "values" in told}
        for name, cells in GOLDEN.items()
    }
    assert {name: list(cells) for name, cells in GOLDEN.items()} == {
        name: list(family.expressions) for name, family in RECORDED.items()
    }
    assert {(name, count) for name, one in counts.items() for count in one.values()} == {
        (name, family.results) for name, family in RECORDED.items()
    }
    assert sum(sum(one.values()) for one in counts.values()) > 3000


def test_what_is_refused_is_listed(compiled: dict[str, Compiled]) -> None:
    """``python -m tests.differential.matrix.compared --planned --write`` writes the list, after a function was added."""
    assert [one for name, family in RECORDED.items() for one in refusals(family, compiled[name])] == REFUSED


def test_types_are_those_of_flink(compiled: dict[str, Compiled]) -> None:
    found = {name: type_differences(family, compiled[name]) for name, family in RECORDED.items()}
    assert found == _known(types=True)


def _check_values(spark: SparkSession, compiled: dict[str, Compiled], names: Iterable[str]) -> None:
    session = session_of(spark)
    found = {
        name: differences_of(RECORDED[name], compiled[name], partial(values_of, session, RECORDED[name]))
        for name in names
    }
    known = _known(types=False)
    assert found == {name: known[name] for name in found}


def test_values_are_those_of_flink(spark: SparkSession, compiled: dict[str, Compiled]) -> None:
    _check_values(spark, compiled, [name for name, family in RECORDED.items() if not family.by])


def test_values_are_those_of_flink_whatever_a_user_has_set(spark: SparkSession, compiled: dict[str, Compiled]) -> None:
    """``SPARK_CONF_DIR`` as ``tests.hostile`` writes it runs all of this file so, as ``make faults`` does."""
    with hostile(spark):
        _check_values(spark, compiled, ["patterns", "constants", "arrays", "bytes", "exact", "documents", "written"])


@pytest.mark.parametrize("name", AGGREGATED)
def test_aggregates_over_micro_batches_are_those_of_flink(
    name: str, spark: SparkSession, kafka: KafkaBroker, compiled: dict[str, Compiled]
) -> None:
    family = RECORDED[name]
    found = differences_of(family, compiled[name], partial(grouped_values_of, kafka, f"cells-{name}", family))
    assert found == _known(types=False)[name]


def test_reasons_are_few() -> None:
    assert len(REASONS) <= 20
    assert set(KNOWN) == set(REASONS)
