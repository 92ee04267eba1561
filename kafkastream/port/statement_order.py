"""Order of a module's statements: Python evaluates them top to bottom, so definitions come before their uses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import attrs

from kafkastream.port.python_trees import Remark, names_in

__all__ = ["order_statements"]


@attrs.frozen(eq=False)
class _ModulePart:
    statements: tuple[ast.stmt, ...]
    defines: frozenset[str]
    needs: frozenset[str]
    rank: int


def order_statements(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return statements in order: constants, classes, functions, each below what it needs."""
    parts = _split_parts(statements)
    functions = {statement.name: statement for statement in statements if isinstance(statement, ast.FunctionDef)}
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

    for part in sorted(parts, key=lambda part: part.rank):
        visit(part)
    return [statement for part in done for statement in part.statements]


def _all_needs(part: _ModulePart, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """Return the names that a part needs when the module loads, including those of the functions that it calls."""
    needs: set[str] = set()
    waiting = list(part.needs)
    while waiting:
        name = waiting.pop()
        if name not in needs:
            needs.add(name)
            if name in functions and part.rank < 2:
                waiting.extend(names_in(functions[name]))
    return needs - part.defines


def _split_parts(statements: Sequence[ast.stmt]) -> list[_ModulePart]:
    parts: list[_ModulePart] = []
    above: list[ast.stmt] = []
    for statement in statements:
        above.append(statement)
        if not isinstance(statement, Remark):
            parts.append(
                _ModulePart(tuple(above), _defined_names(statement), _needed_names(statement), _rank(statement))
            )
            above = []
    if above:
        parts.append(_ModulePart(tuple(above), frozenset(), frozenset(), 1))
    return parts


def _rank(statement: ast.stmt) -> int:
    return 2 if isinstance(statement, ast.FunctionDef) else 1 if isinstance(statement, ast.ClassDef) else 0


def _defined_names(statement: ast.stmt) -> frozenset[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return frozenset({statement.name})
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AnnAssign)
        else []
    )
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def _needed_names(statement: ast.stmt) -> frozenset[str]:
    if isinstance(statement, ast.FunctionDef):
        return frozenset()
    if isinstance(statement, ast.ClassDef):
        values = [
            member.value
            for member in statement.body
            if isinstance(member, ast.Assign | ast.AnnAssign) and member.value is not None
        ]
        return frozenset(names_in([*statement.bases, *statement.decorator_list, *values]))
    if isinstance(statement, ast.AnnAssign):
        return frozenset(names_in(statement.value)) if statement.value is not None else frozenset()
    return frozenset(names_in(statement))
