"""Order of a module's statements: what Python evaluates while it loads a module stands above where it is used."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import attrs

from kafkastream.port.python_trees import Remark, names_in

__all__ = ["in_order"]


@attrs.frozen(eq=False)
class _ModulePart:
    statements: tuple[ast.stmt, ...]
    defines: frozenset[str]
    needs: frozenset[str]
    rank: int


def in_order(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements in order: constants, classes, functions, each below what it needs."""
    parts = _parts(statements)
    functions = {one.name: one for one in statements if isinstance(one, ast.FunctionDef)}
    by_name = {name: part for part in parts for name in part.defines}
    done: list[_ModulePart] = []
    visiting: set[int] = set()

    def visit(part: _ModulePart) -> None:
        if part in done or id(part) in visiting:
            return
        visiting.add(id(part))
        for name in sorted(_all_needs(part, functions)):
            if name in by_name:
                visit(by_name[name])
        done.append(part)

    for part in sorted(parts, key=lambda one: one.rank):
        visit(part)
    return [statement for part in done for statement in part.statements]


def _all_needs(part: _ModulePart, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Names that a part needs, with those of the functions that it calls while the module loads."""
    needs: set[str] = set()
    waiting = list(part.needs)
    while waiting:
        name = waiting.pop()
        if name not in needs:
            needs.add(name)
            if name in functions and part.rank < 2:
                waiting.extend(names_in(functions[name]))
    return needs - part.defines


def _parts(statements: Sequence[ast.stmt]) -> list[_ModulePart]:
    parts: list[_ModulePart] = []
    above: list[ast.stmt] = []
    for one in statements:
        above.append(one)
        if not isinstance(one, Remark):
            parts.append(_ModulePart(tuple(above), _defined(one), _needed(one), _rank(one)))
            above = []
    if above:
        parts.append(_ModulePart(tuple(above), frozenset(), frozenset(), 1))
    return parts


def _rank(one: ast.stmt) -> int:
    return 2 if isinstance(one, ast.FunctionDef) else 1 if isinstance(one, ast.ClassDef) else 0


def _defined(one: ast.stmt) -> frozenset[str]:
    if isinstance(one, ast.FunctionDef | ast.ClassDef):
        return frozenset({one.name})
    targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def _needed(one: ast.stmt) -> frozenset[str]:
    if isinstance(one, ast.FunctionDef):
        return frozenset()
    if isinstance(one, ast.ClassDef):
        values = [
            each.value for each in one.body if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None
        ]
        return frozenset(names_in([*one.bases, *one.decorator_list, *values]))
    if isinstance(one, ast.AnnAssign):
        return frozenset(names_in(one.value)) if one.value is not None else frozenset()
    return frozenset(names_in(one))
