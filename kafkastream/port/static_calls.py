"""Translation of calls of static methods: those of the program, of Java's library and of Flink's API."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable, Mapping
from typing import Final

from kafkastream.port.conversions import convert
from kafkastream.port.dates import date_formatter
from kafkastream.port.java_nodes import Call, ClassOf, Expression, Method, Name, Type
from kafkastream.port.java_types import UNKNOWN, VOID, boxed
from kafkastream.port.library_calls import static_library_call, translate_argument, translate_arguments
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import JAVA_NAMES, api_class, python_name, snake_case
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, name
from kafkastream.port.resolving import api_class_name
from kafkastream.port.table_calls import table_expression
from kafkastream.port.translation import Body, Value, translate_expression

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
    value = rule(node, body) if rule is not None else static_library_call(owner, node, body)
    if value is not None:
        return value
    return _api_static_call(owner, node, body)


def method_call(node: Call, receiver: ast.expr | None, declaration: tuple[ClassInfo, Method], body: Body) -> Value:
    """Call a method of the program; one that takes the collector is a generator, called by ``yield from``."""
    info, method = declaration
    python = info.method_name(method)
    if receiver is None and python == snake_case(node.name):
        python = python_name(node.name)
    function = name(python) if receiver is None else attribute(receiver, python)
    arguments = [argument for argument in node.arguments if not _is_collector(argument, body)]
    kinds = [parameter.type for parameter in method.parameters if parameter.type.name != "Collector"]
    kinds += [UNKNOWN] * (len(arguments) - len(kinds))
    values = [
        convert(translate_argument(argument, body), kind) for argument, kind in zip(arguments, kinds, strict=False)
    ]
    class_literals = [
        argument.type
        for argument in arguments
        if isinstance(argument, ClassOf) and argument.type.name in body.index.classes
    ]
    body.program.read_classes.update(class_literal.name for class_literal in class_literals)
    tree = call(function, *values)
    if len(arguments) < len(node.arguments) and method.type.name == "void":
        return Value(ast.YieldFrom(tree), VOID)
    result = _declared_result(method.type, method)
    return Value(tree, class_literals[0] if result == UNKNOWN and len(class_literals) == 1 else result)


def _declared_result(kind: Type, method: Method) -> Type:
    is_variable = re.fullmatch(r"[A-Z][A-Z0-9]?", kind.name) is not None
    return UNKNOWN if is_variable else kind


def _is_collector(node: Expression, body: Body) -> bool:
    return isinstance(node, Name) and node.text in body.collectors


def _own_static_call(info: ClassInfo, node: Call, body: Body) -> Value:
    declaration = body.index.find_method(Type(info.declaration.name), node.name, len(node.arguments))
    declaration = declaration or body.index.find_method(Type(info.declaration.name), node.name)
    kind = Type(info.declaration.name)
    if declaration is not None:
        receiver = None if declaration[0].role == "main" else name(info.python)
        return method_call(node, receiver, declaration, body)
    if info.role == "enum" and node.name == "values":
        return Value(call("list", name(info.python)), Type(kind.name, dimensions=1))
    if info.role == "enum" and node.name == "valueOf":
        return Value(
            ast.Subscript(name(info.python), translate_expression(node.arguments[0], body).code, ast.Load()), kind
        )
    if node.name == "builder" and info.declaration.annotated("Builder", "SuperBuilder"):
        return Value(call(info.python), Type("?lombok", (kind,)))
    raise Untranslated(f"{info.declaration.name}.{node.name} is not known")


def _api_static_call(owner: str, node: Call, body: Body) -> Value:
    tree = api_class_name(owner)
    python = snake_case(node.name)
    python_class = api_class(JAVA_NAMES.get(owner, owner))
    if python_class is not None and not hasattr(python_class, python) and not issubclass(python_class, enum.Enum):
        raise Untranslated(f"kafkastream's {owner} has no {python}")
    if python_class is not None and issubclass(python_class, enum.Enum) and node.name == "valueOf":
        return Value(ast.Subscript(tree, translate_expression(node.arguments[0], body).code, ast.Load()), Type(owner))
    arguments = [argument.code for argument in translate_arguments(node, body, node.type_arguments)]
    tree_of_call = call(attribute(tree, python), *arguments)
    return Value(tree_of_call, _api_result_type(owner, node))


def _api_result_type(owner: str, node: Call) -> Type:
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


def _tuple_of(node: Call, body: Body) -> Value:
    values = translate_arguments(node, body)
    kind = Type(f"Tuple{len(values)}", tuple(boxed(value.type) for value in values))
    return Value(ast.Tuple([value.code for value in values], ast.Load()), kind)


def _time_of(node: Call, body: Body) -> Value | None:
    """Translate ``Time.of(5, TimeUnit.SECONDS)`` to ``Time.seconds(5)``."""
    if node.name != "of":
        return _api_static_call("Time", node, body)
    amount, unit = translate_arguments(node, body)
    if not isinstance(unit.code, ast.Constant):
        raise Untranslated("the unit of this time is not a constant")
    return Value(call(attribute(name("Time"), str(unit.code.value)), amount.code), Type("Time"))


def _types_call(node: Call, body: Body) -> Value:
    """Translate type information: ``TUPLE`` and ``ROW`` take lists in PyFlink, and objects of classes are pickled."""
    if node.name in ("POJO", "GENERIC", "ENUM"):
        return Value(code("Types.PICKLED_BYTE_ARRAY()"), Type("TypeInformation"))
    values = translate_arguments(node, body)
    if node.name in ("TUPLE", "ROW"):
        values = [Value(ast.List([value.code for value in values], ast.Load()))]
    elif node.name == "ROW_NAMED":
        values = [values[0], Value(ast.List([value.code for value in values[1:]], ast.Load()))]
    return Value(call(attribute(name("Types"), node.name), *(value.code for value in values)), Type("TypeInformation"))


def _create_environment(node: Call, body: Body) -> Value | None:
    """``createLocalEnvironment`` and the like become ``get_execution_environment``."""
    if not node.name.startswith("create"):
        return None
    arguments = [argument for argument in translate_arguments(node, body) if argument.type.name == "Configuration"]
    tree = call(
        code("StreamExecutionEnvironment.get_execution_environment"), *(argument.code for argument in arguments)
    )
    return Value(tree, Type("StreamExecutionEnvironment"))


def _row_of(node: Call, body: Body) -> Value | None:
    if node.name != "of":
        return None
    return Value(call("Row", *(argument.code for argument in translate_arguments(node, body))), Type("Row"))


def _json_mapper(node: Call, body: Body) -> Value | None:
    return Value(name("json"), Type("ObjectMapper"))


def _formatter_of_pattern(node: Call, body: Body) -> Value | None:
    if node.name != "ofPattern":
        return None
    return date_formatter(translate_expression(node.arguments[0], body))


def _rolling_policy_builder(node: Call, body: Body) -> Value | None:
    """The builder of the policy collects keywords of ``default_rolling_policy``."""
    if node.name != "builder":
        return None
    return Value(call(code("DefaultRollingPolicy.default_rolling_policy")), Type("?rolling"))


def _memory_size_of(node: Call, body: Body) -> Value | None:
    units = {"ofMebiBytes": 1 << 20, "parse": 0}
    amount = translate_expression(node.arguments[0], body).code
    if node.name not in units or not isinstance(amount, ast.Constant) or not units[node.name]:
        raise Untranslated(f"MemorySize.{node.name} has no counterpart")
    return Value(code(f"{int(str(amount.value))} * 1024 * 1024"), Type("MemorySize"))


_STATIC_RULES: Final[Mapping[str, Callable[[Call, Body], Value | None]]] = {
    "DateTimeFormatter": _formatter_of_pattern,
    "DefaultRollingPolicy": _rolling_policy_builder,
    "Expressions": table_expression,
    "JsonMapper": _json_mapper,
    "MemorySize": _memory_size_of,
    "Row": _row_of,
    "StreamExecutionEnvironment": _create_environment,
    "Time": _time_of,
    "Types": _types_call,
    **{f"Tuple{number}.of": _tuple_of for number in range(1, 26)},
}
