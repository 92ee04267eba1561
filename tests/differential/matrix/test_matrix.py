"""Functions and casts have the types of real Flink, but for what stands in ``differences.json``, each with a reason.

``python -m tests.differential.matrix.compared`` compares their values, too.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.differential.matrix.cells import FAMILIES
from tests.differential.matrix.compared import (
    GOLDEN,
    KNOWN,
    REFUSED,
    Compiled,
    known_of,
    refusals,
    type_differences,
)
from tests.differential.matrix.ours import compiled_family
from tests.differential.matrix.reasons import REASONS

RECORDED: Final = {name: family for name, family in FAMILIES.items() if name in GOLDEN}
"""Families that Flink has been asked for."""


@pytest.fixture(scope="module")
def compiled() -> dict[str, Compiled]:
    """The expressions of all families."""
    return {name: compiled_family(family) for name, family in RECORDED.items()}


def _known() -> dict[str, dict[str, Any]]:
    return {name: known_of(family) for name, family in RECORDED.items()}


def test_all_cells_are_recorded() -> None:
    counts = {
        name: {one: len(told["values"]) for one, told in cells.items() if "values" in told}
        for name, cells in GOLDEN.items()
    }
    assert {name: list(cells) for name, cells in GOLDEN.items()} == {
        name: list(family.expressions) for name, family in RECORDED.items()
    }
    assert {(name, count) for name, one in counts.items() for count in one.values()} == {
        (name, len(family.rows)) for name, family in RECORDED.items()
    }
    assert sum(sum(one.values()) for one in counts.values()) > 3000


def test_what_is_refused_is_listed(compiled: dict[str, Compiled]) -> None:
    """``python -m tests.differential.matrix.compared --planned --write`` writes the list, after a function was added."""
    assert [one for name, family in RECORDED.items() for one in refusals(family, compiled[name])] == REFUSED


def test_types_are_those_of_flink(compiled: dict[str, Compiled]) -> None:
    found = {name: type_differences(family, compiled[name]) for name, family in RECORDED.items()}
    assert found == _known()


def test_reasons_are_few() -> None:
    assert len(REASONS) <= 20
    assert set(KNOWN) == set(REASONS)
