"""Text of Python expressions in one line, with as few parentheses as precedence allows."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

__all__ = ["OPERATORS", "flat", "precedence_of", "string_text"]

OPERATORS: Final[dict[type[ast.AST], tuple[str, int]]] = {
    ast.BitOr: ("|", 7),
    ast.BitXor: ("^", 8),
    ast.BitAnd: ("&", 9),
    ast.LShift: ("<<", 10),
    ast.RShift: (">>", 10),
    ast.Add: ("+", 11),
    ast.Sub: ("-", 11),
    ast.Mult: ("*", 12),
    ast.Div: ("/", 12),
    ast.FloorDiv: ("//", 12),
    ast.Mod: ("%", 12),
    ast.Pow: ("**", 14),
}
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY: Final[dict[type[ast.unaryop], str]] = {ast.Not: "not ", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_PRECEDENCES: Final[dict[type[ast.AST], int]] = {
    ast.NamedExpr: 0,
    ast.Yield: 0,
    ast.YieldFrom: 0,
    ast.Lambda: 1,
    ast.IfExp: 2,
    ast.Compare: 6,
}
_ATOM: Final = 18


def precedence_of(tree: ast.expr) -> int:
    """Return how tightly the outermost operator of an expression binds."""
    match tree:
        case ast.BinOp(op=op):
            return OPERATORS[type(op)][1]
        case ast.BoolOp(op=ast.Or()):
            return 3
        case ast.BoolOp():
            return 4
        case ast.UnaryOp(op=ast.Not()):
            return 5
        case ast.UnaryOp():
            return 13
        case ast.Constant(value=int() | float() as number) if number < 0:
            return 13
        case _:
            return _PRECEDENCES.get(type(tree), _ATOM)


def flat(tree: ast.expr, least: int = 0) -> str:
    """Return the text of an expression, in parentheses if it binds less tightly than ``least``.

    Example:
        >>> flat(ast.parse("(a + b) * f(c, d=1)['x']", mode="eval").body)
        '(a + b) * f(c, d=1)["x"]'
    """
    printer = _PRINTERS.get(type(tree))
    text = printer(tree) if printer is not None else ast.unparse(tree)
    return f"({text})" if precedence_of(tree) < least else text


def string_text(value: str, quote: str = '"') -> str:
    r"""Return a string literal, with double quotes unless single ones need fewer escapes.

    Example:
        >>> print(string_text('say "no"'), string_text("it's"), string_text("a\n"))
        'say "no"' "it's" "a\n"
    """
    if quote in value and value.count("'") < value.count('"'):
        quote = "'"
    return quote + _escaped(value).replace(quote, f"\\{quote}") + quote


def _escaped(value: str) -> str:
    """Escape everything but quotes."""
    both = repr(value + "'\"")[1:-1]  # with both quotes in a text, repr escapes the single one
    return both.removesuffix("\\'\"").replace("\\'", "'")


def _constant(tree: Any) -> str:
    if isinstance(tree.value, str):
        if "\n" in tree.value.strip() and '"""' not in tree.value and "\\" not in tree.value and "\r" not in tree.value:
            return _block_text(tree.value)
        return string_text(tree.value)
    if type(tree.value) is int and abs(tree.value) >= 100_000:
        return f"{tree.value:_}"
    return repr(tree.value)


def _block_text(value: str) -> str:
    start = "\\\n" if not value.startswith("\n") else ""
    end = value[:-1] + '\\"' if value.endswith('"') else value
    return f'"""{start}{end}"""'


def _joined(tree: Any) -> str:
    """Return an f-string; texts within its braces have single quotes, as Python before 3.12 demands."""
    quotes = [one for part in tree.values for one in (flat(part.value) if isinstance(part, ast.FormattedValue) else "")]
    texts = "".join(str(part.value) for part in tree.values if isinstance(part, ast.Constant))
    quote = "'" if '"' in texts and "'" not in texts and not {"'", '"'} & set(quotes) else '"'
    return f"f{quote}{''.join(_f_part(one, quote) for one in tree.values)}{quote}"


def _f_part(part: ast.expr, quote: str) -> str:
    if isinstance(part, ast.Constant):
        text = _escaped(str(part.value)).replace("{", "{{").replace("}", "}}")
        return text.replace(quote, f"\\{quote}")
    assert isinstance(part, ast.FormattedValue)
    inner = flat(part.value).replace('"', "'")
    spec = ""
    if isinstance(part.format_spec, ast.JoinedStr):
        spec = ":" + "".join(str(one.value) for one in part.format_spec.values if isinstance(one, ast.Constant))
    conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
    spaced = f" {inner}" if inner.startswith("{") else inner
    return "{" + (f"({spaced})" if isinstance(part.value, ast.Lambda) else spaced) + conversion + spec + "}"


