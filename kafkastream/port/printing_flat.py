"""Text of Python expressions in one line, with as few parentheses as precedence allows."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

__all__ = ["OPERATORS", "flat_text", "precedence_of", "string_text"]

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


def flat_text(tree: ast.expr, least: int = 0) -> str:
    """Return the text of an expression, in parentheses if it binds less tightly than ``least``.

    Example:
        >>> flat_text(ast.parse("(a + b) * f(c, d=1)['x']", mode="eval").body)
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
    return quote + _escape(value).replace(quote, f"\\{quote}") + quote


def _escape(value: str) -> str:
    """Escape everything but quotes."""
    both = repr(value + "'\"")[1:-1]  # with both quotes in a text, repr escapes the single one
    return both.removesuffix("\\'\"").replace("\\'", "'")


def _print_constant(tree: Any) -> str:
    if isinstance(tree.value, str):
        if "\n" in tree.value.strip() and '"""' not in tree.value and "\\" not in tree.value and "\r" not in tree.value:
            return _triple_quoted(tree.value)
        return string_text(tree.value)
    if type(tree.value) is int and abs(tree.value) >= 100_000:
        return f"{tree.value:_}"
    return repr(tree.value)


def _triple_quoted(value: str) -> str:
    start = "\\\n" if not value.startswith("\n") else ""
    end = value[:-1] + '\\"' if value.endswith('"') else value
    return f'"""{start}{end}"""'


def _print_f_string(tree: Any) -> str:
    """Return an f-string; texts within its braces have single quotes, as Python before 3.12 demands."""
    quotes = [
        character
        for part in tree.values
        for character in (flat_text(part.value) if isinstance(part, ast.FormattedValue) else "")
    ]
    texts = "".join(str(part.value) for part in tree.values if isinstance(part, ast.Constant))
    quote = "'" if '"' in texts and "'" not in texts and not {"'", '"'} & set(quotes) else '"'
    return f"f{quote}{''.join(_f_string_part(value, quote) for value in tree.values)}{quote}"


def _f_string_part(part: ast.expr, quote: str) -> str:
    if isinstance(part, ast.Constant):
        text = _escape(str(part.value)).replace("{", "{{").replace("}", "}}")
        return text.replace(quote, f"\\{quote}")
    assert isinstance(part, ast.FormattedValue)
    inner = flat_text(part.value).replace('"', "'")
    spec = ""
    if isinstance(part.format_spec, ast.JoinedStr):
        spec = ":" + "".join(str(value.value) for value in part.format_spec.values if isinstance(value, ast.Constant))
    conversion = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
    spaced = f" {inner}" if inner.startswith("{") else inner
    return "{" + (f"({spaced})" if isinstance(part.value, ast.Lambda) else spaced) + conversion + spec + "}"


def _print_call(tree: Any) -> str:
    arguments = [flat_text(arg, 1 if len(tree.args) + len(tree.keywords) > 1 else 0) for arg in tree.args]
    arguments += [
        f"{keyword.arg}={flat_text(keyword.value, 1)}" if keyword.arg else f"**{flat_text(keyword.value)}"
        for keyword in tree.keywords
    ]
    if len(arguments) == 1 and isinstance(tree.args and tree.args[0], ast.GeneratorExp):
        arguments = [arguments[0][1:-1]]
    return f"{flat_text(tree.func, _ATOM)}({', '.join(arguments)})"


def _print_attribute(tree: Any) -> str:
    value = tree.value
    is_number = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
    return f"{f'({flat_text(value)})' if is_number else flat_text(value, _ATOM)}.{tree.attr}"


def _print_subscript(tree: Any) -> str:
    index = tree.slice
    if isinstance(index, ast.Tuple) and index.elts:
        return f"{flat_text(tree.value, _ATOM)}[{', '.join(flat_text(elt) for elt in index.elts)}]"
    return f"{flat_text(tree.value, _ATOM)}[{flat_text(index)}]"


def _print_slice(tree: Any) -> str:
    lower, upper = (flat_text(bound) if bound is not None else "" for bound in (tree.lower, tree.upper))
    return f"{lower}:{upper}"


def _print_binary(tree: Any) -> str:
    sign, inner = OPERATORS[type(tree.op)]
    return f"{flat_text(tree.left, inner)} {sign} {flat_text(tree.right, inner + 1)}"


