"""Layout of Python programs: statements, definitions and comments, as ruff formats them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from kafkastream.port.printing_expressions import WIDTH, laid_out
from kafkastream.port.printing_flat import OPERATORS, flat
from kafkastream.port.python_trees import Blank, Remark

__all__ = ["printed"]


def printed(body: Sequence[ast.stmt]) -> str:
    """Return the text of a program."""
    return "\n".join(_lines(body, 0, top=True)).strip("\n") + "\n"


def _lines(body: Sequence[ast.stmt], indent: int, *, top: bool = False) -> Iterator[str]:
    """Yield the lines of statements; definitions stand apart, with the comments above them."""
    gap = 2 if top else 1
    before: ast.stmt | None = None
    for place, statement in enumerate(body):
        lines = list(_statement(statement, indent))
        owner = _below_remarks(body, place)
        is_apart = isinstance(owner, _DEFINITIONS) and not isinstance(before, Remark)
        is_after = isinstance(before, _DEFINITIONS)
        if before is not None and (is_apart or is_after):
            yield from [""] * (gap - isinstance(before, Blank))
        yield from lines
        before = statement
    if not [one for one in body if not isinstance(one, Remark | Blank)] and not top:
        yield " " * indent + "pass"


_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _below_remarks(body: Sequence[ast.stmt], place: int) -> ast.stmt:
    while isinstance(body[place], Remark) and place + 1 < len(body):
        place += 1
    return body[place]


def _statement(tree: ast.stmt, indent: int) -> Iterator[str]:
    printer = _PRINTERS.get(type(tree))
    if printer is None:
        raise NotImplementedError(type(tree).__name__)
    yield from printer(tree, indent)


def _line(head: str, value: ast.expr | None, indent: int, tail: str = "") -> Iterator[str]:
    pad = " " * indent
    text = laid_out(value, indent, indent + len(head), len(tail)) if value is not None else ""
    yield from f"{pad}{head}{text}{tail}".split("\n") if value is not None else [f"{pad}{head}{tail}"]


def _remark(tree: Any, indent: int) -> Iterator[str]:
    for line in tree.lines:
        yield f"{' ' * indent}# {line}".rstrip()


def _blank(tree: Any, indent: int) -> Iterator[str]:
    yield ""


def _evaluate(tree: Any, indent: int) -> Iterator[str]:
    if isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, str):
        yield from _docstring(tree.value.value, indent)
    else:
        yield from _line("", tree.value, indent)


def _docstring(text: str, indent: int) -> Iterator[str]:
    pad = " " * indent
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [line for part in safe.split("\n") for line in (textwrap.wrap(part, WIDTH - indent - 6) or [""])]
    if len(lines) == 1:
        yield f'{pad}"""{lines[0]}"""'
        return
    yield f'{pad}"""{lines[0]}'
    yield from (f"{pad}{line}".rstrip() for line in lines[1:])
    yield f'{pad}"""'


def _assign(tree: Any, indent: int) -> Iterator[str]:
    head = "".join(f"{_bare(target)} = " for target in tree.targets)
    yield from _line(head, tree.value, indent)


def _bare(target: ast.expr) -> str:
    text = flat(target)
    return text[1:-1] if isinstance(target, ast.Tuple) and len(target.elts) > 1 else text


def _annotated(tree: Any, indent: int) -> Iterator[str]:
    head = f"{flat(tree.target)}: {flat(tree.annotation)}"
    yield from _line(f"{head} = " if tree.value is not None else head, tree.value, indent)


def _augmented(tree: Any, indent: int) -> Iterator[str]:
    yield from _line(f"{flat(tree.target)} {OPERATORS[type(tree.op)][0]}= ", tree.value, indent)


def _return(tree: Any, indent: int) -> Iterator[str]:
    yield from _line("return " if tree.value is not None else "return", tree.value, indent)


def _raise(tree: Any, indent: int) -> Iterator[str]:
    cause = f" from {flat(tree.cause)}" if tree.cause is not None else ""
    yield from _line("raise " if tree.exc is not None else "raise", tree.exc, indent, cause)


def _word(word: str) -> Callable[[Any, int], Iterator[str]]:
    def print_word(tree: Any, indent: int) -> Iterator[str]:
        yield " " * indent + word

    return print_word


def _names(word: str) -> Callable[[Any, int], Iterator[str]]:
    def print_names(tree: Any, indent: int) -> Iterator[str]:
        yield f"{' ' * indent}{word} {', '.join(tree.names)}"

    return print_names


def _delete(tree: Any, indent: int) -> Iterator[str]:
    yield f"{' ' * indent}del {', '.join(map(flat, tree.targets))}"


def _assert(tree: Any, indent: int) -> Iterator[str]:
    yield from _line("assert ", tree.test, indent)


def _if(tree: Any, indent: int, word: str = "if") -> Iterator[str]:
    yield from _line(f"{word} ", tree.test, indent, ":")
    yield from _lines(tree.body, indent + 4)
    if len(tree.orelse) == 1 and isinstance(tree.orelse[0], ast.If):
        yield from _if(tree.orelse[0], indent, "elif")
    elif tree.orelse:
        yield " " * indent + "else:"
        yield from _lines(tree.orelse, indent + 4)