def _call(tree: Any) -> str:
    arguments = [flat(one, 1 if len(tree.args) + len(tree.keywords) > 1 else 0) for one in tree.args]
    arguments += [f"{one.arg}={flat(one.value, 1)}" if one.arg else f"**{flat(one.value)}" for one in tree.keywords]
    if len(arguments) == 1 and isinstance(tree.args and tree.args[0], ast.GeneratorExp):
        arguments = [arguments[0][1:-1]]
    return f"{flat(tree.func, _ATOM)}({', '.join(arguments)})"


def _attribute(tree: Any) -> str:
    value = tree.value
    is_number = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return f"{f'({flat(value)})' if is_number else flat(value, _ATOM)}.{tree.attr}"


def _subscript(tree: Any) -> str:
    index = tree.slice
    if isinstance(index, ast.Tuple) and index.elts:
        return f"{flat(tree.value, _ATOM)}[{', '.join(flat(one) for one in index.elts)}]"
    return f"{flat(tree.value, _ATOM)}[{flat(index)}]"


def _slice(tree: Any) -> str:
    lower, upper = (flat(one) if one is not None else "" for one in (tree.lower, tree.upper))
    return f"{lower}:{upper}"


def _binary(tree: Any) -> str:
    sign, inner = OPERATORS[type(tree.op)]
    return f"{flat(tree.left, inner)} {sign} {flat(tree.right, inner + 1)}"


def _boolean(tree: Any) -> str:
    sign = " and " if isinstance(tree.op, ast.And) else " or "
    return sign.join(flat(one, precedence_of(tree) + 1) for one in tree.values)


def _unary(tree: Any) -> str:
    return _UNARY[type(tree.op)] + flat(tree.operand, precedence_of(tree))


def _compare(tree: Any) -> str:
    parts = [f"{_COMPARISONS[type(op)]} {flat(one, 7)}" for op, one in zip(tree.ops, tree.comparators, strict=True)]
    return " ".join([flat(tree.left, 7), *parts])


def _choice(tree: Any) -> str:
    return f"{flat(tree.body, 3)} if {flat(tree.test, 3)} else {flat(tree.orelse, 2)}"


def _lambda(tree: Any) -> str:
    return f"lambda {', '.join(one.arg for one in tree.args.args)}".rstrip() + f": {flat(tree.body, 1)}"


def _list(tree: Any) -> str:
    return f"[{', '.join(flat(one, 1) for one in tree.elts)}]"


def _tuple(tree: Any) -> str:
    inner = ", ".join(flat(one, 1) for one in tree.elts)
    return f"({inner},)" if len(tree.elts) == 1 else f"({inner})"


def _set(tree: Any) -> str:
    return "{" + ", ".join(flat(one, 1) for one in tree.elts) + "}"


def _mapping(tree: Any) -> str:
    pairs = zip(tree.keys, tree.values, strict=True)
    return (
        "{" + ", ".join(f"{flat(key)}: {flat(value)}" if key else f"**{flat(value, 7)}" for key, value in pairs) + "}"
    )


def _loops(tree: Any) -> str:
    text = ""
    for one in tree.generators:
        text += f" for {_target(one.target)} in {flat(one.iter, 3)}"
        text += "".join(f" if {flat(condition, 3)}" for condition in one.ifs)
    return text


def _target(tree: ast.expr) -> str:
    return flat(tree)[1:-1] if isinstance(tree, ast.Tuple) and len(tree.elts) > 1 else flat(tree)


def _comprehension(tree: Any) -> str:
    start, end = {ast.ListComp: ("[", "]"), ast.SetComp: ("{", "}"), ast.GeneratorExp: ("(", ")")}[type(tree)]
    return f"{start}{flat(tree.elt, 1)}{_loops(tree)}{end}"


def _mapping_comprehension(tree: Any) -> str:
    return "{" + f"{flat(tree.key, 1)}: {flat(tree.value, 1)}{_loops(tree)}" + "}"


def _yield(tree: Any) -> str:
    if tree.value is None:
        return "yield"
    value = tree.value
    return f"yield {flat(value)[1:-1] if isinstance(value, ast.Tuple) and len(value.elts) > 1 else flat(value, 1)}"


_PRINTERS: Final[dict[type[ast.expr], Callable[[Any], str]]] = {
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Call: _call,
    ast.Compare: _compare,
    ast.Constant: _constant,
    ast.Dict: _mapping,
    ast.DictComp: _mapping_comprehension,
    ast.GeneratorExp: _comprehension,
    ast.IfExp: _choice,
    ast.JoinedStr: _joined,
    ast.Lambda: _lambda,
    ast.List: _list,
    ast.ListComp: _comprehension,
    ast.Name: lambda tree: str(tree.id),
    ast.NamedExpr: lambda tree: f"{flat(tree.target)} := {flat(tree.value, 1)}",
    ast.Set: _set,
    ast.SetComp: _comprehension,
    ast.Slice: _slice,
    ast.Starred: lambda tree: f"*{flat(tree.value, 7)}",
    ast.Subscript: _subscript,
    ast.Tuple: _tuple,
    ast.UnaryOp: _unary,
    ast.Yield: _yield,
    ast.YieldFrom: lambda tree: f"yield from {flat(tree.value, 1)}",
}
