"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.package import MODULES

EXAMPLES = doctest.DocTestFinder(exclude_empty=True)


def examples(module: str) -> list[doctest.DocTest]:
    return [found for found in EXAMPLES.find(importlib.import_module(module)) if found.examples]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_tell_the_truth(module: str) -> None:
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for example in examples(module):
        runner.run(example, out=said.append)
    assert (runner.summarize(verbose=False).failed, "".join(said)) == (0, "")


def test_there_are_examples() -> None:
    assert sum(len(examples(module)) for module in MODULES) > 20