def _while(tree: Any, indent: int) -> Iterator[str]:
    yield from _line("while ", tree.test, indent, ":")
    yield from _lines(tree.body, indent + 4)


def _for(tree: Any, indent: int) -> Iterator[str]:
    yield from _line(f"for {_bare(tree.target)} in ", tree.iter, indent, ":")
    yield from _lines(tree.body, indent + 4)


def _with(tree: Any, indent: int) -> Iterator[str]:
    (used,) = tree.items
    named = f" as {flat(used.optional_vars)}" if used.optional_vars is not None else ""
    yield from _line("with ", used.context_expr, indent, f"{named}:")
    yield from _lines(tree.body, indent + 4)


def _try(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield f"{pad}try:"
    yield from _lines(tree.body, indent + 4)
    for handler in tree.handlers:
        named = f" as {handler.name}" if handler.name else ""
        yield f"{pad}except {flat(handler.type)}{named}:"
        yield from _lines(handler.body, indent + 4)
    if tree.finalbody:
        yield f"{pad}finally:"
        yield from _lines(tree.finalbody, indent + 4)


def _match(tree: Any, indent: int) -> Iterator[str]:
    yield from _line("match ", tree.subject, indent, ":")
    for case in tree.cases:
        yield f"{' ' * (indent + 4)}case {_pattern(case.pattern)}:"
        yield from _lines(case.body, indent + 8)


def _pattern(tree: Any) -> str:
    if isinstance(tree, ast.MatchOr):
        return " | ".join(map(_pattern, tree.patterns))
    return flat(tree.value) if isinstance(tree, ast.MatchValue) else "_"


def _import(tree: Any, indent: int) -> Iterator[str]:
    yield f"{' ' * indent}import {', '.join(one.name for one in tree.names)}"


def _import_from(tree: Any, indent: int) -> Iterator[str]:
    pad, names = " " * indent, [f"{one.name} as {one.asname}" if one.asname else one.name for one in tree.names]
    line = f"{pad}from {tree.module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{pad}from {tree.module} import ("
    yield from (f"{pad}    {one}," for one in names)
    yield f"{pad})"


def _class(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield from (f"{pad}@{flat(one)}" for one in tree.decorator_list)
    bases = ", ".join(map(flat, tree.bases))
    yield f"{pad}class {tree.name}{f'({bases})' if bases else ''}:"
    yield from _spaced(tree.body, indent + 4)


def _spaced(body: Sequence[ast.stmt], indent: int) -> Iterator[str]:
    """Yield the lines of a class: a docstring stands apart."""
    head, rest = (body[:1], body[1:]) if _is_docstring(body) else ([], body)
    yield from _lines(head, indent) if head else ()
    if head and rest:
        yield ""
    if rest or not head:
        yield from _lines(rest, indent)


def _is_docstring(body: Sequence[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _function(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield from (f"{pad}@{flat(one)}" for one in tree.decorator_list)
    word = "async def" if isinstance(tree, ast.AsyncFunctionDef) else "def"
    parameters = _parameters(tree.args)
    result = f" -> {flat(tree.returns)}" if tree.returns is not None else ""
    line = f"{pad}{word} {tree.name}({', '.join(parameters)}){result}:"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from _broken_head(f"{pad}{word} {tree.name}(", parameters, f"{pad}){result}:", indent)
    yield from _lines(tree.body, indent + 4)


def _broken_head(start: str, parameters: Sequence[str], end: str, indent: int) -> Iterator[str]:
    pad = " " * (indent + 4)
    line = f"{pad}{', '.join(parameters)}"
    yield start
    if len(line) <= WIDTH:
        yield line
    else:
        yield from (f"{pad}{one}," for one in parameters)
    yield end


def _parameters(tree: ast.arguments) -> list[str]:
    plain = len(tree.args) - len(tree.defaults)
    texts = []
    for place, one in enumerate(tree.args):
        text = f"{one.arg}: {flat(one.annotation)}" if one.annotation is not None else one.arg
        if place >= plain:
            text += f"{' = ' if one.annotation is not None else '='}{flat(tree.defaults[place - plain])}"
        texts.append(text)
    if tree.vararg is not None:
        annotation = f": {flat(tree.vararg.annotation)}" if tree.vararg.annotation is not None else ""
        texts.append(f"*{tree.vararg.arg}{annotation}")
    return texts


_PRINTERS: Final[dict[type[ast.stmt], Callable[[Any, int], Iterator[str]]]] = {
    Blank: _blank,
    Remark: _remark,
    ast.AnnAssign: _annotated,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AsyncFunctionDef: _function,
    ast.AugAssign: _augmented,
    ast.Break: _word("break"),
    ast.ClassDef: _class,
    ast.Continue: _word("continue"),
    ast.Delete: _delete,
    ast.Expr: _evaluate,
    ast.For: _for,
    ast.FunctionDef: _function,
    ast.Global: _names("global"),
    ast.If: _if,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Match: _match,
    ast.Nonlocal: _names("nonlocal"),
    ast.Pass: _word("pass"),
    ast.Raise: _raise,
    ast.Return: _return,
    ast.Try: _try,
    ast.While: _while,
    ast.With: _with,
}
