"""Packages of the engine: how many of them import how many others."""

from __future__ import annotations

from collections import Counter
from typing import Final

import grimp

_MOST: Final = 20
_INTERNALS: Final = "kafkastream.spark.internals"
"""Stands for Spark itself, which every package may know."""


def test_packages_of_the_engine_know_few_others() -> None:
    """The layers of import-linter have it that no arrow leads back; each further one is a reason to look again."""
    graph = grimp.build_graph("kafkastream", exclude_type_checking_imports=True, cache_dir=None)
    packages = {package for package in graph.find_children("kafkastream.spark") if graph.find_children(package)}
    arrows = Counter(
        (_package(module), _package(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
        if packages.issuperset({_package(module), _package(imported)})
        and _package(imported) not in (_package(module), _INTERNALS)
    )
    assert len(arrows) <= _MOST, sorted(arrows.items(), key=lambda arrow: arrow[1])


def _package(module: str) -> str:
    return ".".join(module.split(".")[:3])
