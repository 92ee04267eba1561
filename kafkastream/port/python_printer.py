"""Layout of Python programs: statements, definitions and comments, as ruff formats them."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from kafkastream.port.printing_expressions import WIDTH, lay_out
from kafkastream.port.printing_flat import OPERATORS, flat_text
from kafkastream.port.python_trees import Blank, Remark

__all__ = ["print_program"]


def print_program(body: Sequence[ast.stmt]) -> str:
    """Return the text of a program."""
    return "\n".join(_print_block(body, 0, top=True)).strip("\n") + "\n"


def _print_block(body: Sequence[ast.stmt], indent: int, *, top: bool = False) -> Iterator[str]:
    """Yield the lines of statements; definitions stand apart, with the comments above them."""
    gap = 2 if top else 1
    previous: ast.stmt | None = None
    for index, statement in enumerate(body):
        lines = list(_print_statement(statement, indent))
        owner = _statement_below_remarks(body, index)
        is_apart = isinstance(owner, _DEFINITIONS) and not isinstance(previous, Remark)
        is_after = isinstance(previous, _DEFINITIONS)
        if previous is not None and (is_apart or is_after):
            yield from [""] * (gap - isinstance(previous, Blank))
        yield from lines
        previous = statement
    if not [statement for statement in body if not isinstance(statement, Remark | Blank)] and not top:
        yield " " * indent + "pass"


_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _statement_below_remarks(body: Sequence[ast.stmt], index: int) -> ast.stmt:
    while isinstance(body[index], Remark) and index + 1 < len(body):
        index += 1
    return body[index]


def _print_statement(tree: ast.stmt, indent: int) -> Iterator[str]:
    printer = _PRINTERS.get(type(tree))
    if printer is None:
        raise NotImplementedError(type(tree).__name__)
    yield from printer(tree, indent)


def _print_line(head: str, value: ast.expr | None, indent: int, tail: str = "") -> Iterator[str]:
    pad = " " * indent
    text = lay_out(value, indent, indent + len(head), len(tail)) if value is not None else ""
    yield from f"{pad}{head}{text}{tail}".split("\n") if value is not None else [f"{pad}{head}{tail}"]


def _print_remark(tree: Any, indent: int) -> Iterator[str]:
    for line in tree.lines:
        yield f"{' ' * indent}# {line}".rstrip()


def _print_blank(tree: Any, indent: int) -> Iterator[str]:
    yield ""


def _print_expression(tree: Any, indent: int) -> Iterator[str]:
    if isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, str):
        yield from _print_docstring(tree.value.value, indent)
    else:
        yield from _print_line("", tree.value, indent)


def _print_docstring(text: str, indent: int) -> Iterator[str]:
    pad = " " * indent
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [line for part in safe.split("\n") for line in (textwrap.wrap(part, WIDTH - indent - 6) or [""])]
    if len(lines) == 1:
        yield f'{pad}"""{lines[0]}"""'
        return
    yield f'{pad}"""{lines[0]}'
    yield from (f"{pad}{line}".rstrip() for line in lines[1:])
    yield f'{pad}"""'


def _print_assign(tree: Any, indent: int) -> Iterator[str]:
    head = "".join(f"{_print_target(target)} = " for target in tree.targets)
    yield from _print_line(head, tree.value, indent)


def _print_target(target: ast.expr) -> str:
    text = flat_text(target)
    return text[1:-1] if isinstance(target, ast.Tuple) and len(target.elts) > 1 else text


def _print_annotated_assign(tree: Any, indent: int) -> Iterator[str]:
    head = f"{flat_text(tree.target)}: {flat_text(tree.annotation)}"
    yield from _print_line(f"{head} = " if tree.value is not None else head, tree.value, indent)


