"""Java's types: what they are in Python's annotations and in Flink's type information."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

from kafkastream.port.java_nodes import Type
from kafkastream.port.names import EXCEPTIONS, IMPORTS, JAVA_NAMES
from kafkastream.port.python_trees import attribute, call, code, item, name

__all__ = [
    "BOOLEAN",
    "CHAR",
    "DOUBLE",
    "INT",
    "LISTS",
    "LONG",
    "MAPS",
    "SETS",
    "STRING",
    "UNKNOWN",
    "VOID",
    "annotation",
    "boxed",
    "default_of",
    "is_floating",
    "is_text",
    "is_whole",
    "parse_type",
    "type_information",
]

UNKNOWN: Final = Type("?")
STRING: Final = Type("String")
INT: Final = Type("int")
LONG: Final = Type("long")
DOUBLE: Final = Type("double")
BOOLEAN: Final = Type("boolean")
CHAR: Final = Type("char")
VOID: Final = Type("void")

LISTS: Final = frozenset({"ArrayList", "Collection", "LinkedList", "List", "Vector", "Stack"})
SETS: Final = frozenset({"HashSet", "LinkedHashSet", "Set", "TreeSet"})
MAPS: Final = frozenset(
    {"ConcurrentHashMap", "HashMap", "LinkedHashMap", "Map", "Properties", "TreeMap", "ConcurrentMap"}
)
_BOXED: Final = {
    "Boolean": "boolean",
    "Byte": "byte",
    "Character": "char",
    "Double": "double",
    "Float": "float",
    "Integer": "int",
    "Long": "long",
    "Short": "short",
    "BigInteger": "BigInteger",
    "CharSequence": "String",
    "JsonMapper": "ObjectMapper",
    "ObjectNode": "JsonNode",
    "ArrayNode": "JsonNode",
    "JSONObject": "JsonNode",
    "JsonObject": "JsonNode",
}
_WHOLE: Final = frozenset({"byte", "short", "int", "long", "BigInteger"})
_FLOATING: Final = frozenset({"double", "float"})

_ANNOTATIONS: Final[Mapping[str, str]] = {
    "?": "Any",
    "AtomicInteger": "int",
    "AtomicLong": "int",
    "BigDecimal": "Decimal",
    "BigInteger": "int",
    "CharSequence": "str",
    "Date": "datetime",
    "File": "Path",
    "Instant": "datetime",
    "JsonNode": "Any",
    "LocalDate": "date",
    "LocalDateTime": "datetime",
    "Number": "float",
    "Object": "Any",
    "OffsetDateTime": "datetime",
    "Path": "str",
    "Random": "JavaRandom",
    "String": "str",
    "StringBuilder": "str",
    "StringBuffer": "str",
    "Timestamp": "datetime",
    "URI": "str",
    "UUID": "uuid.UUID",
    "Void": "None",
    "ZonedDateTime": "datetime",
    "boolean": "bool",
    "byte": "int",
    "char": "str",
    "double": "float",
    "float": "float",
    "int": "int",
    "long": "int",
    "short": "int",
    "void": "None",
}
_GENERIC_ANNOTATIONS: Final[Mapping[str, tuple[str, int]]] = {
    **dict.fromkeys(LISTS | {"Queue", "Deque", "ArrayDeque", "PriorityQueue"}, ("list", 1)),
    **dict.fromkeys(SETS | {"SortedSet"}, ("set", 1)),
    **dict.fromkeys(MAPS - {"Properties"} | {"SortedMap"}, ("dict", 2)),
    "Entry": ("tuple", 2),
    "Iterable": ("Iterable", 1),
    "Iterator": ("Iterator", 1),
    "Stream": ("Iterator", 1),
    "DataStream": ("DataStream", 1),
    "KeyedStream": ("KeyedStream", 2),
    "KafkaSource": ("KafkaSource", 1),
    "KafkaSink": ("KafkaSink", 1),
    "OutputTag": ("OutputTag", 1),
    "ValueState": ("ValueState", 1),
    "ListState": ("ListState", 1),
    "MapState": ("MapState", 2),
    "ReducingState": ("ReducingState", 1),
    "BroadcastState": ("BroadcastState", 2),
    "ReadOnlyBroadcastState": ("ReadOnlyBroadcastState", 2),
    "WatermarkStrategy": ("WatermarkStrategy", 1),
    "DeserializationSchema": ("DeserializationSchema", 1),
    "SerializationSchema": ("SerializationSchema", 1),
    "KafkaRecordSerializationSchema": ("KafkaRecordSerializationSchema", 1),
    "KafkaRecordDeserializationSchema": ("KafkaRecordDeserializationSchema", 1),
}
_NUMBERED: Final = tuple(str(number) for number in range(26))
_TYPE_INFORMATION: Final[Mapping[str, str]] = {
    "BigDecimal": "BIG_DEC",
    "Instant": "INSTANT",
    "String": "STRING",
    "boolean": "BOOLEAN",
    "byte": "BYTE",
    "char": "CHAR",
    "double": "DOUBLE",
    "float": "FLOAT",
    "int": "INT",
    "long": "LONG",
    "short": "SHORT",
}
_DEFAULTS: Final = {
    **dict.fromkeys(_WHOLE - {"BigInteger"}, "0"),
    **dict.fromkeys(_FLOATING, "0.0"),
    "boolean": "False",
    "char": '"\\0"',
}


def parse_type(text: str) -> Type:
    """Return the type that a text such as ``List<String>`` names; the tables of library methods use it."""
    base, _, rest = text.replace(" ", "").partition("<")
    if not rest:
        return Type(base.removesuffix("[]"), dimensions=base.count("[]"))
    return Type(base, tuple(map(parse_type, _split_type_arguments(rest.removesuffix(">")))))


def _split_type_arguments(text: str) -> list[str]:
    """Split at the commas that stand outside of ``<…>``."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "<") - (sign == ">")
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def boxed(kind: Type) -> Type:
    """Return the primitive type of a boxed one, and other types as they are."""
    return Type(_BOXED.get(kind.name, kind.name), kind.arguments, kind.dimensions, kind.owner)


