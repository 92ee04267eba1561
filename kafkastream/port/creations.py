"""Translation of ``new``: objects of the program, of Flink's API and of Java's library, and anonymous classes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

import attrs

from kafkastream.port.conversions import convert
from kafkastream.port.dates import date_formatter
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
from kafkastream.port.library_calls import translate_argument
from kafkastream.port.mapper_calls import check_no_times
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import EXCEPTIONS, JAVA_NAMES, snake_case
from kafkastream.port.program_index import ClassInfo, anonymous_info
from kafkastream.port.python_trees import attribute, call, code, constant
from kafkastream.port.resolving import api_class_name
from kafkastream.port.translation import Body, Value, translate_expression, translate_statement, translates

__all__ = ["exception_name"]

_FUNCTIONS: Final = frozenset({
    "AscendingTimestampExtractor", "BiFunction", "BoundedOutOfOrdernessTimestampExtractor", "Comparator", "Consumer", "FilterFunction", "FlatMapFunction", "Function", "JoinFunction", "KeySelector",
    "MapFunction", "Predicate", "ReduceFunction", "SerializableTimestampAssigner", "Supplier", "TimestampAssigner",
})  # fmt: skip
"""Interfaces for which kafkastream, or Python, takes a plain function."""

_WITHOUT_ARGUMENTS: Final[Mapping[str, str]] = {
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
_WITH_ONE_ARGUMENT: Final[Mapping[str, str]] = {
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
_WITH_CAPACITY: Final = frozenset(
    {"ArrayList", "HashMap", "HashSet", "ArrayDeque", "LinkedHashMap", "LinkedHashSet", "StringBuilder", "StringBuffer"}
)


@translates(New)
def _translate_new(node: New, body: Body) -> Value:
    java = node.type.name
    rule = _RULES.get(java)
    if rule is not None:
        return rule(node, body)
    if node.body is not None:
        return _new_anonymous_object(node, node.body, body)
    if java in body.index.classes:
        return _new_program_object(node, body)
    if java.startswith("Tuple") and java[5:].isdigit():
        return _new_tuple(node, body)
    if java in EXCEPTIONS or java.endswith("Exception"):
        return Value(call(exception_name(java, body), *_exception_arguments(node, body)), node.type)
    return _new_library_object(node, body) or _new_api_object(node, body)


def exception_name(java: str, body: Body) -> str:
    """Return Python's name of an exception class; an unknown class becomes ``Exception``."""
    info = body.index.classes.get(java)
    return info.python if info is not None else EXCEPTIONS.get(java, "Exception")


def _exception_arguments(node: New, body: Body) -> list[ast.expr]:
    """Return the message of an exception; the cause goes into ``raise … from``."""
    values = [translate_expression(argument, body) for argument in node.arguments]
    texts = [value.code for value in values if is_text(value.type)]
    return texts[:1] or [call("str", value.code) for value in values[:1]]


def _new_program_object(node: New, body: Body) -> Value:
    info = body.index.classes[node.type.name]
    if info.declaration.kind == "interface" or "abstract" in info.declaration.modifiers:
        raise Untranslated(f"{node.type.name} is abstract")
    kinds = _parameter_types(info, len(node.arguments))
    values = [
        convert(translate_expression(argument, body), kind)
        for argument, kind in zip(node.arguments, kinds, strict=True)
    ]
    return Value(call(info.python, *values), node.type)


def _parameter_types(info: ClassInfo, count: int) -> list[Type]:
    if info.declaration.kind == "record":
        return [component.type for component in info.declaration.components][:count]
    methods = [constructor for constructor in info.methods_named("<init>") if len(constructor.parameters) == count]
    if methods:
        return [parameter.type for parameter in methods[0].parameters]
    fields = [field.type for field in info.fields.values() if not field.is_static]
    return [*fields, *[UNKNOWN] * count][:count]


def _new_tuple(node: New, body: Body) -> Value:
    values = [translate_expression(argument, body) for argument in node.arguments]
    if not values and node.type.arguments:
        values = [Value(default_of(boxed(argument)), argument) for argument in node.type.arguments]
    kinds = node.type.arguments or tuple(boxed(value.type) for value in values)
    return Value(ast.Tuple([value.code for value in values], ast.Load()), Type(node.type.name, kinds))


