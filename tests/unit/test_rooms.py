"""Packages of the engine: how many of them import how many others."""

from __future__ import annotations

from collections import Counter
from typing import Final

import grimp

_ENGINE: Final = "kafkastream.spark."
_MOST: Final = 26


def test_packages_of_the_engine_know_few_others() -> None:
    """The layers of import-linter have it that no arrow leads back; each further one is a reason to look again."""
    graph = grimp.build_graph("kafkastream", exclude_type_checking_imports=True, cache_dir=None)
    arrows = Counter(
        (_package(module), _package(imported))
        for module in graph.modules
        if module.startswith(_ENGINE) and "." in module.removeprefix(_ENGINE)
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.startswith(_ENGINE) and _package(imported) != _package(module)
    )
    assert len(arrows) <= _MOST, sorted(arrows.items(), key=lambda arrow: arrow[1])


def _package(module: str) -> str:
    return module.removeprefix(_ENGINE).partition(".")[0]
