"""No module imports itself on a detour."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter

from tests.package import trees


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
