from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum, Flag
from types import ModuleType
from typing import Any

import attrs
import pytest

from kafkastream.errors import DefinitionError
from kafkastream.operators.state.key_encoding import bucket_of, encoded_key, key_encoder
from kafkastream.operators.state.program_classes import MAIN_MODULE, classes_defined_in, use_classes

KEYS: list[Any] = [
    "a",
    1,
    True,
    None,
    1.5,
    b"x",
    bytearray(b"x"),
    ("a", "a"),
    ("a", 1, (2, "b")),
    ["a", [1]],
    Decimal("1.0"),
    datetime(2026, 1, 2, tzinfo=timezone.utc),
]


@attrs.define
class Tagged:
    """An object with slots, whose tags have no order."""

    tags: set[str]


class Enumerated(Enum):
    """A member with a value that has no order."""

    SET = frozenset("ab")


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_key_comes_back(key: Any) -> None:
    assert pickle.loads(encoded_key(key)) == key


def test_equal_tuples_have_equal_bytes_whoever_made_their_parts() -> None:
    part, other = (letter * 2 for letter in "aa")
    assert part is not other
    assert encoded_key((part, part)) == encoded_key((part, other))
    assert pickle.dumps((part, part)) != pickle.dumps((part, other))


def test_keys_are_the_same_in_another_process() -> None:
    program = "from kafkastream.operators.state.key_encoding import encoded_key; print([encoded_key(k) for k in ['a', 1, ('a', 'a')]])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str([encoded_key(key) for key in ["a", 1, ("a", "a")]])


@pytest.mark.parametrize(
    "key",
    [{"a": 1}, lambda: None, frozenset("ab"), ("a", frozenset("ab")), Tagged({"a", "b"}), Enumerated.SET, LOOP],
    ids=["dict", "lambda", "set", "set in a tuple", "set in a field", "set as a member's value", "loop"],
)
def test_key_that_has_no_order_or_no_pickle_is_refused(key: Any) -> None:
    with pytest.raises(TypeError, match=r"cannot be pickled|a (set|map) has no order"):
        encoded_key(key)


@pytest.fixture
def program() -> Iterator[Callable[[str], ModuleType]]:
    """Runs a main script's text, whose classes the worker then has."""

    def run(text: str) -> ModuleType:
        module = ModuleType(MAIN_MODULE)
        exec(f"import collections, dataclasses, enum, typing\n{text}", vars(module))
        use_classes(classes_defined_in(module))
        return module

    yield run
    use_classes({})


PROGRAM = """
class Color(enum.Enum):
    RED = frozenset("ab")
    CRIMSON = frozenset("ab")
    BLUE = 2
class Level(enum.IntEnum):
    LOW = 1
class Access(enum.Flag):
    READ = 1
    WRITE = 2
class Outer:
    Inner = enum.Enum("Inner", "X Y", module=__name__, qualname="Outer.Inner")
Pair = collections.namedtuple("Couple", "a b")
class Named(typing.NamedTuple):
    a: str
@dataclasses.dataclass
class Point:
    x: int
@dataclasses.dataclass(frozen=True)
class Item:
    color: Color
    parts: list
class Equal:
    def __init__(self, a): self.a = a
    def __eq__(self, other): return True
"""
KEYS_OF_PROGRAM = [
    "Color.CRIMSON",
    "Level.LOW",
    "Access.READ | Access.WRITE",
    "Outer.Inner.Y",
    "Pair('x', 1)",
    "Named('x')",
    "Point(1)",
    "Item(Color.RED, [Point(1)])",
    "(Color.BLUE, 1)",
    "Equal(1)",
]


@pytest.mark.parametrize("text", KEYS_OF_PROGRAM)
def test_key_of_the_programs_class_is_the_same_in_each_run(program: Callable[[str], ModuleType], text: str) -> None:
    first = encoded_key(eval(text, vars(program(PROGRAM))))
    again = program("class New: pass" + PROGRAM)  # other classes of the same names
    key = eval(text, vars(again))
    assert encoded_key(key) == first
    assert pickle.loads(first) == key
    assert type(pickle.loads(first)) is type(key)
    assert isinstance(key, Flag) or not isinstance(key, Enum) or pickle.loads(first) is key


def test_keys_of_the_program_are_distinct_from_plain_values_and_by_their_fields(
    program: Callable[[str], ModuleType],
) -> None:
    """Same as in PyFlink, whose keys are one if their pickles are."""
    names = vars(program(PROGRAM))
    keys = ["Level.LOW", "1", "Pair('x', 1)", "('x', 1)", "Named('x')", "('x',)", "Equal(1)", "Equal(2)"]
    assert len({encoded_key(eval(key, names)) for key in keys}) == len(keys)


def test_class_that_has_no_name_of_its_own_is_refused(program: Callable[[str], ModuleType]) -> None:
    local = program("def make():\n class Local: pass\n return Local()\n")
    with pytest.raises(TypeError, match=r"make\.<locals>\.Local cannot be found by its name"):
        encoded_key(local.make())
    twice = program("class A: pass\nB = A\nclass A: pass")
    for kind in (twice.A, twice.B):
        with pytest.raises(TypeError, match="under a name that no other class has"):
            encoded_key(kind())


def test_key_whose_class_or_member_has_gone_is_refused(program: Callable[[str], ModuleType]) -> None:
    names = vars(program(PROGRAM))
    color, point = encoded_key(names["Color"].RED), encoded_key(names["Point"](1))
    program("class Color(enum.Enum):\n BLUE = 2")
    with pytest.raises(DefinitionError, match="no such member"):
        pickle.loads(color)
    with pytest.raises(DefinitionError, match="defines no such class"):
        pickle.loads(point)


def test_functions_of_the_program_are_no_data(program: Callable[[str], ModuleType]) -> None:
    text = "from kafkastream.datastream import MapFunction\nclass Own(MapFunction): pass\nclass Data:\n kind = None\nData.kind = Data"
    assert list(classes_defined_in(program(text))) == ["Data"]


def test_encoder_tells_texts_from_what_equals_them() -> None:
    encode = key_encoder()
    assert encode("a") is encode("a")
    assert encode(1) != encode(True)


def test_buckets_are_filled_about_evenly() -> None:
    counts = [0] * 4
    for number in range(10_000):
        counts[bucket_of(encoded_key(f"key {number}"), 4)] += 1
    assert min(counts) > 2_300
