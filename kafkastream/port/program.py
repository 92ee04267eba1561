"""Port of a program: its classes, functions and constants in an order that Python can run, imports, and ``main``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, final

import attrs

from kafkastream.port import calls, control_flow, creations, effects, lambdas  # noqa: F401 - they register their translators
from kafkastream.port.classes import class_of, constant_of
from kafkastream.port.imports import import_statements
from kafkastream.port.java_nodes import JavaFile, Method
from kafkastream.port.java_sources import files_of
from kafkastream.port.line_counts import LineCount, count_lines
from kafkastream.port.marks import Mark, Untranslated, remark_of
from kafkastream.port.methods import docstring, function_of
from kafkastream.port.program_index import ClassInfo, ProgramIndex, index_of
from kafkastream.port.python_printer import printed
from kafkastream.port.python_trees import Blank, assign, call, code, constant, evaluate, name, names_in
from kafkastream.port.statement_order import in_order
from kafkastream.port.statements import translated
from kafkastream.port.translation import Body, Program

__all__ = ["PortedProgram", "port_files", "port_program"]


@final
@attrs.frozen
class PortedProgram:
    """Program in Python, and what is left to do.

    Args:
        text: Program.
        marks: Places that a person has to translate, in the order of the Java lines.
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
    return port_files(files_of(map(Path, paths)))


def port_files(files: Sequence[JavaFile]) -> PortedProgram:
    """Port Java files that have been read to one Python program; the first is the main one."""
    index = index_of(files)
    lenient = re.search(r"FAIL_ON_UNKNOWN_PROPERTIES\s*,\s*false", " ".join(file.text for file in files)) is not None
    lines = {file.path: file.text.splitlines() for file in files}
    program = Program(index, lines, _event_time(files), is_lenient=lenient)
    body = Body(program, None, files[0].path, is_static=True)
    entry = _entry(index)
    parts = in_order([part for info in list(index.classes.values()) for part in _parts(info, body)])
    started = list(_started(entry, body))
    statements = [*parts, *_resolved(program, parts), *started]
    if index.has_logger and "log" in names_in(statements):
        statements.insert(0, assign(name("log"), code("logging.getLogger(__name__)")))
    head = [evaluate(constant(_headline(files, entry)))]
    whole = [*head, *import_statements(statements), Blank(), *_broken(files, program), *statements]
    marks = tuple(sorted(set(program.marks), key=lambda mark: (mark.path != files[0].path, mark.path, mark.line)))
    return PortedProgram(_checked(printed(whole)), marks, tuple(file.path for file in files), count_lines(files, marks))


def _checked(text: str) -> str:
    compile(text, "<port>", "exec")  # a program that Python cannot read is an error of this package
    return text


def _event_time(files: Iterable[JavaFile]) -> bool | None:
    """Return whether windows of the program are of event time, as its time characteristic says."""
    texts = " ".join(file.text for file in files)
    if "TimeCharacteristic.EventTime" in texts:
        return True
    return False if "TimeCharacteristic.ProcessingTime" in texts else None


def _entry(index: ProgramIndex) -> tuple[ClassInfo, Method] | None:
    for info in index.classes.values():
        for method in info.methods_named("main"):
            if method.is_static:
                return info, method
    return None


def _parts(info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    """Yield what a class becomes; the main class becomes functions and constants of the module."""
    path = info.declaration.path
    inner = attrs.evolve(body, owner=info, path=path, is_static=True)
    if info.role == "main":
        yield from _main_class(info, inner)
        return
    try:
        yield from class_of(info, attrs.evolve(body, path=path))
    except Untranslated as reason:
        declared = info.declaration
        mark = body.program.mark(path, declared.line, declared.last, str(reason))
        yield remark_of(mark, Path(path).name)


def _main_class(info: ClassInfo, body: Body) -> Iterator[ast.stmt]:
    for field in info.declaration.fields:
        is_mapper = field.type.name in ("ObjectMapper", "JsonMapper")
        if field.is_static and field.name != "serialVersionUID" and not is_mapper:
            yield from constant_of(field, info, body)
    for method in info.declaration.methods:
        if method.name == "<clinit>" and method.body is not None:
            yield from translated(method.body.statements, body.nested())
        elif method.is_static and method.name not in ("main", "<clinit>"):
            yield function_of(method, body).tree


def _started(entry: tuple[ClassInfo, Method] | None, body: Body) -> Iterator[ast.stmt]:
    """Yield ``main``, and its call."""
    if entry is None:
        return
    info, method = entry
    tree = function_of(method, attrs.evolve(body, owner=info, path=info.declaration.path, is_static=True)).tree
    assert isinstance(tree, ast.FunctionDef)
    yield tree
    start = "main(sys.argv[1:])" if tree.args.args else "main()"
    yield ast.If(code('__name__ == "__main__"'), [evaluate(code(start))], [])


def _resolved(program: Program, parts: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Resolve annotations of classes that workers read from JSON, where they mention names of the module."""
    for java in sorted(program.read_classes):
        python = program.index.classes[java].python
        declared = next((one for one in parts if isinstance(one, ast.ClassDef) and one.name == python), None)
        annotations = [one.annotation for one in declared.body if isinstance(one, ast.AnnAssign)] if declared else []
        if names_in(annotations) - {"str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple"}:
            yield evaluate(call("resolve_annotations", name(python)))


def _headline(files: Sequence[JavaFile], entry: tuple[ClassInfo, Method] | None) -> str:
    names = ", ".join(Path(file.path).name for file in files)
    described: Any = docstring(entry[0].declaration.comment) if entry is not None else []
    text = f"{described[0].value.value}\n\n" if described and entry is not None and entry[0].role == "main" else ""
    made = f"Ported by kafkastream port from {names}."
    return f"{text}{made}"


def _broken(files: Sequence[JavaFile], program: Program) -> Iterator[ast.stmt]:
    for file in files:
        for line in file.broken:
            mark = program.mark(file.path, line, line, "this is not valid Java")
            yield remark_of(mark, Path(file.path).name)
