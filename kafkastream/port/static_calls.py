"""Translation of calls of static methods: those of the program, of Java's library and of Flink's API."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable, Mapping
from typing import Final

from kafkastream.port.conversions import converted
from kafkastream.port.dates import date_pattern
from kafkastream.port.java_nodes import Call, ClassOf, Expression, Method, Name, Type
from kafkastream.port.java_types import UNKNOWN, VOID, boxed
from kafkastream.port.library_calls import argument, arguments_of, static_library_call
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import JAVA_NAMES, api_class, python_name, snake_case
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, name
from kafkastream.port.resolving import api_name
from kafkastream.port.table_calls import expression_of
from kafkastream.port.translation import Body, Value, expression

__all__ = ["method_call", "static_call"]


def static_call(owner: str, node: Call, body: Body) -> Value:
    """Translate the call of a static method.

    Raises:
        Untranslated: It has no translation.
    """
    info = body.index.classes.get(owner)
    if info is not None:
        return _own_static_call(info, node, body)
    rule = _STATIC_RULES.get(f"{owner}.{node.name}") or _STATIC_RULES.get(owner)
    found = rule(node, body) if rule is not None else static_library_call(owner, node, body)
    if found is not None:
        return found
    return _api_static_call(owner, node, body)


def method_call(node: Call, receiver: ast.expr | None, found: tuple[ClassInfo, Method], body: Body) -> Value:
    """Call a method of the program; one that gets the collector is a generator."""
    info, method = found
    python = info.method_name(method)
    if receiver is None and python == snake_case(node.name):
        python = python_name(node.name)
    function = name(python) if receiver is None else attribute(receiver, python)
    kept = [one for one in node.arguments if not _is_collector(one, body)]
    kinds = [one.type for one in method.parameters if one.type.name != "Collector"]
    kinds += [UNKNOWN] * (len(kept) - len(kinds))
    values = [converted(argument(one, body), kind) for one, kind in zip(kept, kinds, strict=False)]
    named = [one.type for one in kept if isinstance(one, ClassOf) and one.type.name in body.index.classes]
    body.program.read_classes.update(one.name for one in named)
    tree = call(function, *values)
    if len(kept) < len(node.arguments) and method.type.name == "void":
        return Value(ast.YieldFrom(tree), VOID)
    result = _own_type(method.type, method)
    return Value(tree, named[0] if result == UNKNOWN and len(named) == 1 else result)


def _own_type(kind: Type, method: Method) -> Type:
    is_variable = re.fullmatch(r"[A-Z][A-Z0-9]?", kind.name) is not None
    return UNKNOWN if is_variable else kind


def _is_collector(node: Expression, body: Body) -> bool:
    return isinstance(node, Name) and node.text in body.collectors


def _own_static_call(info: ClassInfo, node: Call, body: Body) -> Value:
    found = body.index.find_method(Type(info.declaration.name), node.name, len(node.arguments))
    found = found or body.index.find_method(Type(info.declaration.name), node.name)
    kind = Type(info.declaration.name)
    if found is not None:
        receiver = None if found[0].role == "main" else name(info.python)
        return method_call(node, receiver, found, body)
    if info.role == "enum" and node.name == "values":
        return Value(call("list", name(info.python)), Type(kind.name, dimensions=1))
    if info.role == "enum" and node.name == "valueOf":
        return Value(ast.Subscript(name(info.python), expression(node.arguments[0], body).code, ast.Load()), kind)
    if node.name == "builder" and info.declaration.annotated("Builder", "SuperBuilder"):
        return Value(call(info.python), Type("?lombok", (kind,)))
    raise Untranslated(f"{info.declaration.name}.{node.name} is not known")


def _api_static_call(owner: str, node: Call, body: Body) -> Value:
    tree = api_name(owner)
    python = snake_case(node.name)
    here = api_class(JAVA_NAMES.get(owner, owner))
    if here is not None and not hasattr(here, python) and not issubclass(here, enum.Enum):
        raise Untranslated(f"kafkastream's {owner} has no {python}")
    if here is not None and issubclass(here, enum.Enum) and node.name == "valueOf":
        return Value(ast.Subscript(tree, expression(node.arguments[0], body).code, ast.Load()), Type(owner))
    arguments = [one.code for one in arguments_of(node, body, node.type_arguments)]
    made = call(attribute(tree, python), *arguments)
    return Value(made, _api_static_result(owner, node))


def _api_static_result(owner: str, node: Call) -> Type:
    if node.name in ("builder", "newBuilder"):
        return Type("?builder", (Type(owner, node.type_arguments),))
    if node.name in (
        "fromArgs",
        "fromPropertiesFile",
        "fromMap",
        "fromSystemProperties",
        "getExecutionEnvironment",
        "create",
    ):
        return Type(owner)
    if owner in ("Duration", "Time", "Configuration", "Instant"):
        return Type(owner)
    return Type(owner, node.type_arguments) if owner == "WatermarkStrategy" else UNKNOWN


def _tuple(node: Call, body: Body) -> Value:
    values = arguments_of(node, body)
    kind = Type(f"Tuple{len(values)}", tuple(boxed(one.type) for one in values))
    return Value(ast.Tuple([one.code for one in values], ast.Load()), kind)


def _time(node: Call, body: Body) -> Value | None:
    """``Time.of(5, TimeUnit.SECONDS)``."""
    if node.name != "of":
        return _api_static_call("Time", node, body)
    amount, unit = arguments_of(node, body)
    if not isinstance(unit.code, ast.Constant):
        raise Untranslated("the unit of this time is not a constant")
    return Value(call(attribute(name("Time"), str(unit.code.value)), amount.code), Type("Time"))


def _types(node: Call, body: Body) -> Value:
    """Type information: ``TUPLE`` and ``ROW`` take lists here, classes are pickled."""
    if node.name in ("POJO", "GENERIC", "ENUM"):
        return Value(code("Types.PICKLED_BYTE_ARRAY()"), Type("TypeInformation"))
    values = arguments_of(node, body)
    if node.name in ("TUPLE", "ROW"):
        values = [Value(ast.List([one.code for one in values], ast.Load()))]
    elif node.name == "ROW_NAMED":
        values = [values[0], Value(ast.List([one.code for one in values[1:]], ast.Load()))]
    return Value(call(attribute(name("Types"), node.name), *(one.code for one in values)), Type("TypeInformation"))


def _environment(node: Call, body: Body) -> Value | None:
    """Local environments are the plain one."""
    if not node.name.startswith("create"):
        return None
    arguments = [one for one in arguments_of(node, body) if one.type.name == "Configuration"]
    tree = call(code("StreamExecutionEnvironment.get_execution_environment"), *(one.code for one in arguments))
    return Value(tree, Type("StreamExecutionEnvironment"))


def _row(node: Call, body: Body) -> Value | None:
    if node.name != "of":
        return None
    return Value(call("Row", *(one.code for one in arguments_of(node, body))), Type("Row"))


def _json_mapper(node: Call, body: Body) -> Value | None:
    return Value(name("json"), Type("ObjectMapper"))


def _date_pattern(node: Call, body: Body) -> Value | None:
    if node.name != "ofPattern":
        return None
    return date_pattern(expression(node.arguments[0], body))


def _rolling_policy(node: Call, body: Body) -> Value | None:
    """The builder of the policy collects keywords of ``default_rolling_policy``."""
    if node.name != "builder":
        return None
    return Value(call(code("DefaultRollingPolicy.default_rolling_policy")), Type("?rolling"))


def _memory_size(node: Call, body: Body) -> Value | None:
    units = {"ofMebiBytes": 1 << 20, "parse": 0}
    amount = expression(node.arguments[0], body).code
    if node.name not in units or not isinstance(amount, ast.Constant) or not units[node.name]:
        raise Untranslated(f"MemorySize.{node.name} has no counterpart")
    return Value(code(f"{int(str(amount.value))} * 1024 * 1024"), Type("MemorySize"))


_STATIC_RULES: Final[Mapping[str, Callable[[Call, Body], Value | None]]] = {
    "DateTimeFormatter": _date_pattern,
    "DefaultRollingPolicy": _rolling_policy,
    "Expressions": expression_of,
    "JsonMapper": _json_mapper,
    "MemorySize": _memory_size,
    "Row": _row,
    "StreamExecutionEnvironment": _environment,
    "Time": _time,
    "Types": _types,
    **{f"Tuple{number}.of": _tuple for number in range(1, 26)},
}