def _new_library_object(node: New, body: Body) -> Value | None:
    java = node.type.name
    values = [translate_expression(argument, body) for argument in node.arguments]
    is_size = len(values) == 1 and boxed(values[0].type).name == "int" and java in _WITH_CAPACITY
    if (not values or is_size) and java in _WITHOUT_ARGUMENTS:
        return Value(code(_WITHOUT_ARGUMENTS[java]), node.type)
    if len(values) == 1 and java in _WITH_ONE_ARGUMENT:
        kind = Type(java, node.type.arguments or values[0].type.arguments)
        if java in LISTS and isinstance(values[0].code, ast.List):
            return Value(values[0].code, kind)
        return Value(code(_WITH_ONE_ARGUMENT[java], b=values[0].code), kind)
    return None


def _new_api_object(node: New, body: Body) -> Value:
    tree = api_class_name(node.type.name)
    values = [translate_argument(argument, body, node.type.arguments) for argument in node.arguments]
    kinds = node.type.arguments or next((value.type.arguments for value in values if value.type.arguments), ())
    if not kinds and any(value.type.name == "SimpleStringSchema" for value in values):
        kinds = (STRING,)
    return Value(call(tree, *(value.code for value in values)), Type(node.type.name, kinds))


# Anonymous classes


def _new_anonymous_object(node: New, declared: ClassDeclaration, body: Body) -> Value:
    java = node.type.name
    methods = [method for method in declared.methods if method.name != "<init>"]
    fields = [field for field in declared.fields if field.name != "serialVersionUID"]
    if java in _FUNCTIONS and len(methods) == 1 and not fields:
        return _single_method_function(node, methods[0], body)
    if java not in body.index.classes:
        api_class_name(java)
    short = JAVA_NAMES.get(java, java)
    python = body.unique(short.removesuffix("Function") if short.endswith("Function") else f"My{short}")
    is_interface = java in body.index.classes and body.index.classes[java].declaration.kind == "interface"
    owner = body.owner.declaration.name if body.owner is not None else ""
    named_declaration = attrs.evolve(
        declared,
        name=python,
        superclass=None if is_interface else node.type,
        interfaces=(node.type,) if is_interface else (),
        owner=owner,
        path=body.path,
    )
    body.index.add(anonymous_info(named_declaration, body.index))
    body.hoisted.extend(
        translate_statement(
            LocalClass(named_declaration, line=named_declaration.line, last=named_declaration.last), body
        )
    )
    arguments = [translate_expression(argument, body).code for argument in node.arguments]
    return Value(call(python, *arguments), Type(python))


def _single_method_function(node: New, method: Method, body: Body) -> Value:
    collects = bool(method.parameters) and method.parameters[-1].type.name == "Collector"
    block = method.body or Block(())
    parameters = method.parameters
    if node.type.name.endswith("TimestampExtractor"):
        parameters = (*parameters, Parameter("recordTimestamp", Type("long")))
    function = Lambda(parameters, block, line=node.line, last=node.last)
    body.collects, body.hint = collects, snake_case(method.name)
    try:
        value = translate_expression(function, body)
    finally:
        body.collects, body.hint = False, "apply"
    result = method.parameters[-1].type.argument(0) if collects else method.type
    return Value(value.code, Type("Function", (result if result.name != "void" else UNKNOWN,)))


# Rules


def _new_output_tag(node: New, body: Body) -> Value:
    values = [translate_expression(argument, body).code for argument in node.arguments]
    element = node.type.argument(0)
    information = type_information(element)
    if len(values) == 1 and not _is_pickled(information):
        values.append(information)
    return Value(call("OutputTag", *values), node.type)


def _is_pickled(tree: ast.expr) -> bool:
    return ast.dump(tree) == ast.dump(code("Types.PICKLED_BYTE_ARRAY()"))


def _new_state_descriptor(node: New, body: Body) -> Value:
    """Translate a state descriptor; class arguments become type information."""
    values = [_translate_class_argument(argument, body) for argument in node.arguments]
    expected = {"MapStateDescriptor": 3, "ReducingStateDescriptor": 3, "AggregatingStateDescriptor": 3}.get(
        node.type.name, 2
    )
    if len(values) > expected:
        raise Untranslated("a default value of state is set where the state is read: value() is None at first")
    kinds = node.type.arguments or tuple(value.type.argument(0) for value in values[1:])
    return Value(call(node.type.name, *(value.code for value in values)), Type(node.type.name, kinds))