def _print_augmented_assign(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line(f"{flat_text(tree.target)} {OPERATORS[type(tree.op)][0]}= ", tree.value, indent)


def _print_return(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line("return " if tree.value is not None else "return", tree.value, indent)


def _print_raise(tree: Any, indent: int) -> Iterator[str]:
    cause = f" from {flat_text(tree.cause)}" if tree.cause is not None else ""
    yield from _print_line("raise " if tree.exc is not None else "raise", tree.exc, indent, cause)


def _word_printer(word: str) -> Callable[[Any, int], Iterator[str]]:
    def print_word(tree: Any, indent: int) -> Iterator[str]:
        yield " " * indent + word

    return print_word


def _names_printer(word: str) -> Callable[[Any, int], Iterator[str]]:
    def print_names(tree: Any, indent: int) -> Iterator[str]:
        yield f"{' ' * indent}{word} {', '.join(tree.names)}"

    return print_names


def _print_delete(tree: Any, indent: int) -> Iterator[str]:
    yield f"{' ' * indent}del {', '.join(map(flat_text, tree.targets))}"


def _print_assert(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line("assert ", tree.test, indent)


def _print_if(tree: Any, indent: int, word: str = "if") -> Iterator[str]:
    yield from _print_line(f"{word} ", tree.test, indent, ":")
    yield from _print_block(tree.body, indent + 4)
    if len(tree.orelse) == 1 and isinstance(tree.orelse[0], ast.If):
        yield from _print_if(tree.orelse[0], indent, "elif")
    elif tree.orelse:
        yield " " * indent + "else:"
        yield from _print_block(tree.orelse, indent + 4)


def _print_while(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line("while ", tree.test, indent, ":")
    yield from _print_block(tree.body, indent + 4)


def _print_for(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line(f"for {_print_target(tree.target)} in ", tree.iter, indent, ":")
    yield from _print_block(tree.body, indent + 4)


def _print_with(tree: Any, indent: int) -> Iterator[str]:
    (used,) = tree.items
    named = f" as {flat_text(used.optional_vars)}" if used.optional_vars is not None else ""
    yield from _print_line("with ", used.context_expr, indent, f"{named}:")
    yield from _print_block(tree.body, indent + 4)


def _print_try(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield f"{pad}try:"
    yield from _print_block(tree.body, indent + 4)
    for handler in tree.handlers:
        named = f" as {handler.name}" if handler.name else ""
        yield f"{pad}except {flat_text(handler.type)}{named}:"
        yield from _print_block(handler.body, indent + 4)
    if tree.finalbody:
        yield f"{pad}finally:"
        yield from _print_block(tree.finalbody, indent + 4)


def _print_match(tree: Any, indent: int) -> Iterator[str]:
    yield from _print_line("match ", tree.subject, indent, ":")
    for case in tree.cases:
        yield f"{' ' * (indent + 4)}case {_print_pattern(case.pattern)}:"
        yield from _print_block(case.body, indent + 8)


def _print_pattern(tree: Any) -> str:
    if isinstance(tree, ast.MatchOr):
        return " | ".join(map(_print_pattern, tree.patterns))
    return flat_text(tree.value) if isinstance(tree, ast.MatchValue) else "_"


def _print_import(tree: Any, indent: int) -> Iterator[str]:
    yield f"{' ' * indent}import {', '.join(name.name for name in tree.names)}"


def _print_import_from(tree: Any, indent: int) -> Iterator[str]:
    pad, names = " " * indent, [f"{name.name} as {name.asname}" if name.asname else name.name for name in tree.names]
    line = f"{pad}from {tree.module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{pad}from {tree.module} import ("
    yield from (f"{pad}    {name}," for name in names)
    yield f"{pad})"


def _print_class(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield from (f"{pad}@{flat_text(decorator)}" for decorator in tree.decorator_list)
    bases = ", ".join(map(flat_text, tree.bases))
    yield f"{pad}class {tree.name}{f'({bases})' if bases else ''}:"
    yield from _print_class_body(tree.body, indent + 4)


def _print_class_body(body: Sequence[ast.stmt], indent: int) -> Iterator[str]:
    """Yield the lines of a class: a docstring stands apart."""
    head, rest = (body[:1], body[1:]) if _is_docstring(body) else ([], body)
    yield from _print_block(head, indent) if head else ()
    if head and rest:
        yield ""
    if rest or not head:
        yield from _print_block(rest, indent)


def _is_docstring(body: Sequence[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _print_function(tree: Any, indent: int) -> Iterator[str]:
    pad = " " * indent
    yield from (f"{pad}@{flat_text(decorator)}" for decorator in tree.decorator_list)
    word = "async def" if isinstance(tree, ast.AsyncFunctionDef) else "def"
    parameters = _parameter_texts(tree.args)
    result = f" -> {flat_text(tree.returns)}" if tree.returns is not None else ""
    line = f"{pad}{word} {tree.name}({', '.join(parameters)}){result}:"
    if len(line) <= WIDTH:
        yield line
    else:
        yield from _print_broken_header(f"{pad}{word} {tree.name}(", parameters, f"{pad}){result}:", indent)
    yield from _print_block(tree.body, indent + 4)


def _print_broken_header(start: str, parameters: Sequence[str], end: str, indent: int) -> Iterator[str]:
    pad = " " * (indent + 4)
    line = f"{pad}{', '.join(parameters)}"
    yield start
    if len(line) <= WIDTH:
        yield line
    else:
        yield from (f"{pad}{parameter}," for parameter in parameters)
    yield end


def _parameter_texts(tree: ast.arguments) -> list[str]:
    plain = len(tree.args) - len(tree.defaults)
    texts = []
    for index, arg in enumerate(tree.args):
        text = f"{arg.arg}: {flat_text(arg.annotation)}" if arg.annotation is not None else arg.arg
        if index >= plain:
            text += f"{' = ' if arg.annotation is not None else '='}{flat_text(tree.defaults[index - plain])}"
        texts.append(text)
    if tree.vararg is not None:
        annotation = f": {flat_text(tree.vararg.annotation)}" if tree.vararg.annotation is not None else ""
        texts.append(f"*{tree.vararg.arg}{annotation}")
    return texts


_PRINTERS: Final[dict[type[ast.stmt], Callable[[Any, int], Iterator[str]]]] = {
    Blank: _print_blank,
    Remark: _print_remark,
    ast.AnnAssign: _print_annotated_assign,
    ast.Assert: _print_assert,
    ast.Assign: _print_assign,
    ast.AsyncFunctionDef: _print_function,
    ast.AugAssign: _print_augmented_assign,
    ast.Break: _word_printer("break"),
    ast.ClassDef: _print_class,
    ast.Continue: _word_printer("continue"),
    ast.Delete: _print_delete,
    ast.Expr: _print_expression,
    ast.For: _print_for,
    ast.FunctionDef: _print_function,
    ast.Global: _names_printer("global"),
    ast.If: _print_if,
    ast.Import: _print_import,
    ast.ImportFrom: _print_import_from,
    ast.Match: _print_match,
    ast.Nonlocal: _names_printer("nonlocal"),
    ast.Pass: _word_printer("pass"),
    ast.Raise: _print_raise,
    ast.Return: _print_return,
    ast.Try: _print_try,
    ast.While: _print_while,
    ast.With: _print_with,
}
