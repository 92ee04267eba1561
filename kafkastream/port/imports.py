"""Imports of a ported program, by the names that it uses, sorted as ruff sorts them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from kafkastream.port.names import IMPORTS
from kafkastream.port.python_trees import Blank, walked

__all__ = ["import_statements"]

_THIRD_PARTY: Final = ("attrs", "kafkastream", "msgspec")


def import_statements(program: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the imports, in sections: Python's own, then those of packages."""
    used = _used(program)
    future: list[ast.stmt] = [ast.ImportFrom("__future__", [ast.alias("annotations")], 0)]
    own = _section({one for one in used if not _is_package(one)})
    packages = _section({one for one in used if _is_package(one)})
    sections = [section for section in (future, own, packages) if section]
    return [each for section in sections for each in (Blank(), *section)]


def _used(program: Sequence[ast.stmt]) -> set[str]:
    used: set[str] = set()
    defined: set[str] = set()
    fields = {id(one.target) for node in walked(list(program)) if isinstance(node, ast.AnnAssign) for one in [node]}
    for node in walked(list(program)):
        if isinstance(node, ast.Name) and id(node) not in fields:
            used.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
    used |= {dotted for one in used for dotted in [one.partition(".")[0]]}
    if "urllib" in used:
        used.add("urllib.request")
    return {one for one in used if one in IMPORTS} - defined


def _is_package(name: str) -> bool:
    module = IMPORTS[name] or name
    return module.partition(".")[0] in _THIRD_PARTY


def _section(names: set[str]) -> list[ast.stmt]:
    modules = sorted(one for one in names if not IMPORTS[one])
    plain: list[ast.stmt] = [ast.Import([ast.alias(one)]) for one in modules]
    sources = sorted({IMPORTS[one] for one in names if IMPORTS[one]})
    for module in sources:
        members = sorted((one for one in names if IMPORTS[one] == module), key=_member_key)
        plain.append(ast.ImportFrom(module, [ast.alias(one) for one in members], 0))
    return plain


def _member_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)
