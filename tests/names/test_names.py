"""Every name of PyFlink 2.2 can be imported at its path, and its classes have the members that they have there."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.spec.stand_in import instead_of

LIST = Path(__file__).with_name("pyflink-2.2.txt")
WHOLE = ("common", "datastream", "metrics")
AWAITED = ("datastream.async_data_stream", "datastream.async_retry_predicates", "datastream.async_retry_strategies")
GAPS = {
    "datastream": {"AsyncDataStream", "AsyncFunction", "AsyncRetryPredicate", "AsyncRetryStrategy"},
    "datastream.functions": {
        "AsyncFunction",
        "AsyncFunctionDescriptor",
        "AsyncRetryPredicate",
        "AsyncRetryStrategy",
    },
    "datastream.connectors.kafka": {
        "FlinkKafkaConsumer.disable_filter_restored_partitions_with_subscribed_topics",
        "FlinkKafkaConsumerBase.disable_filter_restored_partitions_with_subscribed_topics",
    },
}
"""What is not there; the support table says so."""


def names() -> dict[str, list[str]]:
    """The names of each module, without parameters."""
    found = defaultdict(list)
    for line in LIST.read_text(encoding="utf-8").splitlines():
        module, _, name = line.partition("(")[0].removeprefix("pyflink.").partition(":")
        if module.split(".")[0] in WHOLE and module not in AWAITED:
            found[module].append(name)
    return found


NAMES = names()


def test_the_list_has_all_of_pyflink() -> None:
    assert set(WHOLE) <= set(NAMES)
    assert sum(map(len, NAMES.values())) > 2300


@pytest.mark.parametrize("module", NAMES)
def test_names_are_there(module: str) -> None:
    ours = importlib.import_module(f"kafkastream.{module}")
    assert set(missing(ours, NAMES[module])) == GAPS.get(module, set())


def missing(module: ModuleType, wanted: list[str]) -> Iterator[str]:
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
    found: object = module
    for part in name.split("."):
        if instead_of(found):
            return True
        try:
            found = getattr(found, part)
        except UnsupportedFeatureError:
            return True
        except AttributeError:
            return False
    return True
