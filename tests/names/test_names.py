"""Every name of PyFlink 2.2 can be imported at its path."""

from __future__ import annotations

import importlib
from collections import defaultdict
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("pyflink-2.2.txt")
WHOLE = ("common", "datastream", "metrics")
AWAITED = {
    "datastream": ["AsyncDataStream", "AsyncFunction", "AsyncRetryPredicate", "AsyncRetryStrategy"],
    "datastream.functions": ["AsyncFunction", "AsyncFunctionDescriptor", "AsyncRetryPredicate", "AsyncRetryStrategy"],
    **dict.fromkeys(
        ["datastream.async_data_stream", "datastream.async_retry_predicates", "datastream.async_retry_strategies"]
    ),
}


def names() -> dict[str, list[str]]:
    """The names of each module, without the members of classes."""
    found = defaultdict(list)
    for line in LIST.read_text(encoding="utf-8").splitlines():
        module, _, name = line.partition("(")[0].removeprefix("pyflink.").partition(":")
        if "." not in name:
            found[module].append(name)
    return found


NAMES = {module: found for module, found in names().items() if module.split(".")[0] in WHOLE}


def test_the_list_has_all_of_pyflink() -> None:
    assert set(WHOLE) <= set(NAMES)
    assert sum(map(len, NAMES.values())) > 550


@pytest.mark.parametrize("module", NAMES)
def test_names_can_be_imported(module: str) -> None:
    awaited = AWAITED.get(module, [])
    if awaited is not None:
        ours = importlib.import_module(f"kafkastream.{module}")
        assert [name for name in NAMES[module] if not hasattr(ours, name)] == awaited
