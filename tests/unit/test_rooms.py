"""Packages of the engine import few others, and no module imports itself on a detour."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from typing import Final

import grimp

from tests.package import trees

_MOST: Final = 21
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


def test_modules_do_not_import_each_other() -> None:
    """Imports when a module is loaded; those within functions and for type checkers do not count."""
    modules = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): tree for path, tree in trees().items()
    }
    imported = {
        name: {other if other in modules else other.rpartition(".")[0] for other in _imported(tree.body)} - {name}
        for name, tree in modules.items()
    }
    TopologicalSorter(imported).prepare()  # raises CycleError


def _imported(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in statements:
        match statement:
            case ast.Import(names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module, names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.If(test, body, otherwise):
                yield from _imported(otherwise if ast.unparse(test) == "TYPE_CHECKING" else [*body, *otherwise])
            case ast.Try(body) | ast.With(body=body) | ast.ClassDef(body=body):
                yield from _imported(body)
