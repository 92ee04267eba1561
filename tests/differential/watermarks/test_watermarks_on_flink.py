"""Watermarks and idleness are combined as Flink's own classes do; ``record.py`` writes what these give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from kafkastream.model.common.watermark_strategy import MIN_WATERMARK
from kafkastream.spark.plan.watermark_valve import InputStatus, StatusWatermarkValve, combined_status

CASES: Final = json.loads(Path(__file__).with_name("golden.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_inputs_are_combined_as_in_flink(case: dict[str, Any]) -> None:
    statuses = {(0, str(number)): InputStatus(MIN_WATERMARK) for number in range(case["width"])}
    valve, reached = StatusWatermarkValve(), MIN_WATERMARK
    after_valve, after_multiplexer = [], []
    for number, watermark in case["in"]:
        before = statuses[0, str(number)]
        statuses[0, str(number)] = InputStatus(before.watermark if watermark is None else watermark, watermark is None)
        after_valve.append(list(valve.update(statuses)))
        reached = combined_status(statuses.values(), reached).watermark
        after_multiplexer.append(reached)
    assert after_valve == case["valve"]
    assert after_multiplexer == case["multiplexer"]
