"""Resolution of names: variables, fields of a class and of its outer classes, classes, constants of Java's library."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from kafkastream.port.java_nodes import Expression, Field, FieldAccess, Name, This, Type
from kafkastream.port.java_types import BOOLEAN, CHAR, DOUBLE, INT, LONG, STRING, UNKNOWN, is_tuple
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import IMPORTS, JAVA_NAMES, python_name, replacement_for
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, constant, item, name
from kafkastream.port.translation import Body, Value, translate_expression, translates

__all__ = ["api_class_name", "class_name_of", "named_class", "static_member"]

_CONSTANTS: Final[Mapping[str, tuple[str, Type]]] = {
    "Integer.MAX_VALUE": ("2**31 - 1", INT),
    "Integer.MIN_VALUE": ("-(2**31)", INT),
    "Long.MAX_VALUE": ("2**63 - 1", LONG),
    "Long.MIN_VALUE": ("-(2**63)", LONG),
    "Short.MAX_VALUE": ("2**15 - 1", INT),
    "Byte.MAX_VALUE": ("127", INT),
    "Double.MAX_VALUE": ("sys.float_info.max", DOUBLE),
    "Double.MIN_VALUE": ("5e-324", DOUBLE),
    "Double.POSITIVE_INFINITY": ("math.inf", DOUBLE),
    "Double.NEGATIVE_INFINITY": ("-math.inf", DOUBLE),
    "Double.NaN": ("math.nan", DOUBLE),
    "Float.MAX_VALUE": ("3.4028234663852886e38", DOUBLE),
    "Math.PI": ("math.pi", DOUBLE),
    "Math.E": ("math.e", DOUBLE),
    "Boolean.TRUE": ("True", BOOLEAN),
    "Boolean.FALSE": ("False", BOOLEAN),
    "StandardCharsets.UTF_8": ('"utf-8"', Type("Charset")),
    "StandardCharsets.US_ASCII": ('"ascii"', Type("Charset")),
    "StandardCharsets.ISO_8859_1": ('"latin-1"', Type("Charset")),
    "ConfigConstants.DEFAULT_CHARSET": ('"utf-8"', Type("Charset")),
    "BigDecimal.ZERO": ("Decimal(0)", Type("BigDecimal")),
    "BigDecimal.ONE": ("Decimal(1)", Type("BigDecimal")),
    "ZoneOffset.UTC": ("timezone.utc", Type("ZoneOffset")),
    "Duration.ZERO": ("Duration.ZERO", Type("Duration")),
    "TimeUnit.MILLISECONDS": ('"milliseconds"', Type("TimeUnit")),
    "TimeUnit.SECONDS": ('"seconds"', Type("TimeUnit")),
    "TimeUnit.MINUTES": ('"minutes"', Type("TimeUnit")),
    "TimeUnit.HOURS": ('"hours"', Type("TimeUnit")),
    "TimeUnit.DAYS": ('"days"', Type("TimeUnit")),
    "ExecutionOptions.RUNTIME_MODE": ('"execution.runtime-mode"', Type("RuntimeModeOption")),
    "File.separator": ("os.sep", STRING),
    "Instant.EPOCH": ("datetime.fromtimestamp(0, timezone.utc)", Type("Instant")),
    "ProducerConfig.BOOTSTRAP_SERVERS_CONFIG": ('"bootstrap.servers"', STRING),
    "Character.MAX_VALUE": ('"\\uffff"', CHAR),
}
_CLIENT_SETTINGS: Final = re.compile(r"(Producer|Consumer|CommonClient|Ssl|Sasl|AdminClient)Configs?")
_BASIC_TYPES: Final = re.compile(r"(STRING|INT|LONG|DOUBLE|FLOAT|BOOLEAN|SHORT|BYTE)_TYPE_INFO")


@translates(Name)
def _translate_name(node: Name, body: Body) -> Value:
    variable = body.find(node.text)
    if variable is not None:
        return Value(name(variable.python), variable.type)
    field = _find_field(node.text, body)
    if field is not None:
        return field
    if node.text == "log" and body.index.has_logger:
        return Value(name("log"), Type("Logger"))
    if node.text in body.index.statics:
        return static_member(body.index.statics[node.text], node.text, body)
    if node.text[:1].isupper():
        return Value(class_name_of(node.text, body), Type("Class", (Type(node.text),)))
    raise Untranslated(f"{node.text} is not known")


def _find_field(java: str, body: Body) -> Value | None:
    for info in _enclosing_classes(body):
        for ancestor in body.index.supers(info):
            if java in ancestor.fields:
                return _translate_own_field(ancestor, ancestor.fields[java], info, body)
            if ancestor.declaration.kind == "enum" and any(
                enum_constant.name == java for enum_constant in ancestor.declaration.constants
            ):
                return Value(attribute(name(ancestor.python), java), Type(ancestor.declaration.name))
    return None


def _enclosing_classes(body: Body) -> Iterator[ClassInfo]:
    info = body.owner
    while info is not None:
        yield info
        info = body.index.classes.get(info.declaration.owner)


def _translate_own_field(declaring: ClassInfo, field: Field, enclosing: ClassInfo, body: Body) -> Value:
    if field.is_static:
        return Value(_static_field(declaring, field, body), field.type)
    if enclosing is not body.owner or body.is_static:
        raise Untranslated(f"{field.name} is a field of the outer object, which a Python class does not see")
    return Value(attribute(name("self"), declaring.field_name(field.name)), field.type)


def _static_field(declaring: ClassInfo, field: Field, body: Body) -> ast.expr:
    if declaring.role == "main":
        python = declaring.field_name(field.name)
        body.used_globals.add(python)
        return name(python)
    return attribute(name(declaring.python), declaring.field_name(field.name))


def class_name_of(java: str, body: Body) -> ast.expr:
    """Return a class by its name in Python.

    Raises:
        Untranslated: Neither the program nor kafkastream has it.
    """
    info = body.index.classes.get(java)
    return name(info.python) if info is not None else api_class_name(java)


def api_class_name(java: str) -> ast.expr:
    """Return a class of kafkastream.

    Raises:
        Untranslated: kafkastream has no such class, or refuses it.
    """
    python = JAVA_NAMES.get(java, java)
    if not IMPORTS.get(python, "").startswith("kafkastream"):
        raise Untranslated(f"{java} has no counterpart")
    instead = replacement_for(python)
    if instead is not None:
        raise Untranslated(f"{java} is not supported: {instead}")
    return name(python)


@translates(FieldAccess)
def _translate_field_access(node: FieldAccess, body: Body) -> Value:
    owner = named_class(node.target, body)
    if owner is not None:
        return static_member(owner, node.name, body)
    if isinstance(node.target, This):
        return _this_field(node, body)
    target = translate_expression(node.target, body)
    if node.name == "length" and (target.type.dimensions or target.type.name == "?"):
        return Value(call("len", target.code), INT)
    position = re.fullmatch(r"f(\d+)", node.name)
    if position and (is_tuple(target.type) or target.type.name == "?") and not target.type.dimensions:
        index = int(position[1])
        return Value(item(target.code, constant(index)), target.type.argument(index))
    return _member_of(target, node.name, body)


def _this_field(node: FieldAccess, body: Body) -> Value:
    info = body.owner
    for ancestor in body.index.supers(info) if info is not None else ():
        if node.name in ancestor.fields:
            field = ancestor.fields[node.name]
            return Value(attribute(name("self"), ancestor.field_name(node.name)), field.type)
    return Value(attribute(name("self"), python_name(node.name)), UNKNOWN)


def _member_of(target: Value, java: str, body: Body) -> Value:
    declaration = body.index.find_field(target.type, java)
    if declaration is not None:
        return Value(attribute(target.code, declaration[0].field_name(java)), declaration[1].type)
    for info in body.index.classes.values():
        if target.type.name == "?" and java in info.fields:
            return Value(attribute(target.code, info.field_name(java)), info.fields[java].type)
    return Value(attribute(target.code, python_name(java)), UNKNOWN)


def named_class(node: Expression, body: Body) -> str | None:
    """Return the name of the class that an expression names, such as ``Types`` or ``org.apache.flink.Types``.

    Returns:
        None if the expression is an object: a variable, a field, or the result of a call.
    """
    if isinstance(node, Name):
        is_class = node.text[:1].isupper() and body.find(node.text) is None and not _has_field(node.text, body)
        return node.text if is_class else None
    if isinstance(node, FieldAccess) and node.name[:1].isupper() and not node.name.isupper():
        outer = node.target
        if isinstance(outer, Name | FieldAccess):
            return node.name if _is_class_path(outer, body) else None
    return None


def _is_class_path(node: Expression, body: Body) -> bool:
    if isinstance(node, FieldAccess):
        return _is_class_path(node.target, body)
    return isinstance(node, Name) and body.find(node.text) is None and not _has_field(node.text, body)


def _has_field(java: str, body: Body) -> bool:
    return any(java in ancestor.fields for info in _enclosing_classes(body) for ancestor in body.index.supers(info))


def static_member(owner: str, java: str, body: Body) -> Value:
    """Return a constant of a class.

    Raises:
        Untranslated: It is not known.
    """
    info = body.index.classes.get(owner)
    if info is not None:
        return _program_constant(info, java, body)
    constant_and_type = _CONSTANTS.get(f"{owner}.{java}")
    if constant_and_type is not None:
        return Value(code(constant_and_type[0]), constant_and_type[1])
    if owner == "Types":
        return Value(call(attribute(name("Types"), java)), Type("TypeInformation", (UNKNOWN,)))
    basic = _BASIC_TYPES.fullmatch(java)
    if basic is not None:
        return Value(call(attribute(name("Types"), basic[1])), Type("TypeInformation"))
    if _CLIENT_SETTINGS.fullmatch(owner) and java.endswith("_CONFIG"):
        return Value(constant(java.removesuffix("_CONFIG").replace("_DOC", "").lower().replace("_", ".")), STRING)
    return Value(attribute(api_class_name(owner), java), Type(owner))


def _program_constant(info: ClassInfo, java: str, body: Body) -> Value:
    if any(enum_constant.name == java for enum_constant in info.declaration.constants):
        return Value(attribute(name(info.python), java), Type(info.declaration.name))
    for ancestor in body.index.supers(info):
        if java in ancestor.fields:
            return Value(_static_field(ancestor, ancestor.fields[java], body), ancestor.fields[java].type)
    raise Untranslated(f"{info.declaration.name}.{java} is not known")
