"""Classes in state that earlier versions wrote: pickles go on naming them by their former modules."""

from __future__ import annotations

import pickle

import pytest

import kafkastream.operators.state  # noqa: F401
from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Instant
from kafkastream.model.windows.windows import TimeWindow
from kafkastream.operators.state.list_segments import LongList
from kafkastream.operators.state.timers import Timer

FORMER = [
    ("kafkastream.keyed.long_lists", LongList),
    ("kafkastream.keyed.timers", Timer),
    ("kafkastream.spec.row", Row),
    ("kafkastream.spec.time", Instant),
    ("kafkastream.spec.window", TimeWindow),
]


@pytest.mark.parametrize(("module", "kind"), FORMER, ids=[module for module, _ in FORMER])
def test_state_is_read_by_former_names(module: str, kind: type) -> None:
    assert pickle.loads(f"c{module}\n{kind.__name__}\n.".encode()) is kind
