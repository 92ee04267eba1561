"""Files of Spark in a checkpoint folder, by the versions of their formats."""

from __future__ import annotations

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.spark.internals.checkpoints import LoggedOffsets

ABOUT = '{"batchWatermarkMs":0,"batchTimestampMs":7,"conf":{}}'
ORDERS, CONTROL = '{"t":{"0":3}}', '{"control":1}'


def test_each_known_version_of_the_log_of_offsets_is_read() -> None:
    of_names = LoggedOffsets.of_text(f"v2\n{ABOUT}\norders:{ORDERS}\ncontrol:{CONTROL}", "here")
    assert of_names == LoggedOffsets(7, (ORDERS, CONTROL), ("orders", "control"))
    assert LoggedOffsets.of_text(f"v1\n{ABOUT}\n{ORDERS}\n{CONTROL}", "here") == LoggedOffsets(7, (ORDERS, CONTROL))


def test_unknown_version_is_refused() -> None:
    with pytest.raises(DefinitionError, match="log of offsets has version v3") as raised:
        LoggedOffsets.of_text(f"v3\n{ABOUT}\n{ORDERS}", "file:/kept/offsets/5")
    assert raised.value.where == "file:/kept/offsets/5"