def _translate_class_argument(node: Expression, body: Body) -> Value:
    if isinstance(node, ClassOf):
        return Value(type_information(node.type), Type("TypeInformation", (node.type,)))
    return translate_expression(node, body)


def _new_type_hint(node: New, body: Body) -> Value:
    return Value(type_information(node.type.argument(0)), Type("TypeHint", node.type.arguments))


def _new_string(node: New, body: Body) -> Value:
    values = [translate_expression(argument, body) for argument in node.arguments]
    if not values:
        return Value(constant(""), Type("String"))
    first, *rest = values
    if is_text(first.type):
        return Value(first.code, Type("String"))
    if first.type.name == "char":
        return Value(code('"".join(b)', b=first.code), Type("String"))
    return Value(
        call(attribute(first.code, "decode"), *(charset.code for charset in rest[:1] if not _is_utf8(charset.code))),
        Type("String"),
    )


def _is_utf8(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and str(tree.value).lower() in ("utf-8", "utf8")


def _new_string_builder(node: New, body: Body) -> Value:
    values = [translate_expression(argument, body) for argument in node.arguments]
    texts = [value.code for value in values if is_text(value.type)]
    return Value(texts[0] if texts else constant(""), Type("StringBuilder"))


def _new_json_deserializer(node: New, body: Body) -> Value:
    kinds = [argument for argument in node.arguments if isinstance(argument, ClassOf)]
    if not kinds or kinds[0].type.name not in body.index.classes:
        raise Untranslated("only classes of the program are read from JSON: use JsonRowDeserializationSchema")
    tree = annotation(kinds[0].type, body.index.python_names)
    keywords = {"ignore_unknown": constant(True)} if body.program.ignores_unknown(kinds[0].type.name) else {}
    return Value(
        call("JsonDeserializationSchema", tree, **keywords), Type("JsonDeserializationSchema", (kinds[0].type,))
    )


def _new_json_serializer(node: New, body: Body) -> Value:
    for argument in node.type.arguments or body.expected:
        check_no_times(argument, body)
    return Value(call("JsonSerializationSchema"), Type("JsonSerializationSchema", node.type.arguments))


def _new_producer_record(node: New, body: Body) -> Value:
    """Translate ``ProducerRecord``, whose constructors take the topic, then some of partition, timestamp and key, then the value."""
    names = {
        2: "topic value",
        3: "topic key value",
        4: "topic partition key value",
        5: "topic partition timestamp key value",
    }
    order = names.get(len(node.arguments), "topic partition timestamp key value headers").split()
    parts = dict(zip(order, (translate_expression(argument, body).code for argument in node.arguments), strict=False))
    return Value(call("ProducerRecord", parts.pop("topic"), parts.pop("value"), **parts), node.type)


def _refuse_sorted_collection(node: New, body: Body) -> Value:
    raise Untranslated(f"Python has no {node.type.name}: sort where the order is needed")


def _new_gson_builder(node: New, body: Body) -> Value:
    return Value(call("Gson"), Type("?gson"))


def _new_date_format(node: New, body: Body) -> Value:
    return date_formatter(translate_expression(node.arguments[0], body))


_RULES: Final[Mapping[str, Callable[[New, Body], Value]]] = {
    **dict.fromkeys(("ValueStateDescriptor", "ListStateDescriptor", "MapStateDescriptor"), _new_state_descriptor),
    **dict.fromkeys(("ReducingStateDescriptor", "AggregatingStateDescriptor"), _new_state_descriptor),
    **dict.fromkeys(("TreeMap", "TreeSet", "PriorityQueue"), _refuse_sorted_collection),
    **dict.fromkeys(("StringBuilder", "StringBuffer"), _new_string_builder),
    "GsonBuilder": _new_gson_builder,
    "JsonDeserializationSchema": _new_json_deserializer,
    "JsonSerializationSchema": _new_json_serializer,
    "OutputTag": _new_output_tag,
    "ProducerRecord": _new_producer_record,
    "SimpleDateFormat": _new_date_format,
    "String": _new_string,
    "TypeHint": _new_type_hint,
}
