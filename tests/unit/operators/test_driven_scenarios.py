"""All scenarios of event time, on the test driver."""

from __future__ import annotations

import pytest

from tests.integration.scenario_table import SCENARIOS
from tests.integration.scenarios import Scenario, difference, drive


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario(scenario: Scenario) -> None:
    differing = difference(scenario, drive(scenario))
    if differing:
        pytest.fail(differing, pytrace=False)
