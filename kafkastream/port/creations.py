"""Translation of ``new``: objects of the program, of Flink's API and of Java's library, and anonymous classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from kafkastream.port.conversions import converted
from kafkastream.port.dates import date_pattern
from kafkastream.port.java_nodes import (
    Block,
    ClassDeclaration,
    ClassOf,
    Expression,
    Lambda,
    LocalClass,
    Method,
    New,
    Parameter,
    Type,
)
from kafkastream.port.java_types import LISTS, STRING, UNKNOWN, annotation, boxed, default_of, is_text, type_information
from kafkastream.port.library_calls import argument
from kafkastream.port.mapper_calls import check_written
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import EXCEPTIONS, JAVA_NAMES, snake_case
from kafkastream.port.program_index import ClassInfo, anonymous_info
from kafkastream.port.python_trees import attribute, call, code, constant
from kafkastream.port.resolving import api_name
from kafkastream.port.translation import Body, Value, expression, statement, translates

__all__ = ["exception_name"]

_FUNCTIONS: Final = frozenset({
    "AscendingTimestampExtractor", "BiFunction", "BoundedOutOfOrdernessTimestampExtractor", "Comparator", "Consumer", "FilterFunction", "FlatMapFunction", "Function", "JoinFunction", "KeySelector",
    "MapFunction", "Predicate", "ReduceFunction", "SerializableTimestampAssigner", "Supplier", "TimestampAssigner",
})  # fmt: skip
"""Interfaces for which kafkastream, or Python, takes a plain function."""

_EMPTY: Final[Mapping[str, str]] = {
    "ArrayDeque": "[]",
    "ArrayList": "[]",
    "AtomicBoolean": "False",
    "AtomicInteger": "0",
    "AtomicLong": "0",
    "ConcurrentHashMap": "{}",
    "Configuration": "Configuration()",
    "Date": "datetime.now(timezone.utc)",
    "HashMap": "{}",
    "HashSet": "set()",
    "LinkedHashMap": "{}",
    "LinkedHashSet": "set()",
    "LinkedList": "[]",
    "Object": "object()",
    "ObjectMapper": "json",
    "Properties": "{}",
    "Random": "JavaRandom()",
    "SimpleStringEncoder": "Encoder.simple_string_encoder()",
    "StringBuffer": '""',
    "StringBuilder": '""',
    "TextLineFormat": "StreamFormat.text_line_format()",
    "TextLineInputFormat": "StreamFormat.text_line_format()",
    "JSONObject": "{}",
    "Vector": "[]",
}
_FILLED: Final[Mapping[str, str]] = {
    "ArrayDeque": "list(b)",
    "ArrayList": "list(b)",
    "AtomicBoolean": "b",
    "AtomicInteger": "b",
    "AtomicLong": "b",
    "BigDecimal": "Decimal(b)",
    "BigInteger": "int(b)",
    "Date": "datetime.fromtimestamp(b / 1000, timezone.utc)",
    "File": "b",
    "FileInputStream": 'open(b, encoding="utf-8")',
    "FileReader": 'open(b, encoding="utf-8")',
    "HashMap": "dict(b)",
    "HashSet": "set(b)",
    "Integer": "int(b)",
    "LinkedHashMap": "dict(b)",
    "LinkedHashSet": "set(b)",
    "LinkedList": "list(b)",
    "Long": "int(b)",
    "Double": "float(b)",
    "Path": "b",
    "URI": "b",
    "Random": "JavaRandom(b)",
    "Timestamp": "datetime.fromtimestamp(b / 1000, timezone.utc)",
}
_SIZED: Final = frozenset(
    {"ArrayList", "HashMap", "HashSet", "ArrayDeque", "LinkedHashMap", "LinkedHashSet", "StringBuilder", "StringBuffer"}
)


@translates(New)
def _new(node: New, body: Body) -> Value:
    java = node.type.name
    rule = _RULES.get(java)
    if rule is not None:
        return rule(node, body)
    if node.body is not None:
        return _anonymous(node, node.body, body)
    if java in body.index.classes:
        return _of_program(node, body)
    if java.startswith("Tuple") and java[5:].isdigit():
        return _tuple(node, body)
    if java in EXCEPTIONS or java.endswith("Exception"):
        return Value(call(exception_name(java, body), *_messages(node, body)), node.type)
    return _of_library(node, body) or _of_api(node, body)


def exception_name(java: str, body: Body) -> str:
    """Return Python's name of an exception; one that is not known is an ``Exception``."""
    info = body.index.classes.get(java)
    return info.python if info is not None else EXCEPTIONS.get(java, "Exception")


