"""Port of a program: its classes, functions and constants in an order that Python can run, imports, and ``main``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, final

import attrs

from kafkastream.port import calls, control_flow, creations, effects, lambdas  # noqa: F401 - they register their translators
from kafkastream.port.classes import translate_class, translate_constant
from kafkastream.port.imports import import_statements
from kafkastream.port.java_nodes import JavaFile, Method
from kafkastream.port.java_sources import read_program_files
from kafkastream.port.line_counts import LineCount, count_lines
from kafkastream.port.marks import Mark, Untranslated, remark_of
from kafkastream.port.methods import docstring, translate_function
from kafkastream.port.program_index import ClassInfo, ProgramIndex, index_classes
from kafkastream.port.python_printer import print_program
from kafkastream.port.python_trees import Blank, assign, call, code, constant, evaluate, name, names_in
from kafkastream.port.statement_order import order_statements
from kafkastream.port.statements import translate_statements
from kafkastream.port.translation import Body, Program

__all__ = ["PortedProgram", "port_files", "port_program"]


@final
@attrs.frozen
class PortedProgram:
    """Ported program, and the code left for manual translation.

    Args:
        text: Program.
        marks: Code left for manual translation, in the order of the Java lines.
        files: Java files that it was made of.
        lines: Count of their lines.
    """

    text: str
    marks: tuple[Mark, ...]
    files: tuple[str, ...]
    lines: LineCount


def port_program(paths: Iterable[str | Path]) -> PortedProgram:
    """Port Java files, and the files of their project that they use, to one Python program.

    Raises:
        DefinitionError: A file is not Java, or there is none.
        SetupError: tree-sitter is not installed.
    """
    return port_files(read_program_files(map(Path, paths)))


def port_files(files: Sequence[JavaFile]) -> PortedProgram:
    """Port Java files that have been read to one Python program; the first is the main one."""
    index = index_classes(files)
    lenient = re.search(r"FAIL_ON_UNKNOWN_PROPERTIES\s*,\s*false", " ".join(file.text for file in files)) is not None
    lines = {file.path: file.text.splitlines() for file in files}
    program = Program(index, lines, _uses_event_time(files), is_lenient=lenient)
    body = Body(program, None, files[0].path, is_static=True)
    entry = _find_main(index)
    parts = order_statements([part for info in list(index.classes.values()) for part in _class_statements(info, body)])
    started = list(_main_statements(entry, body))
    statements = [*parts, *_annotation_resolvers(program, parts), *started]
    if index.has_logger and "log" in names_in(statements):
        statements.insert(0, assign(name("log"), code("logging.getLogger(__name__)")))
    head = [evaluate(constant(_module_docstring(files, entry)))]
    whole = [*head, *import_statements(statements), Blank(), *_remarks_on_invalid_lines(files, program), *statements]
    marks = tuple(sorted(set(program.marks), key=lambda mark: (mark.path != files[0].path, mark.path, mark.line)))
    return PortedProgram(
        _check_syntax(print_program(whole)), marks, tuple(file.path for file in files), count_lines(files, marks)
    )


def _check_syntax(text: str) -> str:
    compile(text, "<port>", "exec")  # a program that Python cannot read is an error of this package
    return text


def _uses_event_time(files: Iterable[JavaFile]) -> bool | None:
    """Return whether windows use event time, by the program's time characteristic; None if it sets none."""
    texts = " ".join(file.text for file in files)
    if "TimeCharacteristic.EventTime" in texts:
        return True
    return False if "TimeCharacteristic.ProcessingTime" in texts else None


def _find_main(index: ProgramIndex) -> tuple[ClassInfo, Method] | None:
    for info in index.classes.values():
        for method in info.methods_named("main"):
            if method.is_static:
                return info, method
    return None


def _class_statements(info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    """Yield the statements of a class; the main class becomes functions and constants of the module."""
    path = info.declaration.path
    inner = attrs.evolve(body, owner=info, path=path, is_static=True)
    if info.role == "main":
        yield from _translate_main_class(info, inner)
        return
    try:
        yield from translate_class(info, attrs.evolve(body, path=path))
    except Untranslated as reason:
        declared = info.declaration
        mark = body.program.mark(path, declared.line, declared.last, str(reason))
        yield remark_of(mark, Path(path).name)


def _translate_main_class(info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    for field in info.declaration.fields:
        is_mapper = field.type.name in ("ObjectMapper", "JsonMapper")
        if field.is_static and field.name != "serialVersionUID" and not is_mapper:
            yield from translate_constant(field, info, body)
    for method in info.declaration.methods:
        if method.name == "<clinit>" and method.body is not None:
            yield from translate_statements(method.body.statements, body.nested())
        elif method.is_static and method.name not in ("main", "<clinit>"):
            yield translate_function(method, body).tree


def _main_statements(entry: tuple[ClassInfo, Method] | None, body: Body) -> Iterator[ast.stmt]:
    """Yield the function ``main``, and the statement that calls it."""
    if entry is None:
        return
    info, method = entry
    tree = translate_function(method, attrs.evolve(body, owner=info, path=info.declaration.path, is_static=True)).tree
    assert isinstance(tree, ast.FunctionDef)
    yield tree
    start = "main(sys.argv[1:])" if tree.args.args else "main()"
    yield ast.If(code('__name__ == "__main__"'), [evaluate(code(start))], [])


def _annotation_resolvers(program: Program, parts: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield ``resolve_annotations`` for classes that workers read from JSON, if their annotations mention the module's names."""
    for java in sorted(program.read_classes):
        python = program.index.classes[java].python
        declared = next((part for part in parts if isinstance(part, ast.ClassDef) and part.name == python), None)
        annotations = (
            [statement.annotation for statement in declared.body if isinstance(statement, ast.AnnAssign)]
            if declared
            else []
        )
        if names_in(annotations) - {"str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple"}:
            yield evaluate(call("resolve_annotations", name(python)))


def _module_docstring(files: Sequence[JavaFile], entry: tuple[ClassInfo, Method] | None) -> str:
    names = ", ".join(Path(file.path).name for file in files)
    described: Any = docstring(entry[0].declaration.comment) if entry is not None else []
    text = f"{described[0].value.value}\n\n" if described and entry is not None and entry[0].role == "main" else ""
    origin = f"Ported by kafkastream port from {names}."
    return f"{text}{origin}"


def _remarks_on_invalid_lines(files: Sequence[JavaFile], program: Program) -> Iterator[ast.stmt]:
    for file in files:
        for line in file.invalid_lines:
            mark = program.mark(file.path, line, line, "this is not valid Java")
            yield remark_of(mark, Path(file.path).name)
