"""Python programs as trees of ``ast``, with comments as statements, and functions that build them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, final

__all__ = [
    "Blank",
    "Remark",
    "assign",
    "attribute",
    "call",
    "code",
    "constant",
    "evaluate",
    "is_yielding",
    "item",
    "join_strings",
    "name",
    "names_in",
    "walk",
]


@final
class Remark(ast.stmt):
    """Comment, of one or more lines."""

    _fields = ()

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self.lines = tuple(lines)


@final
class Blank(ast.stmt):
    """Blank line."""

    _fields = ()


def name(text: str) -> ast.Name:
    """Return a name, or a literal in its own spelling."""
    return ast.Name(text, ast.Load())


def constant(value: Any) -> ast.expr:
    """Return a literal."""
    return ast.Constant(value)


def attribute(target: ast.expr, text: str) -> ast.Attribute:
    """Return an attribute of an object."""
    return ast.Attribute(target, text, ast.Load())


def item(target: ast.expr, index: ast.expr) -> ast.Subscript:
    """Return an element of a collection."""
    return ast.Subscript(target, index, ast.Load())


def call(function: ast.expr | str, *arguments: ast.expr, **keywords: ast.expr) -> ast.Call:
    """Return a call."""
    called = name(function) if isinstance(function, str) else function
    return ast.Call(called, list(arguments), [ast.keyword(key, value) for key, value in keywords.items()])


def assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    """Return an assignment."""
    return ast.Assign([target], value, lineno=0)


def evaluate(value: ast.expr) -> ast.stmt:
    """Return an expression as a statement."""
    return ast.Expr(value)


@cache
def _parse_expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def code(text: str, **parts: ast.expr) -> ast.expr:
    """Parse Python code, and replace names in it by the given trees.

    Example:
        >>> ast.unparse(code("a[0] if a else b", a=name("values"), b=constant(None)))
        'values[0] if values else None'
    """
    tree = copy.deepcopy(_parse_expression(text))
    replaced: ast.expr = _NameReplacer(parts).visit(tree)
    return replaced


class _NameReplacer(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parts.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.args = [expanded for argument in node.args for expanded in _expand_rest(argument)]
        return node


def _expand_rest(argument: ast.expr) -> list[ast.expr]:
    """Return the arguments that replace ``*rest``."""
    if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Tuple):
        return argument.value.elts
    return [argument]


def walk(tree: ast.AST | Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, or of several."""
    for root in [tree] if isinstance(tree, ast.AST) else tree:
        yield from ast.walk(root)


def names_in(tree: ast.AST | Sequence[ast.AST]) -> set[str]:
    """Return the names that a tree reads or assigns; names in annotations count, too."""
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def is_yielding(body: Sequence[ast.stmt]) -> bool:
    """Return whether a function with this body is a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _walk_own_scope(body))


def _walk_own_scope(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield node
            yield from _walk_own_scope(list(ast.iter_child_nodes(node)))


def join_strings(parts: Sequence[ast.expr]) -> ast.expr:
    """Return an f-string of texts and values, or a plain text if there are only texts."""
    values: list[ast.expr] = []
    for part in parts:
        for value in part.values if isinstance(part, ast.JoinedStr) else [part]:
            _append_part(values, value)
    if all(isinstance(value, ast.Constant) for value in values):
        return values[0] if values else constant("")
    return ast.JoinedStr(values)


def _append_part(values: list[ast.expr], part: ast.expr) -> None:
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        last = values[-1] if values else None
        if isinstance(last, ast.Constant):
            values[-1] = constant(str(last.value) + part.value)
        else:
            values.append(part)
    elif isinstance(part, ast.FormattedValue):
        values.append(part)
    else:
        values.append(ast.FormattedValue(part, -1))