def _messages(node: New, body: Body) -> list[ast.expr]:
    """Message of an exception; ``raise … from`` has the cause."""
    values = [expression(one, body) for one in node.arguments]
    texts = [one.code for one in values if is_text(one.type)]
    return texts[:1] or [call("str", one.code) for one in values[:1]]


def _of_program(node: New, body: Body) -> Value:
    info = body.index.classes[node.type.name]
    if info.declaration.kind == "interface" or "abstract" in info.declaration.modifiers:
        raise Untranslated(f"{node.type.name} is abstract")
    kinds = _parameter_types(info, len(node.arguments))
    values = [converted(expression(one, body), kind) for one, kind in zip(node.arguments, kinds, strict=True)]
    return Value(call(info.python, *values), node.type)


def _parameter_types(info: ClassInfo, count: int) -> list[Type]:
    if info.declaration.kind == "record":
        return [one.type for one in info.declaration.components][:count]
    methods = [one for one in info.methods_named("<init>") if len(one.parameters) == count]
    if methods:
        return [one.type for one in methods[0].parameters]
    fields = [one.type for one in info.fields.values() if not one.is_static]
    return [*fields, *[UNKNOWN] * count][:count]


def _tuple(node: New, body: Body) -> Value:
    values = [expression(one, body) for one in node.arguments]
    if not values and node.type.arguments:
        values = [Value(default_of(boxed(one)), one) for one in node.type.arguments]
    kinds = node.type.arguments or tuple(boxed(one.type) for one in values)
    return Value(ast.Tuple([one.code for one in values], ast.Load()), Type(node.type.name, kinds))


def _of_library(node: New, body: Body) -> Value | None:
    java = node.type.name
    values = [expression(one, body) for one in node.arguments]
    is_size = len(values) == 1 and boxed(values[0].type).name == "int" and java in _SIZED
    if (not values or is_size) and java in _EMPTY:
        return Value(code(_EMPTY[java]), node.type)
    if len(values) == 1 and java in _FILLED:
        kind = Type(java, node.type.arguments or values[0].type.arguments)
        if java in LISTS and isinstance(values[0].code, ast.List):
            return Value(values[0].code, kind)
        return Value(code(_FILLED[java], b=values[0].code), kind)
    return None


def _of_api(node: New, body: Body) -> Value:
    tree = api_name(node.type.name)
    values = [argument(one, body, node.type.arguments) for one in node.arguments]
    kinds = node.type.arguments or next((one.type.arguments for one in values if one.type.arguments), ())
    if not kinds and any(one.type.name == "SimpleStringSchema" for one in values):
        kinds = (STRING,)
    return Value(call(tree, *(one.code for one in values)), Type(node.type.name, kinds))


# Anonymous classes


def _anonymous(node: New, declared: ClassDeclaration, body: Body) -> Value:
    java = node.type.name
    methods = [one for one in declared.methods if one.name != "<init>"]
    fields = [one for one in declared.fields if one.name != "serialVersionUID"]
    if java in _FUNCTIONS and len(methods) == 1 and not fields:
        return _as_function(node, methods[0], body)
    if java not in body.index.classes:
        api_name(java)
    short = JAVA_NAMES.get(java, java)
    python = body.unique(short.removesuffix("Function") if short.endswith("Function") else f"My{short}")
    is_interface = java in body.index.classes and body.index.classes[java].declaration.kind == "interface"
    owner = body.owner.declaration.name if body.owner is not None else ""
    named = attrs.evolve(
        declared,
        name=python,
        superclass=None if is_interface else node.type,
        interfaces=(node.type,) if is_interface else (),
        owner=owner,
        path=body.path,
    )
    body.index.add(anonymous_info(named, body.index))
    body.hoisted.extend(_class_statements(named, body))
    arguments = [expression(one, body).code for one in node.arguments]
    return Value(call(python, *arguments), Type(python))


def _class_statements(declared: ClassDeclaration, body: Body) -> list[ast.stmt]:
    return list(statement(LocalClass(declared, line=declared.line, last=declared.last), body))


def _as_function(node: New, method: Method, body: Body) -> Value:
    collects = bool(method.parameters) and method.parameters[-1].type.name == "Collector"
    block = method.body or Block(())
    parameters = method.parameters
    if node.type.name.endswith("TimestampExtractor"):
        parameters = (*parameters, Parameter("recordTimestamp", Type("long")))
    made = Lambda(parameters, block, line=node.line, last=node.last)
    body.collects, body.hint = collects, snake_case(method.name)
    try:
        value = expression(made, body)
    finally:
        body.collects, body.hint = False, "apply"
    result = method.parameters[-1].type.argument(0) if collects else method.type
    return Value(value.code, Type("Function", (result if result.name != "void" else UNKNOWN,)))


# Rules


