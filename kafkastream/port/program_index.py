"""Classes of a program: what each becomes in Python, and the Python names of their members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, final

import attrs

from kafkastream.port.java_nodes import (
    Assign,
    Block,
    ClassDeclaration,
    Evaluate,
    Expression,
    Field,
    FieldAccess,
    JavaFile,
    Method,
    Name,
    Return,
    This,
    Type,
)
from kafkastream.port.java_types import is_tuple
from kafkastream.port.names import EXCEPTIONS, IMPORTS, JAVA_NAMES, api_class, python_name, snake_case

__all__ = ["ClassInfo", "ProgramIndex", "Role", "anonymous_class", "anonymous_info", "index_classes"]

Role = Literal["data", "enum", "exception", "function", "interface", "main", "plain"]

_GETTERS: Final = ("Data", "Getter", "Value")
_SETTERS: Final = ("Data", "Setter")
_OBJECT_METHODS: Final = frozenset({"equals", "hashCode", "toString", "compareTo"})


@final
@attrs.frozen(eq=False)
class ClassInfo:
    """Class of the program.

    Args:
        declaration: Its declaration.
        python: Its name in Python.
        role: What it becomes.
        getters: Names of the getters that only return a field, with the field.
        setters: Names of the setters that only set a field, with the field.
        fields: Fields, by name.
    """

    declaration: ClassDeclaration
    python: str
    role: Role
    getters: Mapping[str, str]
    setters: Mapping[str, str]
    fields: Mapping[str, Field]

    def field_name(self, java: str) -> str:
        """Return a field's Python name. Data classes keep Java's names: JSON, SQL and field expressions use them."""
        if self.role in ("data", "enum"):
            return java
        field = self.fields.get(java)
        is_constant = field is not None and field.is_static and "final" in field.modifiers
        name = python_name(java, is_constant=is_constant)
        return f"_{name}" if any(snake_case(method.name) == name for method in self.declaration.methods) else name

    def method_name(self, method: Method) -> str:
        """Return a method's name in Python; overloads after the first have their count of parameters in it."""
        name = snake_case(method.name)
        same = self.methods_named(method.name)
        return name if not same or same[0] is method else f"{name}_{len(method.parameters)}"

    def methods_named(self, java: str) -> list[Method]:
        """Return the methods of a name."""
        return [method for method in self.declaration.methods if method.name == java]


@final
@attrs.frozen(eq=False)
class ProgramIndex:
    """All classes of a program, by their names in Java; static imports by the name that they import."""

    classes: dict[str, ClassInfo]
    imported: Mapping[str, str]
    statics: Mapping[str, str]

    @property
    def python_names(self) -> dict[str, str]:
        """Names of the program's classes in Python, by those in Java."""
        return {java: info.python for java, info in self.classes.items()}

    @property
    def has_logger(self) -> bool:
        """True if an annotation of Lombok gives one of the classes a logger."""
        return any(info.declaration.annotated("Slf4j", "Log4j2", "Log", "CommonsLog") for info in self.classes.values())

    def add(self, info: ClassInfo) -> None:
        """Add an anonymous class."""
        self.classes[info.declaration.name] = info

    def supers(self, info: ClassInfo) -> Iterator[ClassInfo]:
        """Yield a class and its superclasses, as far as the program declares them."""
        seen: set[str] = set()
        current: ClassInfo | None = info
        while current is not None and current.python not in seen:
            seen.add(current.python)
            yield current
            superclass = current.declaration.superclass
            current = self.classes.get(superclass.name) if superclass is not None else None

    def find_field(self, kind: Type, java: str) -> tuple[ClassInfo, Field] | None:
        """Return a field of a class of the program, and the class that declares it."""
        info = self.classes.get(kind.name)
        for ancestor in self.supers(info) if info is not None else ():
            if java in ancestor.fields:
                return ancestor, ancestor.fields[java]
        return None

    def find_method(self, kind: Type, java: str, count: int | None = None) -> tuple[ClassInfo, Method] | None:
        """Return a method of a class of the program, and the class that declares it."""
        info = self.classes.get(kind.name)
        for ancestor in self.supers(info) if info is not None else ():
            for method in ancestor.methods_named(java):
                if count is None or len(method.parameters) == count:
                    return ancestor, method
        return None

    def accessor(self, kind: Type, java: str, count: int) -> str | None:
        """Return the field that a getter returns or a setter sets; for an unknown type, search all data classes."""
        info = self.classes.get(kind.name)
        candidates = list(self.supers(info)) if info is not None else self._data() if kind.name == "?" else []
        for candidate in candidates:
            field = candidate.getters.get(java) if count == 0 else candidate.setters.get(java) if count == 1 else None
            if field is not None:
                return candidate.field_name(field)
        return None

    def _data(self) -> list[ClassInfo]:
        return [info for info in self.classes.values() if info.role == "data"]


def index_classes(files: Iterable[JavaFile]) -> ProgramIndex:
    """Return the classes of a program's files."""
    files = list(files)
    declared = [declaration for file in files for outer in file.classes for declaration in _with_inner_classes(outer)]
    named: dict[str, ClassDeclaration] = {}
    for declaration in declared:
        named.setdefault(declaration.name, declaration)
    used_names: set[str] = set()
    classes = {}
    for java, declaration in named.items():
        classes[java] = _class_info(declaration, _unique_class_name(declaration, used_names), named)
        used_names.add(classes[java].python)
    imported = {name.rpartition(".")[2]: name for file in files for name in file.imports}
    statics = {name.rpartition(".")[2]: name.split(".")[-2] for name in imported.values() if name.count(".")}
    return ProgramIndex(classes, imported, statics)


