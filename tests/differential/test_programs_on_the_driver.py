"""Programs give on the test driver what they give on real PyFlink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.differential.alias import pyflink_alias
from tests.differential.differing import EVIDENCE, NOT_DRIVEN
from tests.differential.driven import found_by_driver
from tests.differential.program import MODULES, Program, programs
from tests.differential.test_differential import GOLDEN, compared


@pytest.fixture(scope="module")
def known() -> Iterator[Mapping[str, Program]]:
    """All programs, by module and name."""
    with pyflink_alias():
        yield {str(one): one for module in MODULES for one in programs(module)}


@pytest.mark.parametrize("name", sorted(GOLDEN.keys() - NOT_DRIVEN.keys()))
def test_program_gives_on_the_driver_what_flink_gives(
    name: str, known: Mapping[str, Program], request: pytest.FixtureRequest
) -> None:
    if name in EVIDENCE:
        request.applymarker(pytest.mark.xfail(reason=EVIDENCE[name], strict=True))
    found: Any = found_by_driver(known[name], GOLDEN[name])
    assert compared(known[name], found) == compared(known[name], GOLDEN[name])
