"""Values in checkpoints that were written before their classes moved."""

from __future__ import annotations

import pickle

from kafkastream.common import Instant, Row
from kafkastream.datastream import TimeWindow
from kafkastream.operators.state import state_pages


def test_values_that_name_former_modules_are_read() -> None:
    assert state_pages  # what reads state knows the names
    for value, former in [
        (Row(1, "a"), b"spec.row"),
        (Instant(3, 5), b"spec.time"),
        (TimeWindow(0, 5), b"spec.window"),
    ]:
        now = type(value).__module__.encode()
        written = pickle.dumps(value, 0).replace(now, b"kafkastream." + former)
        assert written != pickle.dumps(value, 0)
        assert pickle.loads(written) == value
