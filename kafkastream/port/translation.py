"""Translation of a method's body: the scope of its names, and the functions that translate each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar, final

import attrs

from kafkastream.port.java_nodes import Expression, Lambda, New, Statement, Type
from kafkastream.port.java_types import UNKNOWN, annotation
from kafkastream.port.marks import Mark, Untranslated
from kafkastream.port.names import python_name
from kafkastream.port.program_index import ClassInfo, ProgramIndex

__all__ = ["Body", "Program", "Value", "Variable", "translate_expression", "translate_statement", "translates"]

Translator = TypeVar("Translator", bound=Callable[..., Any])


@final
@attrs.frozen
class Value:
    """Python expression, and its type in Java."""

    code: ast.expr
    type: Type = UNKNOWN


@final
@attrs.frozen
class Variable:
    """Variable in Python, and its type in Java."""

    python: str
    type: Type


@final
@attrs.define(eq=False)
class Program:
    """Program that is being translated: its classes, and the marks so far."""

    index: ProgramIndex
    lines: dict[str, list[str]]
    event_time: bool | None = None
    is_lenient: bool = False
    read_classes: set[str] = attrs.field(factory=set)
    marks: list[Mark] = attrs.field(factory=list)

    def annotation(self, kind: Type) -> ast.expr:
        """Return the Python type of a Java type."""
        return annotation(kind, self.index.python_names)

    def ignores_unknown(self, java: str) -> bool:
        """Return whether unknown JSON fields are ignored for a class, by the mapper's or the class's configuration."""
        info = self.index.classes.get(java)
        return self.is_lenient or (info is not None and info.declaration.annotated("JsonIgnoreProperties"))

    @property
    def reads_json(self) -> bool:
        """True if the program reads JSON with Jackson."""
        return any(
            "Mapper" in line or "JsonDeserializationSchema" in line
            for file_lines in self.lines.values()
            for line in file_lines
        )

    def mark(self, path: str, line: int, last: int, reason: str) -> Mark:
        """Record that lines of a file have no translation."""
        java = tuple(self.lines.get(path, [])[line - 1 : last])
        mark = Mark(path, line, last, reason, java)
        self.marks.append(mark)
        return mark


@final
@attrs.define(eq=False)
class Body:
    """Body of a method or a lambda that is being translated.

    Args:
        program: Program.
        owner: Class whose objects ``self`` names.
        path: Path of the Java file.
        scope: Variables by their names in Java, those of the innermost block last.
        collectors: Parameters, by their names in Java, whose elements are yielded.
        runtime: Python expression for the runtime context.
        hoisted: Statements that have to run before the current one, such as definitions of functions.
        used_names: Python names that are in use.
        result: Declared result.
        is_static: Whether there is no ``self``.
        used_globals: Variables of the module that are read or assigned.
        expected: Types of the parameters that a lambda in the next expression has.
        collects: Whether that lambda's last parameter is a collector.
        hint: What that lambda does, for its name.
        functions: Lambdas and objects that have been translated.
        updates: Statements that each loop around runs before ``continue``.
        in_switch: Whether ``break`` would leave a switch.
        assigned_globals: Variables of the module that are assigned.
    """

    program: Program
    owner: ClassInfo | None
    path: str
    scope: list[dict[str, Variable]] = attrs.field(factory=lambda: [{}])
    collectors: set[str] = attrs.field(factory=set)
    runtime: str | None = None
    hoisted: list[ast.stmt] = attrs.field(factory=list)
    used_names: set[str] = attrs.field(factory=set)
    result: Type = UNKNOWN
    is_static: bool = False
    used_globals: set[str] = attrs.field(factory=set)
    expected: tuple[Type, ...] = ()
    collects: bool = False
    hint: str = "apply"
    functions: dict[int, tuple[Expression, Value]] = attrs.field(factory=dict)
    updates: list[list[ast.stmt]] = attrs.field(factory=list)
    in_switch: bool = False
    assigned_globals: set[str] = attrs.field(factory=set)

    @property
    def index(self) -> ProgramIndex:
        """Classes of the program."""
        return self.program.index

    def declare(self, java: str, kind: Type) -> str:
        """Declare a variable, and return its name in Python."""
        python = python_name(java)
        self.scope[-1][java] = Variable(python, kind)
        self.used_names.add(python)
        return python

    def find(self, java: str) -> Variable | None:
        """Return a variable."""
        return next((block[java] for block in reversed(self.scope) if java in block), None)

    def retype(self, java: str, kind: Type) -> None:
        """Set the type of a variable whose declaration has none."""
        for block in reversed(self.scope):
            if java in block:
                block[java] = attrs.evolve(block[java], type=kind)
                return

    @contextmanager
    def block(self) -> Iterator[None]:
        """Open a scope."""
        self.scope.append({})
        try:
            yield
        finally:
            self.scope.pop()

    def nested(self, **changes: Any) -> Body:
        """Return the body of a function within this one, which sees its variables."""
        fresh: dict[str, Any] = {
            "scope": [*self.scope, {}],
            "hoisted": [],
            "used_names": set(self.used_names),
            "expected": (),
            "collects": False,
            "hint": "apply",
            "functions": {},
            "updates": [],
            "in_switch": False,
            "assigned_globals": set(),
        }
        return attrs.evolve(self, **{**fresh, **changes})

    def unique(self, wanted_name: str) -> str:
        """Return a Python name that is not in use, and note it as used."""
        python, number = wanted_name, 1
        while python in self.used_names:
            number += 1
            python = f"{wanted_name}_{number}"
        self.used_names.add(python)
        return python

    def annotation(self, kind: Type) -> ast.expr:
        """Return the Python type of a Java type."""
        return self.program.annotation(kind)


_TRANSLATORS: Final[dict[type, Callable[[Any, Body], Any]]] = {}


def translates(*kinds: type) -> Callable[[Translator], Translator]:
    """Register the function that translates nodes of these classes."""

    def register(function: Translator) -> Translator:
        _TRANSLATORS.update(dict.fromkeys(kinds, function))
        return function

    return register


def translate_expression(node: Expression, body: Body) -> Value:
    """Translate an expression.

    Raises:
        Untranslated: It has no translation.
    """
    translated = body.functions.get(id(node))
    if translated is not None:
        return translated[1]
    translator = _TRANSLATORS.get(type(node))
    if translator is None:
        raise Untranslated(f"{type(node).__name__.lower()} has no translation")
    value: Value = translator(node, body)
    if isinstance(node, Lambda | New):
        body.functions[id(node)] = (node, value)  # its definition before the statement is made once
    return value


def translate_statement(node: Statement, body: Body) -> Sequence[ast.stmt]:
    """Translate a statement.

    Raises:
        Untranslated: It has no translation.
    """
    statements: Sequence[ast.stmt] = _TRANSLATORS[type(node)](node, body)
    return statements
