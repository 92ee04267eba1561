"""Layout of Python expressions: in one line where it fits, else broken as ruff breaks them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from kafkastream.port.printing_flat import OPERATORS, flat, precedence_of, string_text

__all__ = ["WIDTH", "laid_out"]

WIDTH: Final = 120


def laid_out(tree: ast.expr, indent: int, before: int = 0, after: int = 0) -> str:
    """Return the text of an expression.

    Args:
        tree: Expression.
        indent: Columns by which the line is indented.
        before: Columns before the expression in its line.
        after: Columns that stand after it.
    """
    text = flat(tree)
    if "\n" in text or len(text) + before + after <= WIDTH:
        return text
    return _broken(tree, indent)


def _broken(tree: ast.expr, indent: int) -> str:
    chain = _chain(tree)
    if len(chain) > 2:
        return _parenthesized(_chain_lines(chain, indent + 4), indent)
    breaker = _BREAKERS.get(type(tree))
    return breaker(tree, indent) if breaker is not None else flat(tree)


def _parenthesized(lines: Sequence[str], indent: int) -> str:
    inner = " " * (indent + 4)
    return "(\n" + "".join(f"{inner}{line}\n" for line in lines) + " " * indent + ")"


def _within(tree: ast.expr, indent: int, after: int = 1) -> str:
    """Text of an expression that stands alone in a line within parentheses."""
    text = flat(tree)
    if "\n" in text or len(text) + indent + after <= WIDTH:
        return text
    pad = "\n" + " " * indent
    chain = _chain(tree)
    if len(chain) > 2:
        return pad.join(_chain_lines(chain, indent))
    if isinstance(tree, ast.BinOp | ast.BoolOp):
        return pad.join(_operands(tree, indent))
    if isinstance(tree, ast.IfExp):
        return pad.join(_choice(tree, indent))
    return _broken(tree, indent)


def _chain(tree: ast.expr) -> list[ast.expr]:
    """Calls of a method chain, from the first object to the whole."""
    links: list[ast.expr] = []
    while isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        links.append(tree)
        tree = tree.func.value
    links.append(tree)
    links.reverse()
    if len(links) > 1 and isinstance(links[0], ast.Name | ast.Attribute):
        del links[0]
        return [links[0], *links]  # the first call stays with its object
    return links


def _chain_lines(chain: Sequence[ast.expr], indent: int) -> list[str]:
    first, *links = chain
    if first is links[0]:
        lines = [laid_out_call(first, flat(_function(first), 18), indent)]
        links = links[1:]
    else:
        lines = [_within(first, indent)]
    lines += [laid_out_call(link, f".{_function(link).attr}", indent) for link in links]
    return lines


def _function(tree: ast.expr) -> ast.Attribute:
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Attribute)
    return tree.func


def laid_out_call(tree: ast.expr, function: str, indent: int) -> str:
    """Return a call whose arguments are broken if they do not fit."""
    assert isinstance(tree, ast.Call)
    arguments = _arguments(tree)
    text = f"{function}({', '.join(one(0) for one in arguments)})"
    if "\n" not in text and len(text) + indent + 1 <= WIDTH:
        return text
    return _broken_items(f"{function}(", arguments, ")", indent)


def _arguments(tree: ast.Call) -> list[Callable[[int], str]]:
    """Functions that print the arguments, in one line if the indentation is 0."""
    items: list[Callable[[int], str]] = [_printer(one) for one in tree.args]
    return items + [_printer(one.value, f"{one.arg}=" if one.arg else "**") for one in tree.keywords]


def _printer(tree: ast.expr, prefix: str = "") -> Callable[[int], str]:
    def printed(indent: int) -> str:
        if not indent:
            return prefix + flat(tree)
        if prefix:
            return prefix + laid_out(tree, indent, indent + len(prefix), 1)
        return _within(tree, indent)

    return printed


def _broken_items(start: str, items: Sequence[Callable[[int], str]], end: str, indent: int) -> str:
    if len(items) == 1 and "\n" in items[0](0):
        return start + items[0](0) + end
    inner = indent + 4
    pad = " " * inner
    line = ", ".join(one(0) for one in items)
    if "\n" not in line and len(line) + inner <= WIDTH and items:
        return f"{start}\n{pad}{line}\n{' ' * indent}{end}"
    if len(items) == 1:
        return f"{start}\n{pad}{items[0](inner)}\n{' ' * indent}{end}"
    return start + "\n" + "".join(f"{pad}{one(inner)},\n" for one in items) + " " * indent + end


def _broken_call(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Call)
    return _broken_items(f"{flat(tree.func, 18)}(", _arguments(tree), ")", indent)


def _broken_collection(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.List | ast.Tuple | ast.Set)
    start, end = {ast.List: ("[", "]"), ast.Tuple: ("(", ")"), ast.Set: ("{", "}")}[type(tree)]
    return _broken_items(start, [_printer(one) for one in tree.elts], end, indent)


def _broken_mapping(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Dict)
    pairs = zip(tree.keys, tree.values, strict=True)
    items = [_printer(value, f"{flat(key)}: " if key is not None else "**") for key, value in pairs]
    return _broken_items("{", items, "}", indent)


def _broken_operands(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.BinOp | ast.BoolOp | ast.Compare)
    if isinstance(tree, ast.Compare):
        return _parenthesized([flat(tree)], indent)
    return _parenthesized(_operands(tree, indent + 4), indent)


def _operands(tree: ast.BinOp | ast.BoolOp, indent: int) -> list[str]:
    if isinstance(tree, ast.BoolOp):
        sign = "and" if isinstance(tree.op, ast.And) else "or"
        inner = precedence_of(tree)
        parts = [flat(one, inner + 1) for one in tree.values]
        return [parts[0], *(f"{sign} {part}" for part in parts[1:])]
    sign, inner = OPERATORS[type(tree.op)]
    is_same = isinstance(tree.left, ast.BinOp) and OPERATORS[type(tree.left.op)][1] == inner
    left = _operands(tree.left, indent) if is_same and isinstance(tree.left, ast.BinOp) else [flat(tree.left, inner)]
    return [*left, f"{sign} {flat(tree.right, inner + 1)}"]


def _broken_choice(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.IfExp)
    return _parenthesized(_choice(tree, indent + 4), indent)


def _choice(tree: ast.IfExp, indent: int) -> list[str]:
    return [
        laid_out(tree.body, indent, indent),
        f"if {laid_out(tree.test, indent, indent + 3)}",
        f"else {laid_out(tree.orelse, indent, indent + 5)}",
    ]


def _broken_text(tree: ast.expr, indent: int) -> str:
    """Text in pieces, one in each line."""
    assert isinstance(tree, ast.Constant)
    if not isinstance(tree.value, str):
        return flat(tree)
    return _parenthesized([string_text(piece) for piece in _pieces(tree.value, WIDTH - indent - 10)], indent)


def _pieces(text: str, width: int) -> list[str]:
    pieces: list[str] = []
    while len(text) > width:
        cut = text.rfind(" ", 0, width) + 1 or width
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]


def _broken_await(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Yield | ast.YieldFrom)
    word = "yield from " if isinstance(tree, ast.YieldFrom) else "yield "
    return word + (laid_out(tree.value, indent, indent + len(word)) if tree.value is not None else "")


def _broken_lambda(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Lambda)
    head = f"lambda {', '.join(one.arg for one in tree.args.args)}".rstrip() + ": "
    return head + laid_out(tree.body, indent, indent + len(head))


_BREAKERS: Final[dict[type[ast.expr], Callable[[ast.expr, int], str]]] = {
    ast.BinOp: _broken_operands,
    ast.BoolOp: _broken_operands,
    ast.Call: _broken_call,
    ast.Compare: _broken_operands,
    ast.Constant: _broken_text,
    ast.Dict: _broken_mapping,
    ast.IfExp: _broken_choice,
    ast.Lambda: _broken_lambda,
    ast.List: _broken_collection,
    ast.Set: _broken_collection,
    ast.Tuple: _broken_collection,
    ast.Yield: _broken_await,
    ast.YieldFrom: _broken_await,
}