def _print_boolean(tree: Any) -> str:
    sign = " and " if isinstance(tree.op, ast.And) else " or "
    return sign.join(flat_text(value, precedence_of(tree) + 1) for value in tree.values)


def _print_unary(tree: Any) -> str:
    return _UNARY[type(tree.op)] + flat_text(tree.operand, precedence_of(tree))


def _print_comparison(tree: Any) -> str:
    parts = [
        f"{_COMPARISONS[type(op)]} {flat_text(comparator, 7)}"
        for op, comparator in zip(tree.ops, tree.comparators, strict=True)
    ]
    return " ".join([flat_text(tree.left, 7), *parts])


def _print_conditional(tree: Any) -> str:
    return f"{flat_text(tree.body, 3)} if {flat_text(tree.test, 3)} else {flat_text(tree.orelse, 2)}"


def _print_lambda(tree: Any) -> str:
    return f"lambda {', '.join(arg.arg for arg in tree.args.args)}".rstrip() + f": {flat_text(tree.body, 1)}"


def _print_list(tree: Any) -> str:
    return f"[{', '.join(flat_text(elt, 1) for elt in tree.elts)}]"


def _print_tuple(tree: Any) -> str:
    inner = ", ".join(flat_text(elt, 1) for elt in tree.elts)
    return f"({inner},)" if len(tree.elts) == 1 else f"({inner})"


def _print_set(tree: Any) -> str:
    return "{" + ", ".join(flat_text(elt, 1) for elt in tree.elts) + "}"


def _print_dict(tree: Any) -> str:
    pairs = zip(tree.keys, tree.values, strict=True)
    return (
        "{"
        + ", ".join(
            f"{flat_text(key)}: {flat_text(value)}" if key else f"**{flat_text(value, 7)}" for key, value in pairs
        )
        + "}"
    )


def _print_loops(tree: Any) -> str:
    text = ""
    for generator in tree.generators:
        text += f" for {_print_target(generator.target)} in {flat_text(generator.iter, 3)}"
        text += "".join(f" if {flat_text(condition, 3)}" for condition in generator.ifs)
    return text


def _print_target(tree: ast.expr) -> str:
    return flat_text(tree)[1:-1] if isinstance(tree, ast.Tuple) and len(tree.elts) > 1 else flat_text(tree)


def _print_comprehension(tree: Any) -> str:
    start, end = {ast.ListComp: ("[", "]"), ast.SetComp: ("{", "}"), ast.GeneratorExp: ("(", ")")}[type(tree)]
    return f"{start}{flat_text(tree.elt, 1)}{_print_loops(tree)}{end}"


def _print_dict_comprehension(tree: Any) -> str:
    return "{" + f"{flat_text(tree.key, 1)}: {flat_text(tree.value, 1)}{_print_loops(tree)}" + "}"


def _print_yield(tree: Any) -> str:
    if tree.value is None:
        return "yield"
    value = tree.value
    return f"yield {flat_text(value)[1:-1] if isinstance(value, ast.Tuple) and len(value.elts) > 1 else flat_text(value, 1)}"


_PRINTERS: Final[dict[type[ast.expr], Callable[[Any], str]]] = {
    ast.Attribute: _print_attribute,
    ast.BinOp: _print_binary,
    ast.BoolOp: _print_boolean,
    ast.Call: _print_call,
    ast.Compare: _print_comparison,
    ast.Constant: _print_constant,
    ast.Dict: _print_dict,
    ast.DictComp: _print_dict_comprehension,
    ast.GeneratorExp: _print_comprehension,
    ast.IfExp: _print_conditional,
    ast.JoinedStr: _print_f_string,
    ast.Lambda: _print_lambda,
    ast.List: _print_list,
    ast.ListComp: _print_comprehension,
    ast.Name: lambda tree: str(tree.id),
    ast.NamedExpr: lambda tree: f"{flat_text(tree.target)} := {flat_text(tree.value, 1)}",
    ast.Set: _print_set,
    ast.SetComp: _print_comprehension,
    ast.Slice: _print_slice,
    ast.Starred: lambda tree: f"*{flat_text(tree.value, 7)}",
    ast.Subscript: _print_subscript,
    ast.Tuple: _print_tuple,
    ast.UnaryOp: _print_unary,
    ast.Yield: _print_yield,
    ast.YieldFrom: lambda tree: f"yield from {flat_text(tree.value, 1)}",
}
