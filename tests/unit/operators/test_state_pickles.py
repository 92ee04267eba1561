"""Pickles of state hold values: those of programs are read, and those that call something are refused."""

from __future__ import annotations

import array
import collections
import datetime
import functools
import ipaddress
import os
import pickle
import re
import subprocess
import sys
import time
import types
import uuid
from decimal import Decimal
from enum import Enum, Flag
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import attrs
import numpy as np
import pandas as pd
import pytest

from kafkastream.errors import DefinitionError
from kafkastream.model.common.row import Row
from kafkastream.model.windows.windows import TimeWindow
from kafkastream.operators.state.state_pickles import check_code, imported_packages, loads, read_state_of
from kafkastream.spark.internals import pickles


class Color(Enum):
    RED = 1


class Access(Flag):
    READ = 1
    WRITE = 2


class Point(NamedTuple):
    x: int
    y: int


@attrs.frozen
class Order:
    id: int
    amounts: list[Decimal]


class Mutable:
    def __init__(self) -> None:
        self.count = 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mutable) and other.count == self.count

    __hash__ = None  # type: ignore[assignment]


PARIS = ZoneInfo("Europe/Paris")
VALUES: list[Any] = [
    {"text": ["a", 1, 1.5, b"b", None, True, (1,), {1}, frozenset({2}), bytearray(b"c"), 1 + 2j, range(3), ...]},
    [datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc), datetime.datetime(2020, 1, 1, tzinfo=PARIS)],
    [datetime.date(2020, 1, 1), datetime.time(1), datetime.timedelta(1), time.gmtime(0)],
    [Decimal("1.20"), Fraction(1, 3), uuid.UUID(int=7), ipaddress.ip_address("10.0.0.1"), Path("/a")],
    [
        collections.OrderedDict(a=1),
        collections.defaultdict(list, a=[1]),
        collections.deque([1], 3),
        collections.Counter("aab"),
    ],
    [array.array("i", [1]), types.SimpleNamespace(a=1), re.compile("a+"), KeyError],
    [Color.RED, Access.READ | Access.WRITE, Point(1, 2), Order(1, [Decimal(2)]), Mutable()],
    [Row(1, "a"), TimeWindow(0, 10)],
    [np.float64(1.5), np.int32(2), np.bool_(True), np.datetime64("2020-01-01"), np.dtype("i4")],
    [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01", tz="UTC"), pd.Timedelta("1s"), pd.Period("2020-01"), pd.NA],
]


@pytest.mark.parametrize("protocol", [4, 5])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:40])
def test_values_are_read(value: Any, protocol: int) -> None:
    assert loads(pickle.dumps(value, protocol)) == value


def test_tables_of_numpy_and_pandas_are_read() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=pd.date_range("2020-01-01", periods=2))
    assert loads(pickle.dumps(frame, 5)).equals(frame)
    assert (loads(pickle.dumps(np.arange(3), 5)) == np.arange(3)).all()
    assert loads(pickle.dumps(np.array(["a", None], dtype=object), 5)).tolist() == ["a", None]
    assert loads(pickle.dumps(pd.NaT, 5)) is pd.NaT


class Calls:
    """Pickled as a call."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> Any:
        return self._call


class Inherits:
    """Pickled with another class's state."""

    popen = subprocess.Popen  # what a module imports is no class of its own


ATTACKS = {
    "posix.system": Calls(os.system, "touch /tmp/evil"),
    "builtins.eval": Calls(eval, "1"),
    "builtins.exec": Calls(exec, "1"),
    "builtins.__import__": Calls(__import__, "os"),
    "builtins.getattr": Calls(getattr, str, "format"),
    "builtins.type": Calls(type, "C", (), {}),
    "io.open": Calls(open, "/tmp/evil", "w"),
    "subprocess.Popen": Calls(subprocess.Popen, "true"),
    "functools.partial": Calls(functools.partial, os.system, "true"),
    "numpy.memmap": Calls(np.memmap, "/tmp/evil"),
    "pandas.io.pickle.read_pickle": Calls(pd.read_pickle, "/tmp/evil"),
    "pandas.io.pytables.HDFStore": Calls(pd.HDFStore, "/tmp/evil"),
    "_pickle.loads": Calls(pickle.loads, pickle.dumps(1)),
}


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
@pytest.mark.parametrize("name", ATTACKS)
def test_calls_are_refused_by_name(name: str, protocol: int) -> None:
    for pickled in (pickle.dumps(ATTACKS[name], protocol), pickle.dumps({"count": [1, ATTACKS[name]]}, protocol)):
        with pytest.raises(DefinitionError, match=r"state or a key holds \w+") as refusal:
            loads(pickled)
        if protocol >= 4:
            assert name in str(refusal.value)


@pytest.mark.parametrize(
    "pickled",
    [
        f"c{__name__}\nInherits.popen\n.",
        f"c{__name__}\nsubprocess.Popen\n.",
        f"c{__name__}\nsubprocess\n.",
        f"c{__name__}\nloads\n.",
        f"c{__name__}\npickles.state_dumps\n.",
        "cantigravity\nx\n.",
        "ckafkastream.testing.broker\nEmbeddedKafka\n.",
        "ckafkastream.spark.internals.jvm\nadd_to_class_path\n.",
        "cos\nsystem\n(S'true'\ntR.",
        "(S'true'\nios\nsystem\n.",
    ],
)
def test_names_that_lead_elsewhere_are_refused(pickled: str) -> None:
    with pytest.raises((DefinitionError, AttributeError)):
        loads(b"\x80\x04" + pickled.encode())


def test_code_is_refused_where_it_is_written_unless_the_job_allows_it() -> None:
    class Local:
        pass

    for code in (lambda: 3, Local()):
        with pytest.raises(DefinitionError, match=r"holds code(.|\n)*kafkastream\.state\.allow-code: true"):
            pickles.state_dumps({"state": code})
    read_state_of("", allows_code=True)
    try:
        assert loads(pickles.state_dumps(lambda: 3))() == 3
    finally:
        read_state_of("", allows_code=False)
    assert check_code(pickle.dumps("a text about cloudpickle")) == pickle.dumps("a text about cloudpickle")


def test_a_worker_that_has_not_imported_a_package_of_the_program_reads_its_classes(tmp_path: Path) -> None:
    """After a restart, a timer may read state in a worker to which nothing has brought the module of its class yet."""
    (tmp_path / "shop_models.py").write_text("class Order:\n    pass\n")
    program = r"""
import sys
from kafkastream.errors import DefinitionError
from kafkastream.operators.state.state_pickles import loads, read_state_of
order = b"\x80\x04cshop_models\nOrder\n)\x81."
try:
    loads(order)
except DefinitionError:
    print("refused", "shop_models" in sys.modules)
read_state_of("", allows_code=False, packages=["shop_models"])
print(type(loads(order)).__name__)
"""
    command = [sys.executable, "-c", program]
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (run.stdout.split(), run.stderr) == (["refused", "False", "Order"], "")


def test_packages_of_a_program_are_those_that_it_has_imported() -> None:
    packages = imported_packages()
    assert "pytest" in packages
    assert not {"__main__", "os", "pyspark", "kafkastream", "cloudpickle"} & set(packages)
