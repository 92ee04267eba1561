"""Layout of Python expressions: in one line where it fits, else broken as ruff breaks them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from kafkastream.port.printing_flat import OPERATORS, flat_text, precedence_of, string_text

__all__ = ["WIDTH", "lay_out"]

WIDTH: Final = 120


def lay_out(tree: ast.expr, indent: int, columns_before: int = 0, columns_after: int = 0) -> str:
    """Return the text of an expression.

    Args:
        tree: Expression.
        indent: Columns by which the line is indented.
        columns_before: Columns before the expression in its line.
        columns_after: Columns after it.
    """
    text = flat_text(tree)
    if "\n" in text or len(text) + columns_before + columns_after <= WIDTH:
        return text
    return _break_expression(tree, indent)


def _break_expression(tree: ast.expr, indent: int) -> str:
    chain = _method_chain(tree)
    if len(chain) > 2:
        return _parenthesize(_chain_lines(chain, indent + 4), indent)
    breaker = _BREAKERS.get(type(tree))
    return breaker(tree, indent) if breaker is not None else flat_text(tree)


def _parenthesize(lines: Sequence[str], indent: int) -> str:
    inner = " " * (indent + 4)
    return "(\n" + "".join(f"{inner}{line}\n" for line in lines) + " " * indent + ")"


def _lay_out_alone(tree: ast.expr, indent: int, after: int = 1) -> str:
    """Return the text of an expression on a line of its own within parentheses."""
    text = flat_text(tree)
    if "\n" in text or len(text) + indent + after <= WIDTH:
        return text
    pad = "\n" + " " * indent
    chain = _method_chain(tree)
    if len(chain) > 2:
        return pad.join(_chain_lines(chain, indent))
    if isinstance(tree, ast.BinOp | ast.BoolOp):
        return pad.join(_operand_lines(tree, indent))
    if isinstance(tree, ast.IfExp):
        return pad.join(_conditional_lines(tree, indent))
    return _break_expression(tree, indent)


def _method_chain(tree: ast.expr) -> list[ast.expr]:
    """Return the calls of a method chain, from the first object to the whole expression."""
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
        lines = [lay_out_call(first, flat_text(_called_method(first), 18), indent)]
        links = links[1:]
    else:
        lines = [_lay_out_alone(first, indent)]
    lines += [lay_out_call(link, f".{_called_method(link).attr}", indent) for link in links]
    return lines


def _called_method(tree: ast.expr) -> ast.Attribute:
    assert isinstance(tree, ast.Call)
    assert isinstance(tree.func, ast.Attribute)
    return tree.func


def lay_out_call(tree: ast.expr, function: str, indent: int) -> str:
    """Return a call whose arguments are broken if they do not fit."""
    assert isinstance(tree, ast.Call)
    arguments = _argument_printers(tree)
    text = f"{function}({', '.join(argument(0) for argument in arguments)})"
    if "\n" not in text and len(text) + indent + 1 <= WIDTH:
        return text
    return _break_items(f"{function}(", arguments, ")", indent)


def _argument_printers(tree: ast.Call) -> list[Callable[[int], str]]:
    """Functions that print the arguments, in one line if the indentation is 0."""
    items: list[Callable[[int], str]] = [_make_printer(arg) for arg in tree.args]
    return items + [
        _make_printer(keyword.value, f"{keyword.arg}=" if keyword.arg else "**") for keyword in tree.keywords
    ]


def _make_printer(tree: ast.expr, prefix: str = "") -> Callable[[int], str]:
    def printed(indent: int) -> str:
        if not indent:
            return prefix + flat_text(tree)
        if prefix:
            return prefix + lay_out(tree, indent, indent + len(prefix), 1)
        return _lay_out_alone(tree, indent)

    return printed


def _break_items(start: str, items: Sequence[Callable[[int], str]], end: str, indent: int) -> str:
    if len(items) == 1 and "\n" in items[0](0):
        return start + items[0](0) + end
    inner = indent + 4
    pad = " " * inner
    line = ", ".join(item(0) for item in items)
    if "\n" not in line and len(line) + inner <= WIDTH and items:
        return f"{start}\n{pad}{line}\n{' ' * indent}{end}"
    if len(items) == 1:
        return f"{start}\n{pad}{items[0](inner)}\n{' ' * indent}{end}"
    return start + "\n" + "".join(f"{pad}{item(inner)},\n" for item in items) + " " * indent + end


def _break_call(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Call)
    return _break_items(f"{flat_text(tree.func, 18)}(", _argument_printers(tree), ")", indent)


def _break_collection(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.List | ast.Tuple | ast.Set)
    start, end = {ast.List: ("[", "]"), ast.Tuple: ("(", ")"), ast.Set: ("{", "}")}[type(tree)]
    return _break_items(start, [_make_printer(elt) for elt in tree.elts], end, indent)


def _break_dict(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Dict)
    pairs = zip(tree.keys, tree.values, strict=True)
    items = [_make_printer(value, f"{flat_text(key)}: " if key is not None else "**") for key, value in pairs]
    return _break_items("{", items, "}", indent)


def _break_operands(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.BinOp | ast.BoolOp | ast.Compare)
    if isinstance(tree, ast.Compare):
        return _parenthesize([flat_text(tree)], indent)
    return _parenthesize(_operand_lines(tree, indent + 4), indent)


def _operand_lines(tree: ast.BinOp | ast.BoolOp, indent: int) -> list[str]:
    if isinstance(tree, ast.BoolOp):
        sign = "and" if isinstance(tree.op, ast.And) else "or"
        inner = precedence_of(tree)
        parts = [flat_text(value, inner + 1) for value in tree.values]
        return [parts[0], *(f"{sign} {part}" for part in parts[1:])]
    sign, inner = OPERATORS[type(tree.op)]
    is_same = isinstance(tree.left, ast.BinOp) and OPERATORS[type(tree.left.op)][1] == inner
    left = (
        _operand_lines(tree.left, indent)
        if is_same and isinstance(tree.left, ast.BinOp)
        else [flat_text(tree.left, inner)]
    )
    return [*left, f"{sign} {flat_text(tree.right, inner + 1)}"]


def _break_conditional(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.IfExp)
    return _parenthesize(_conditional_lines(tree, indent + 4), indent)


def _conditional_lines(tree: ast.IfExp, indent: int) -> list[str]:
    return [
        lay_out(tree.body, indent, indent),
        f"if {lay_out(tree.test, indent, indent + 3)}",
        f"else {lay_out(tree.orelse, indent, indent + 5)}",
    ]


def _break_string(tree: ast.expr, indent: int) -> str:
    """Break a string literal into pieces, one per line."""
    assert isinstance(tree, ast.Constant)
    if not isinstance(tree.value, str):
        return flat_text(tree)
    return _parenthesize([string_text(piece) for piece in _split_string(tree.value, WIDTH - indent - 10)], indent)


def _split_string(text: str, width: int) -> list[str]:
    pieces: list[str] = []
    while len(text) > width:
        cut = text.rfind(" ", 0, width) + 1 or width
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]


def _break_yield(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Yield | ast.YieldFrom)
    word = "yield from " if isinstance(tree, ast.YieldFrom) else "yield "
    return word + (lay_out(tree.value, indent, indent + len(word)) if tree.value is not None else "")


def _break_lambda(tree: ast.expr, indent: int) -> str:
    assert isinstance(tree, ast.Lambda)
    head = f"lambda {', '.join(arg.arg for arg in tree.args.args)}".rstrip() + ": "
    return head + lay_out(tree.body, indent, indent + len(head))


_BREAKERS: Final[dict[type[ast.expr], Callable[[ast.expr, int], str]]] = {
    ast.BinOp: _break_operands,
    ast.BoolOp: _break_operands,
    ast.Call: _break_call,
    ast.Compare: _break_operands,
    ast.Constant: _break_string,
    ast.Dict: _break_dict,
    ast.IfExp: _break_conditional,
    ast.Lambda: _break_lambda,
    ast.List: _break_collection,
    ast.Set: _break_collection,
    ast.Tuple: _break_collection,
    ast.Yield: _break_yield,
    ast.YieldFrom: _break_yield,
}
