"""Every name of PyFlink 2.2 can be imported at its path, and its classes have the members that they have there."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from pathlib import Path
from types import ModuleType

import pytest

from kafkastream.errors import UnsupportedFeatureError

LIST = Path(__file__).with_name("pyflink-2.2.txt")
WHOLE = ("common", "datastream", "metrics", "table")
GAPS = {
    "datastream.connectors.kafka": {
        "FlinkKafkaConsumer.disable_filter_restored_partitions_with_subscribed_topics",
        "FlinkKafkaConsumerBase.disable_filter_restored_partitions_with_subscribed_topics",
    },
    "table.types": {"size"},  # what a loop leaves
}
"""What is not there; the support table says so."""


def names() -> dict[str, dict[str, list[str]]]:
    """The names of each module, with the parameters that each takes."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for line in LIST.read_text(encoding="utf-8").splitlines():
        path, _, parameters = line.partition("(")
        module, _, name = path.removeprefix("pyflink.").partition(":")
        found[module][name] = parameters.rstrip(")").split(", ") if parameters not in {"", ")"} else []
    return found


NAMES = names()


def test_the_list_has_all_of_pyflink() -> None:
    assert set(WHOLE) <= set(NAMES)
    assert sum(map(len, NAMES.values())) > 4300


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module: str) -> None:
    ours = importlib.import_module(f"kafkastream.{module}")
    assert set(missing(ours, NAMES[module])) == GAPS.get(module, set())


@pytest.mark.parametrize("module", NAMES)
def test_parameters_have_their_names(module: str) -> None:
    ours = importlib.import_module(f"kafkastream.{module}")
    for name, wanted in NAMES[module].items():
        function = real(ours, name) if is_there(ours, name) else None
        if wanted and not inspect.isclass(function) and callable(function):
            assert [one for one in wanted if not takes(function, one)] == [], name


def takes(function: Callable[..., object], parameter: str) -> bool:
    """Whether a function can be called with a parameter by its name, or with any number where it has a star."""
    taken = inspect.signature(function).parameters
    kinds = {one.kind for one in taken.values()}
    if parameter.startswith("*"):
        return inspect.Parameter.VAR_POSITIONAL in kinds
    return parameter in taken or inspect.Parameter.VAR_KEYWORD in kinds


def missing(module: ModuleType, wanted: Iterable[str]) -> Iterator[str]:
    """The names that are not there, each without its members."""
    absent: set[str] = set()
    for name in wanted:
        owner = name.rpartition(".")[0]
        if owner not in absent and not is_there(module, name):
            absent.add(name)
            yield name
        elif owner in absent:
            absent.add(name)


def is_there(module: ModuleType, name: str) -> bool:
    """Whether a name is there, or refused with what works instead."""
    try:
        real(module, name)
    except AttributeError:
        return False
    return True


def real(module: ModuleType, name: str) -> object:
    """What a name means; None if it is refused with what works instead."""
    try:
        return reduce(getattr, name.split("."), module)
    except UnsupportedFeatureError:
        return None
