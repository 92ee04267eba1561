"""Imports of a ported program, by the names that it uses, sorted as ruff sorts them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from kafkastream.port.names import IMPORTS
from kafkastream.port.python_trees import Blank, walk

__all__ = ["import_statements"]

_THIRD_PARTY: Final = ("attrs", "kafkastream", "msgspec")


def import_statements(program: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the imports, in sections: Python's own, then those of packages."""
    used = _used_names(program)
    future: list[ast.stmt] = [ast.ImportFrom("__future__", [ast.alias("annotations")], 0)]
    standard = _import_section({name for name in used if not _is_package(name)})
    packages = _import_section({name for name in used if _is_package(name)})
    sections = [section for section in (future, standard, packages) if section]
    return [statement for section in sections for statement in (Blank(), *section)]


def _used_names(program: Sequence[ast.stmt]) -> set[str]:
    used: set[str] = set()
    defined: set[str] = set()
    fields = {
        id(annotated.target) for node in walk(list(program)) if isinstance(node, ast.AnnAssign) for annotated in [node]
    }
    for node in walk(list(program)):
        if isinstance(node, ast.Name) and id(node) not in fields:
            used.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
    used |= {package for name in used for package in [name.partition(".")[0]]}
    if "urllib" in used:
        used.add("urllib.request")
    return {name for name in used if name in IMPORTS} - defined


def _is_package(name: str) -> bool:
    module = IMPORTS[name] or name
    return module.partition(".")[0] in _THIRD_PARTY


def _import_section(names: set[str]) -> list[ast.stmt]:
    modules = sorted(name for name in names if not IMPORTS[name])
    plain: list[ast.stmt] = [ast.Import([ast.alias(module)]) for module in modules]
    sources = sorted({IMPORTS[name] for name in names if IMPORTS[name]})
    for module in sources:
        members = sorted((name for name in names if IMPORTS[name] == module), key=_member_key)
        plain.append(ast.ImportFrom(module, [ast.alias(member) for member in members], 0))
    return plain


def _member_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)