def anonymous_class(methods: tuple[Method, ...], line: int) -> ClassDeclaration:
    """Return the body of an anonymous class with these methods."""
    return ClassDeclaration("", "anonymous", methods=methods, line=line)


def anonymous_info(declared: ClassDeclaration, index: ProgramIndex) -> ClassInfo:
    """Return an anonymous or local class as one of the program's."""
    named = {java: info.declaration for java, info in index.classes.items()}
    return _class_info(declared, declared.name, named)


def _with_inner_classes(declared: ClassDeclaration) -> Iterator[ClassDeclaration]:
    yield declared
    for inner_class in declared.classes:
        yield from _with_inner_classes(inner_class)


def _unique_class_name(declared: ClassDeclaration, used_names: set[str]) -> str:
    name = declared.name
    return f"{declared.owner}{name}" if name in used_names or name in ("Any", "Final", "Exception", "Warning") else name


def _class_info(declared: ClassDeclaration, python: str, named: Mapping[str, ClassDeclaration]) -> ClassInfo:
    fields = {field.name: field for field in declared.fields}
    for component in declared.components:
        fields[component.name] = Field(component.name, component.type, line=component.line)
    role = _class_role(declared, named)
    return ClassInfo(
        declared,
        python,
        role,
        dict(_find_getters(declared, fields)) if role != "function" else {},
        dict(_find_setters(declared, fields)) if role != "function" else {},
        fields,
    )


def _class_role(declared: ClassDeclaration, named: Mapping[str, ClassDeclaration]) -> Role:
    if declared.kind == "enum":
        return "enum"
    if declared.kind == "interface":
        return "interface"
    ancestors = list(_ancestors(declared, named))
    if any(ancestor.name in EXCEPTIONS for ancestor in ancestors):
        return "exception"
    if any(_is_api_class(ancestor) for ancestor in ancestors):
        return "function"
    if declared.kind == "record":
        return "data"
    instance = [field for field in declared.fields if not field.is_static]
    has_main = any(method.name == "main" and method.is_static for method in declared.methods)
    methods = [
        method for method in declared.methods if not method.is_static and method.name not in ("<init>", "<clinit>")
    ]
    if has_main and not instance and not methods:
        return "main"
    return "data" if _holds_data(declared, instance, methods) else "plain"


def _ancestors(declared: ClassDeclaration, named: Mapping[str, ClassDeclaration]) -> Iterator[Type]:
    direct = [interface for interface in (declared.superclass, *declared.interfaces) if interface is not None]
    for ancestor in direct:
        yield ancestor
        inner = named.get(ancestor.name)
        if inner is not None and inner is not declared:
            yield from _ancestors(inner, named)


def _is_api_class(kind: Type) -> bool:
    python = JAVA_NAMES.get(kind.name, kind.name)
    return (python in IMPORTS and api_class(python) is not None) or is_tuple(kind)


def _holds_data(declared: ClassDeclaration, instance: list[Field], methods: list[Method]) -> bool:
    """Return whether a class holds data: fields that are public, or have getters or setters."""
    if not instance or "abstract" in declared.modifiers:
        return False
    if declared.annotated("Data", "Getter", "Value", "Builder"):
        return True
    names = {method.name.lower() for method in methods}
    read = [
        field
        for field in instance
        if _is_accessible(field) or {f"get{field.name}".lower(), f"is{field.name}".lower()} & names
    ]
    return len(read) * 2 >= len(instance)


def _is_accessible(field: Field) -> bool:
    return not {"private", "protected"} & field.modifiers


def _find_getters(declared: ClassDeclaration, fields: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    for field in fields.values():
        has_lombok = declared.annotated(*_GETTERS) or field.annotated(*_GETTERS)
        if has_lombok and not field.is_static:
            yield _getter_name(field), field.name
        if declared.kind == "record":
            yield field.name, field.name
    for method in declared.methods:
        returned = _only_statement(method.body)
        if isinstance(returned, Return) and not method.parameters and not method.is_static:
            name = _accessed_field(returned.value, fields)
            if name is not None and method.name not in _OBJECT_METHODS:
                yield method.name, name


def _getter_name(field: Field) -> str:
    start = "is" if field.type.name == "boolean" else "get"
    return start + field.name[:1].upper() + field.name[1:]


def _find_setters(declared: ClassDeclaration, fields: Mapping[str, Field]) -> Iterator[tuple[str, str]]:
    for field in fields.values():
        has_lombok = declared.annotated(*_SETTERS) or field.annotated(*_SETTERS)
        if has_lombok and not field.is_static:
            yield f"set{field.name[:1].upper()}{field.name[1:]}", field.name
    for method in declared.methods:
        statement = _only_statement(method.body)
        if isinstance(statement, Evaluate) and isinstance(statement.expression, Assign) and len(method.parameters) == 1:
            name = _accessed_field(statement.expression.target, fields)
            value = statement.expression.value
            is_plain = isinstance(value, Name) and value.text == method.parameters[0].name
            if name is not None and is_plain and statement.expression.operator == "=" and method.name != "<init>":
                yield method.name, name


def _only_statement(body: Block | None) -> object:
    return body.statements[0] if body is not None and len(body.statements) == 1 else None


def _accessed_field(node: Expression | None, fields: Mapping[str, Field]) -> str | None:
    if isinstance(node, FieldAccess) and isinstance(node.target, This) and node.name in fields:
        return node.name
    if isinstance(node, Name) and node.text in fields and not fields[node.text].is_static:
        return node.text
    return None
