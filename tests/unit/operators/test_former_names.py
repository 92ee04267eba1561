"""Names of classes in state: those that earlier versions wrote are read, and no operator writes one that is not kept."""

from __future__ import annotations

import pickle

import pytest

import kafkastream.model.common.row as rows
from kafkastream.model.common.row import Row
from kafkastream.model.common.time import Instant
from kafkastream.model.windows.windows import TimeWindow
from kafkastream.operators.state.former_names import STATE_CLASSES
from kafkastream.operators.state.list_segments import LongList
from kafkastream.operators.state.timers import Timer
from tests.unit.operators.memory import Memory, names_in

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


def test_each_kept_name_is_read() -> None:
    for module, name in STATE_CLASSES:
        found = pickle.loads(f"c{module}\n{name}\n.".encode())
        assert found.__name__ == name, (module, name)


def test_values_of_users_are_written_by_kept_names() -> None:
    values = [Row.of_kind(rows.RowKind.DELETE, 1), Instant(1, 2), TimeWindow(0, 1)]
    assert names_in(pickle.dumps(values, 5)) <= set(STATE_CLASSES)


class Renamed:
    """A class of this package's that nobody has listed."""


def test_class_that_is_not_kept_is_found_in_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Renamed, "__module__", rows.__name__)
    monkeypatch.setattr(rows, "Renamed", Renamed, raising=False)
    with pytest.raises(AssertionError, match="Renamed"):
        Memory().put(b"page", pickle.dumps({b"key": Memory().dumps({"state": 1}), "other": Renamed()}))
    with pytest.raises(AssertionError, match="Renamed"):
        Memory().dumps([Renamed()])
