"""Translation of method calls: those of the program, of Java's library and of Flink's API."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from kafkastream.port.flink_calls import api_call, is_print_sink, translate_print
from kafkastream.port.flink_types import is_api
from kafkastream.port.java_nodes import Block, Call, Lambda, Method, Name, New, Return, This, Type
from kafkastream.port.java_types import STRING, UNKNOWN, VOID
from kafkastream.port.library import METHODS
from kafkastream.port.library_calls import library_call, table_name, translate_arguments
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import snake_case
from kafkastream.port.program_index import ClassInfo, anonymous_class
from kafkastream.port.python_trees import attribute, call, code, constant, name
from kafkastream.port.resolving import named_class
from kafkastream.port.static_calls import method_call, static_call
from kafkastream.port.table_calls import expression_method
from kafkastream.port.translation import Body, Value, translate_expression, translates

__all__ = ["is_context"]

_OBJECT_METHODS: Final = frozenset(
    {"equals", "hashCode", "toString", "size", "length", "isEmpty", "contains", "getClass"}
)
_STRING_METHODS: Final = frozenset({
    "charAt", "toLowerCase", "toUpperCase", "trim", "startsWith", "endsWith", "substring", "split", "equalsIgnoreCase", "matches",
    "replaceAll", "indexOf", "getBytes",
})  # fmt: skip


@translates(Call)
def _translate_call(node: Call, body: Body) -> Value:
    if node.target is None:
        return _own_call(node, body)
    if isinstance(node.target, This):
        return _super_call(node, body) if node.target.is_super else _own_call(node, body)
    collected = _collector_call(node, body)
    if collected is not None:
        return collected
    owner = named_class(node.target, body)
    if owner is not None:
        return static_call(owner, node, body)
    if node.name == "getResourceAsStream":
        return _resource_call(node, body)
    return _object_call(node, translate_expression(node.target, body), body)


def _resource_call(node: Call, body: Body) -> Value:
    """Translate ``getResourceAsStream``: Python opens a file next to the program instead of the class path."""
    (path,) = translate_arguments(node, body)
    tree = code('open(Path(__file__).with_name(b), encoding="utf-8")', b=path.code)
    return Value(tree, Type("InputStream"))


def is_context(kind: Type) -> bool:
    """Return whether a type is a context of a process function, which has side outputs."""
    return kind.name.endswith("Context")


def _collector_call(node: Call, body: Body) -> Value | None:
    """Translate ``out.collect(x)`` and ``ctx.output(tag, x)`` to ``yield``; return None for other calls."""
    target = node.target
    if isinstance(target, Name) and target.text in body.collectors and node.name == "collect":
        return Value(ast.Yield(translate_expression(node.arguments[0], body).code), VOID)
    if isinstance(target, Name) and node.name == "output" and len(node.arguments) == 2:
        variable = body.find(target.text)
        if variable is not None and is_context(variable.type):
            tag, element = (translate_expression(argument, body).code for argument in node.arguments)
            return Value(ast.Yield(ast.Tuple([tag, element], ast.Load())), VOID)
    return None


# Methods of the program


def _own_call(node: Call, body: Body) -> Value:
    if node.name == "<init>":
        raise Untranslated("a class of Python has one constructor")
    if node.name == "getRuntimeContext" and not node.arguments:
        return _runtime_context(body)
    if _is_own_getter(node, body):
        assert body.owner is not None
        return _program_call(node, Value(name("self"), Type(body.owner.declaration.name)), body)
    info = body.owner
    while info is not None:
        declaration = body.index.find_method(
            Type(info.declaration.name), node.name, len(node.arguments)
        ) or body.index.find_method(Type(info.declaration.name), node.name)
        if declaration is not None:
            return method_call(node, _receiver_of(declaration, info, body), declaration, body)
        info = body.index.classes.get(info.declaration.owner)
    return _undeclared_call(node, body)


def _undeclared_call(node: Call, body: Body) -> Value:
    """Call a method without a target that the program does not declare."""
    if node.name in body.index.statics:
        return static_call(body.index.statics[node.name], node, body)
    if node.name in ("$", "lit"):  # import static org.apache.flink.table.api.Expressions.*
        return static_call("Expressions", node, body)
    if node.name == "getClass" and not body.is_static:
        return Value(code("type(self)"), Type("Class"))
    if body.owner is not None and body.owner.role == "enum":
        if node.name in ("values", "valueOf"):
            return static_call(body.owner.declaration.name, node, body)
        if node.name in ("name", "ordinal"):
            return _inherited_call(node, Value(name("self"), Type(body.owner.declaration.name)), body)
    if node.target is not None and body.owner is not None:
        return _object_call(node, Value(name("self"), Type("?")), body)
    raise Untranslated(f"the method {node.name} is not known")


def _is_own_getter(node: Call, body: Body) -> bool:
    """Return whether a method calls a getter of its own class; getters become attributes in Python."""
    if body.owner is None or body.is_static or node.arguments:
        return False
    return body.index.accessor(Type(body.owner.declaration.name), node.name, 0) is not None


def _runtime_context(body: Body) -> Value:
    tree = name(body.runtime) if body.runtime is not None else code("self.runtime_context")
    return Value(tree, Type("RuntimeContext"))


def _receiver_of(declaration: tuple[ClassInfo, Method], info: ClassInfo, body: Body) -> ast.expr | None:
    declaring, method = declaration
    if method.is_static:
        return name(declaring.python) if declaring.role != "main" else None
    if info is not body.owner or body.is_static:
        raise Untranslated(f"{method.name} is a method of the outer object, which a Python class does not see")
    return name("self")


def _super_call(node: Call, body: Body) -> Value:
    info = body.owner
    superclass = info.declaration.superclass if info is not None else None
    arguments = [translate_argument.code for translate_argument in translate_arguments(node, body)]
    if superclass is None or superclass.name not in body.index.classes:
        if node.name in ("open", "close", "<init>", "clear", "onTimer"):
            return Value(constant(None), VOID)
        raise Untranslated(f"super.{node.name} of Flink's class has no counterpart")
    python = "__init__" if node.name == "<init>" else snake_case(node.name)
    return Value(call(attribute(call("super"), python), *arguments))


# Methods of objects


def _object_call(node: Call, receiver: Value, body: Body) -> Value:
    kind = receiver.type
    special = _CALLS_BY_TYPE.get(kind.name)
    if special is not None:
        return special(node, receiver, body)
    if kind.name.startswith("Tuple"):
        return _tuple_call(node, receiver, body)
    if kind.name in body.index.classes:
        return _program_call(node, receiver, body)
    if table_name(kind) in METHODS:
        value = library_call(node, receiver, body)
        if value is not None:
            return value
    if kind.name == "?builder":
        return _builder_call(node, receiver, body)
    if is_api(kind):
        return api_call(node, receiver, body)
    return _other_call(node, receiver, body)


def _other_call(node: Call, receiver: Value, body: Body) -> Value:
    kind = receiver.type
    if kind.name in ("Logger", "PrintStream"):
        raise Untranslated(f"{node.name} of a logger is a statement")
    if kind.name in _FUNCTIONAL_METHODS and _FUNCTIONAL_METHODS[kind.name] == node.name:
        return Value(
            call(receiver.code, *(translate_argument.code for translate_argument in translate_arguments(node, body)))
        )
    if kind.name != "?" and not re.fullmatch(r"[A-Z]{1,3}\d?|OUT|KEY|Object|Class|null", kind.name):
        raise Untranslated(f"{kind.name}.{node.name} has no counterpart")
    return _unknown_call(node, receiver, body)


_FUNCTIONAL_METHODS: Final[Mapping[str, str]] = {
    "BiFunction": "apply",
    "BinaryOperator": "apply",
    "Consumer": "accept",
    "Function": "apply",
    "Predicate": "test",
    "Supplier": "get",
    "UnaryOperator": "apply",
}


def _rolling_policy_call(node: Call, receiver: Value, body: Body) -> Value:
    if node.name in ("build", "create"):
        return Value(receiver.code, Type("RollingPolicy"))
    keys = {
        "withMaxPartSize": "part_size",
        "withRolloverInterval": "rollover_interval",
        "withInactivityInterval": "inactivity_interval",
    }
    assert isinstance(receiver.code, ast.Call)
    value = translate_expression(node.arguments[0], body)
    tree = call(attribute(value.code, "to_millis")) if value.type.name == "Duration" else value.code
    keywords = [*receiver.code.keywords, ast.keyword(keys[node.name], tree)]
    return Value(ast.Call(receiver.code.func, [], keywords), receiver.type)


def _formatter_call(node: Call, receiver: Value, body: Body) -> Value:
    """Date formatters become patterns of ``strftime`` and ``strptime``."""
    if node.name in ("withZone", "withLocale", "setTimeZone"):
        return receiver
    value = translate_expression(node.arguments[0], body).code
    if node.name == "format":
        return Value(call(attribute(value, "strftime"), receiver.code), STRING)
    return Value(call(code("datetime.strptime"), value, receiver.code), Type("LocalDateTime"))


def _time_unit_call(node: Call, receiver: Value, body: Body) -> Value:
    """``TimeUnit.MINUTES.toMillis(5)`` is a number."""
    factors = {"milliseconds": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
    divisors = {"toMillis": 1, "toSeconds": 1000, "toMinutes": 60_000}
    if not isinstance(receiver.code, ast.Constant) or node.name not in divisors:
        raise Untranslated(f"TimeUnit.{node.name} has no counterpart")
    factor = factors[str(receiver.code.value)]
    value = translate_expression(node.arguments[0], body).code
    if factor % divisors[node.name]:
        raise Untranslated(f"TimeUnit.{node.name} has no counterpart")
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return Value(constant(value.value * factor // divisors[node.name]), Type("long"))
    return Value(code("a * b", a=value, b=constant(factor // divisors[node.name])), Type("long"))


def _lombok_builder_call(node: Call, receiver: Value, body: Body) -> Value:
    """A Lombok builder becomes a call of the class with keyword arguments."""
    assert isinstance(receiver.code, ast.Call)
    if node.name == "build":
        return Value(receiver.code, receiver.type.argument(0))
    value = translate_expression(node.arguments[0], body).code
    keywords = [*receiver.code.keywords, ast.keyword(node.name, value)]
    return Value(ast.Call(receiver.code.func, [], keywords), receiver.type)


def _gson_builder_call(node: Call, receiver: Value, body: Body) -> Value:
    """``GsonBuilder`` becomes keyword arguments of ``Gson``."""
    assert isinstance(receiver.code, ast.Call)
    if node.name == "create":
        return Value(receiver.code, Type("Gson"))
    settings = {"disableHtmlEscaping": ("escapes_html", False), "serializeNulls": ("writes_nulls", True)}
    if node.name not in settings:
        raise Untranslated(f"GsonBuilder.{node.name} has no counterpart")
    key, value = settings[node.name]
    return Value(
        call(
            "Gson", **{keyword.arg or "": keyword.value for keyword in receiver.code.keywords}, **{key: constant(value)}
        ),
        receiver.type,
    )


def _tuple_call(node: Call, receiver: Value, body: Body) -> Value:
    if node.name == "getField" and len(node.arguments) == 1:
        index = translate_expression(node.arguments[0], body).code
        return Value(ast.Subscript(receiver.code, index, ast.Load()))
    if node.name == "toString":
        return Value(call("java_text", receiver.code), STRING)
    if node.name == "equals":
        return Value(
            code("a == b", a=receiver.code, b=translate_expression(node.arguments[0], body).code), Type("boolean")
        )
    if node.name == "copy":
        return receiver
    raise Untranslated(f"tuples of Python have no {node.name}")


def _program_call(node: Call, receiver: Value, body: Body) -> Value:
    method = body.index.find_method(receiver.type, node.name, len(node.arguments))
    field = body.index.accessor(receiver.type, node.name, len(node.arguments))
    if field is not None and not node.arguments:
        holder = body.index.classes[receiver.type.name]
        kinds = [
            ancestor.fields[field_name].type
            for ancestor in body.index.supers(holder)
            for field_name in ancestor.fields
            if ancestor.field_name(field_name) == field
        ]
        return Value(attribute(receiver.code, field), kinds[0] if kinds else UNKNOWN)
    if field is not None:
        raise Untranslated(f"{node.name} sets an attribute, which is a statement in Python")
    if method is not None and node.name not in ("toString", "equals", "hashCode", "compareTo"):
        return method_call(node, receiver.code, method, body)
    return _inherited_call(node, receiver, body)


def _inherited_call(node: Call, receiver: Value, body: Body) -> Value:
    info = body.index.classes[receiver.type.name]
    table = {"enum": "Enum", "exception": "Exception"}.get(info.role, "Object")
    value = library_call(node, Value(receiver.code, Type(table)), body)
    if value is not None:
        return value
    if node.name == "compareTo":
        return Value(
            call("java_compare", receiver.code, translate_expression(node.arguments[0], body).code), Type("int")
        )
    if info.role == "enum" and node.name == "getDeclaringClass":
        return Value(call("type", receiver.code))
    return _unknown_call(node, receiver, body)


def _builder_call(node: Call, receiver: Value, body: Body) -> Value:
    """Translate a call on a builder; ``?builder`` is its type, with the built class as type argument."""
    built = receiver.type.argument(0)
    if node.name.endswith("SerializationSchema") and isinstance(node.arguments[0], Lambda):
        arguments = [schema_of(node.arguments[0], built, body)]
    else:
        arguments = [translate_argument.code for translate_argument in translate_arguments(node, body, built.arguments)]
    tree = call(attribute(receiver.code, snake_case(node.name)), *arguments)
    return Value(tree, built if node.name == "build" else receiver.type)


def schema_of(node: Lambda, built: Type, body: Body) -> ast.expr:
    """Wrap a Java lambda in a serialization schema: a class that is defined before the statement."""
    block = node.body if isinstance(node.body, Block) else Block((Return(node.body, line=node.line),), line=node.line)
    kind = built.argument(0)
    parameters = tuple(
        parameter if parameter.type != UNKNOWN else attrs.evolve(parameter, type=kind) for parameter in node.parameters
    )
    method = Method("serialize", Type("byte", dimensions=1), parameters, block, line=node.line)
    declared = anonymous_class((method,), line=node.line)
    return translate_expression(New(Type("SerializationSchema"), (), declared, line=node.line), body).code


def _unknown_call(node: Call, receiver: Value, body: Body) -> Value:
    """Call a method of an object whose type is not known."""
    if is_print_sink(node):
        return translate_print(node, receiver, body)
    field = body.index.accessor(UNKNOWN, node.name, len(node.arguments)) if not node.arguments else None
    if field is not None:
        return Value(attribute(receiver.code, field), _field_type(field, body))
    table = "String" if node.name in _STRING_METHODS else "Object" if node.name in _OBJECT_METHODS else None
    if node.name in ("size", "isEmpty", "contains"):
        table = "Collection"
    if node.name in ("length",):
        table = "String"
    if table is not None:
        value = library_call(node, Value(receiver.code, Type(table)), body)
        if value is not None:
            return Value(value.code, value.type)
    arguments = [translate_argument.code for translate_argument in translate_arguments(node, body)]
    candidates = [info for info in body.index.classes.values() if info.methods_named(node.name)]
    kind = candidates[0].methods_named(node.name)[0].type if candidates else UNKNOWN
    return Value(call(attribute(receiver.code, snake_case(node.name)), *arguments), kind)


def _field_type(field: str, body: Body) -> Type:
    kinds = {info.fields[field].type for info in body.index.classes.values() if field in info.fields}
    return kinds.pop() if len(kinds) == 1 else UNKNOWN


_CALLS_BY_TYPE: Final[Mapping[str, Callable[[Call, Value, Body], Value]]] = {
    "?gson": _gson_builder_call,
    "?lombok": _lombok_builder_call,
    "Expression": expression_method,
    "?rolling": _rolling_policy_call,
    "DateTimeFormatter": _formatter_call,
    "SimpleDateFormat": _formatter_call,
    "TimeUnit": _time_unit_call,
}