def is_whole(kind: Type) -> bool:
    """Return whether values are whole numbers."""
    return not kind.dimensions and boxed(kind).name in _WHOLE


def is_floating(kind: Type) -> bool:
    """Return whether values are floating-point numbers."""
    return not kind.dimensions and boxed(kind).name in _FLOATING


def is_text(kind: Type) -> bool:
    """Return whether values are texts."""
    return not kind.dimensions and kind.name in ("String", "CharSequence", "StringBuilder", "StringBuffer")


def is_tuple(kind: Type) -> bool:
    """Return whether values are Flink's tuples."""
    return kind.name.startswith("Tuple") and kind.name[5:] in _NUMBERED


def annotation(kind: Type, classes: Mapping[str, str]) -> ast.expr:
    """Return the Python type of a Java type.

    Args:
        kind: Type.
        classes: Names of the program's own classes in Python, by those in Java.
    """
    if kind.dimensions:
        element = Type(kind.name, kind.arguments, kind.dimensions - 1, kind.owner)
        if element == Type("byte"):
            return name("bytes")
        return item(name("list"), annotation(element, classes))
    if is_tuple(kind):
        arguments = [annotation(argument, classes) for argument in kind.arguments]
        return item(name("tuple"), ast.Tuple(arguments, ast.Load())) if arguments else name("tuple")
    if kind.name in ("OptionalInt", "OptionalLong", "OptionalDouble"):
        return code("a | None", a=name("float" if kind.name == "OptionalDouble" else "int"))
    if kind.name == "Optional":
        return code("a | None", a=annotation(kind.argument(0), classes))
    if kind.name == "Properties":
        return code("dict[str, str]")
    return _named_annotation(kind, classes)


def _named_annotation(kind: Type, classes: Mapping[str, str]) -> ast.expr:
    if kind.name in classes:
        return name(classes[kind.name])
    java = boxed(kind).name
    if java in _ANNOTATIONS:
        return code(_ANNOTATIONS[java])
    python = JAVA_NAMES.get(kind.name, kind.name)
    if python in _GENERIC_ANNOTATIONS:
        return _generic_annotation(kind, *_GENERIC_ANNOTATIONS[python], classes)
    if kind.name in EXCEPTIONS:
        return name(EXCEPTIONS[kind.name])
    if kind.owner in IMPORTS and kind.owner[:1].isupper():
        return attribute(name(JAVA_NAMES.get(kind.owner, kind.owner)), kind.name)
    return name(python if python in IMPORTS and python[:1].isupper() else "Any")


def _generic_annotation(kind: Type, python: str, count: int, classes: Mapping[str, str]) -> ast.expr:
    arguments = [annotation(kind.argument(index), classes) for index in range(count)]
    if python == "KeyedStream":
        arguments = arguments[:1]
    if not kind.arguments:
        arguments = [name("Any")] * len(arguments)
    return item(name(python), arguments[0] if len(arguments) == 1 else ast.Tuple(arguments, ast.Load()))


def default_of(kind: Type) -> ast.expr:
    """Return the value that Java gives a field by default."""
    return name(_DEFAULTS.get(kind.name, "None") if not kind.dimensions else "None")


def type_information(kind: Type) -> ast.expr:
    """Return Flink's type information for values of a type; objects of classes are pickled."""
    primitive = boxed(kind)
    if kind.dimensions == 1 and primitive.name == "byte":
        return code("Types.PRIMITIVE_ARRAY(Types.BYTE())")
    if kind.dimensions:
        return code("Types.PICKLED_BYTE_ARRAY()")
    if is_tuple(kind) and kind.arguments:
        parts = ast.List([type_information(argument) for argument in kind.arguments], ast.Load())
        return call(code("Types.TUPLE"), parts)
    if kind.name in ("List", "ArrayList") and kind.arguments:
        return call(code("Types.LIST"), type_information(kind.argument(0)))
    if kind.name in ("Map", "HashMap") and len(kind.arguments) == 2:
        return call(code("Types.MAP"), *map(type_information, kind.arguments))
    return call(attribute(name("Types"), _TYPE_INFORMATION.get(primitive.name, "PICKLED_BYTE_ARRAY")))