def _output_tag(node: New, body: Body) -> Value:
    values = [expression(one, body).code for one in node.arguments]
    element = node.type.argument(0)
    information = type_information(element)
    if len(values) == 1 and not _is_pickled(information):
        values.append(information)
    return Value(call("OutputTag", *values), node.type)


def _is_pickled(tree: ast.expr) -> bool:
    return ast.dump(tree) == ast.dump(code("Types.PICKLED_BYTE_ARRAY()"))


def _descriptor(node: New, body: Body) -> Value:
    """Descriptor of a state: classes become type information."""
    values = [_information(one, body) for one in node.arguments]
    expected = {"MapStateDescriptor": 3, "ReducingStateDescriptor": 3, "AggregatingStateDescriptor": 3}.get(
        node.type.name, 2
    )
    if len(values) > expected:
        raise Untranslated("a default value of state is set where the state is read: value() is None at first")
    kinds = node.type.arguments or tuple(one.type.argument(0) for one in values[1:])
    return Value(call(node.type.name, *(one.code for one in values)), Type(node.type.name, kinds))


def _information(node: Expression, body: Body) -> Value:
    if isinstance(node, ClassOf):
        return Value(type_information(node.type), Type("TypeInformation", (node.type,)))
    return expression(node, body)


def _type_hint(node: New, body: Body) -> Value:
    return Value(type_information(node.type.argument(0)), Type("TypeHint", node.type.arguments))


def _string(node: New, body: Body) -> Value:
    values = [expression(one, body) for one in node.arguments]
    if not values:
        return Value(constant(""), Type("String"))
    first, *rest = values
    if is_text(first.type):
        return Value(first.code, Type("String"))
    if first.type.name == "char":
        return Value(code('"".join(b)', b=first.code), Type("String"))
    return Value(
        call(attribute(first.code, "decode"), *(one.code for one in rest[:1] if not _is_utf8(one.code))), Type("String")
    )


def _is_utf8(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and str(tree.value).lower() in ("utf-8", "utf8")


def _builder(node: New, body: Body) -> Value:
    values = [expression(one, body) for one in node.arguments]
    texts = [one.code for one in values if is_text(one.type)]
    return Value(texts[0] if texts else constant(""), Type("StringBuilder"))


def _json_reader(node: New, body: Body) -> Value:
    kinds = [one for one in node.arguments if isinstance(one, ClassOf)]
    if not kinds or kinds[0].type.name not in body.index.classes:
        raise Untranslated("only classes of the program are read from JSON: use JsonRowDeserializationSchema")
    tree = annotation(kinds[0].type, body.index.python_names)
    keywords = {"ignore_unknown": constant(True)} if body.program.ignores_unknown(kinds[0].type.name) else {}
    return Value(
        call("JsonDeserializationSchema", tree, **keywords), Type("JsonDeserializationSchema", (kinds[0].type,))
    )


def _json_writer(node: New, body: Body) -> Value:
    for one in node.type.arguments or body.expected:
        check_written(one, body)
    return Value(call("JsonSerializationSchema"), Type("JsonSerializationSchema", node.type.arguments))


def _producer_record(node: New, body: Body) -> Value:
    """Java takes topic, partition, timestamp, key and value, of which the middle may be missing."""
    names = {
        2: "topic value",
        3: "topic key value",
        4: "topic partition key value",
        5: "topic partition timestamp key value",
    }
    order = names.get(len(node.arguments), "topic partition timestamp key value headers").split()
    given = dict(zip(order, (expression(one, body).code for one in node.arguments), strict=False))
    return Value(call("ProducerRecord", given.pop("topic"), given.pop("value"), **given), node.type)


def _sorted_collection(node: New, body: Body) -> Value:
    raise Untranslated(f"Python has no {node.type.name}: sort where the order is needed")


def _gson_builder(node: New, body: Body) -> Value:
    return Value(call("Gson"), Type("?gson"))


def _date_format(node: New, body: Body) -> Value:
    return date_pattern(expression(node.arguments[0], body))


_RULES: Final[Mapping[str, Callable[[New, Body], Value]]] = {
    **dict.fromkeys(("ValueStateDescriptor", "ListStateDescriptor", "MapStateDescriptor"), _descriptor),
    **dict.fromkeys(("ReducingStateDescriptor", "AggregatingStateDescriptor"), _descriptor),
    **dict.fromkeys(("TreeMap", "TreeSet", "PriorityQueue"), _sorted_collection),
    **dict.fromkeys(("StringBuilder", "StringBuffer"), _builder),
    "GsonBuilder": _gson_builder,
    "JsonDeserializationSchema": _json_reader,
    "JsonSerializationSchema": _json_writer,
    "OutputTag": _output_tag,
    "ProducerRecord": _producer_record,
    "SimpleDateFormat": _date_format,
    "String": _string,
    "TypeHint": _type_hint,
}
