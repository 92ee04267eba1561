"""Translation of calls to Java's library, by its tables and a few rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.expressions import f_string_parts
from kafkastream.port.java_nodes import Call, ClassOf, Expression, Literal, Type
from kafkastream.port.java_types import (
    INT,
    LISTS,
    MAPS,
    SETS,
    STRING,
    UNKNOWN,
    boxed,
    is_whole,
    parse_type,
    type_information,
)
from kafkastream.port.library import METHODS, Template
from kafkastream.port.library_statics import STATICS
from kafkastream.port.mapper_calls import MAPPER_RULES
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import call, code, constant, join_strings, name
from kafkastream.port.translation import Body, Value, translate_expression

__all__ = ["fill_template", "format_string", "library_call", "static_library_call", "table_name", "translate_arguments"]

_LETTERS: Final = ("b", "c", "d", "e", "f")


def translate_arguments(node: Call, body: Body, types: Sequence[Type] = ()) -> list[Value]:
    """Translate the arguments of a call; functions among them take parameters of these types."""
    return [translate_argument(argument, body, types) for argument in node.arguments]


def translate_argument(node: Expression, body: Body, types: Sequence[Type] = ()) -> Value:
    """Translate an argument; a function takes parameters of these types."""
    body.expected = tuple(types)
    try:
        return translate_expression(node, body)
    finally:
        body.expected = ()


def table_name(kind: Type) -> str:
    """Return the key of a type in the tables of methods."""
    if kind.dimensions:
        return "array"
    java = boxed(kind).name
    return java if java in METHODS else "Exception" if java.endswith("Exception") else java


def fill_template(template: Template, receiver: Value | None, arguments: Sequence[Value]) -> Value:
    """Fill in the receiver and the arguments of a template."""
    parts = dict(zip(_LETTERS, (argument.code for argument in arguments), strict=False))
    if receiver is not None:
        parts["a"] = receiver.code
    parts["rest"] = ast.Tuple([argument.code for argument in arguments], ast.Load())
    return Value(_expand_rest(code(template[0], **parts)), _result_type(template[1], receiver, arguments))


def _expand_rest(tree: ast.expr) -> ast.expr:
    """Replace ``*rest`` by arguments within lists, sets and tuples."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            node.elts = [element for part in node.elts for element in _expand_starred(part)]
    return call("set") if isinstance(tree, ast.Set) and not tree.elts else tree


def _expand_starred(tree: ast.expr) -> list[ast.expr]:
    return tree.value.elts if isinstance(tree, ast.Starred) and isinstance(tree.value, ast.Tuple) else [tree]


def _result_type(text: str, receiver: Value | None, arguments: Sequence[Value]) -> Type:
    kind = receiver.type if receiver is not None else UNKNOWN
    first = arguments[0].type if arguments else UNKNOWN
    variables = {"E": kind.argument(0), "K": kind.argument(0), "V": kind.argument(1), "=": kind, "1": first}
    if text in variables:
        return variables[text]
    if kind.name == "Properties":
        variables.update(K=STRING, V=STRING)
    return _substitute_types(parse_type(text), variables, first)


def _substitute_types(kind: Type, variables: Mapping[str, Type], first: Type) -> Type:
    if kind.name in variables and not kind.arguments:
        inner = variables[kind.name]
        return Type(inner.name, inner.arguments, inner.dimensions + kind.dimensions, inner.owner)
    arguments = tuple(_substitute_types(argument, variables, first) for argument in kind.arguments)
    if arguments == (UNKNOWN,):
        arguments = (_element_type(first),)
    return Type(kind.name, arguments, kind.dimensions)


def _element_type(kind: Type) -> Type:
    if kind.dimensions:
        return Type(kind.name, kind.arguments, kind.dimensions - 1, kind.owner)
    if kind.name in LISTS | SETS | {"Iterable", "Stream"}:
        return kind.argument(0)
    return kind.argument(0) if kind.name == "Function" else kind


def library_call(node: Call, receiver: Value, body: Body) -> Value | None:
    """Translate a call on an object of Java's library; None if no table has the method."""
    kind = table_name(receiver.type)
    rule = _RULES.get(f"{_rule_group(kind)}.{node.name}")
    if rule is not None:
        value = rule(node, receiver, body)
        if value is not None:
            return value
    table = METHODS.get(kind, {})
    template = table.get(f"{node.name}/{len(node.arguments)}") or table.get(node.name)
    if template is None and kind in METHODS:
        template = METHODS["Object"].get(f"{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    arguments = translate_arguments(node, body, (receiver.type.argument(0), receiver.type.argument(0)))
    return fill_template(template, receiver, arguments)


def _rule_group(kind: str) -> str:
    if kind in LISTS | SETS | {"Iterable", "Queue", "Deque"}:
        return "Collection"
    return "Map" if kind in MAPS else kind


def static_library_call(owner: str, node: Call, body: Body) -> Value | None:
    """Translate a call of a static method of Java's library; None if no table has it."""
    rule = _STATIC_RULES.get(f"{owner}.{node.name}")
    if rule is not None:
        return rule(node, body)
    key = f"{owner}.{node.name}"
    template = STATICS.get(f"{key}/{len(node.arguments)}") or STATICS.get(key)
    if template is None:
        return None
    return fill_template(template, None, translate_arguments(node, body))


def format_string(pattern: Expression, rest: Sequence[Expression], body: Body) -> ast.expr:
    """Return the f-string for ``String.format``.

    Raises:
        Untranslated: The pattern is not a literal, or Python formats it in another way.
    """
    text = translate_expression(pattern, body).code
    if not isinstance(text, ast.Constant):
        raise Untranslated("the pattern of String.format is not a literal")
    values = [translate_expression(value, body) for value in rest]
    parts: list[ast.expr] = []
    next_value = 0
    for piece in re.split(r"(%(?:\d+\$)?[-,0+ #]*\d*(?:\.\d+)?[a-zA-Z%])", str(text.value)):
        if not piece.startswith("%") or len(piece) < 2:
            parts.append(constant(piece))
        elif piece in ("%%", "%n"):
            parts.append(constant("%" if piece == "%%" else "\n"))
        elif next_value >= len(values) or "$" in piece:
            raise Untranslated(f"String.format with {piece} is not translated")
        else:
            parts.extend(_format_piece(piece, values[next_value], body))
            next_value += 1
    return join_strings([part for part in parts if not (isinstance(part, ast.Constant) and part.value == "")])


def _format_piece(piece: str, value: Value, body: Body) -> Sequence[ast.expr]:
    conversion = re.fullmatch(r"%([-,0+ #]*)(\d*)(\.\d+)?([a-zA-Z])", piece)
    assert conversion is not None
    flags, width, digits, kind = conversion.groups()
    if (
        not flags
        and not width
        and not digits
        and (kind in "sS" or (kind == "d" and isinstance(value.code, ast.Constant)))
    ):
        return f_string_parts(value, body)
    if kind not in "sdfxXeE" or "#" in flags or " " in flags:
        raise Untranslated(f"String.format with {piece} is not translated")
    align = "<" if "-" in flags else ">" if kind == "s" and width else ""
    comma = "," if "," in flags else ""
    sign = "+" if "+" in flags else ""
    zero = "0" if "0" in flags else ""
    digits = digits or (".6" if kind in "fe" else "")
    spec = f"{align}{sign}{zero}{width}{comma}{digits}{'' if kind == 's' else kind}"
    tree = join_strings(f_string_parts(value, body)) if kind == "s" else value.code
    if kind == "f":
        tree = call("java_rounded", tree, constant(int(digits[1:])))
    return [ast.FormattedValue(tree, -1, ast.JoinedStr([constant(spec)]) if spec not in ("d", "") else None)]


def _translate_format(node: Call, body: Body) -> Value:
    arguments = list(node.arguments)
    if translate_expression(arguments[0], body).type.name in ("Locale", "Class"):
        arguments = arguments[1:]
    return Value(format_string(arguments[0], arguments[1:], body), STRING)


def _translate_join(node: Call, body: Body) -> Value:
    separator, *rest = translate_arguments(node, body)
    pieces = [value.code.value for value in (separator, *rest) if isinstance(value.code, ast.Constant)]
    if len(rest) > 1 and len(pieces) > len(rest):
        return Value(constant(str(pieces[0]).join(map(str, pieces[1:]))), STRING)
    texts = rest[0].code if len(rest) == 1 else ast.List([value.code for value in rest], ast.Load())
    return Value(call(ast.Attribute(separator.code, "join", ast.Load()), texts), STRING)


def _value_of(node: Call, body: Body) -> Value:
    values = translate_arguments(node, body)
    if boxed(values[0].type).name == "char" and values[0].type.dimensions:
        return Value(code('"".join(b)', b=values[0].code), STRING)
    return Value(join_strings(f_string_parts(values[0], body)), STRING)


def _map_of(node: Call, body: Body) -> Value:
    values = translate_arguments(node, body)
    kinds = (values[0].type, values[1].type) if values else (UNKNOWN, UNKNOWN)
    return Value(
        ast.Dict([value.code for value in values[::2]], [value.code for value in values[1::2]]), Type("Map", kinds)
    )


def _as_list(node: Call, body: Body) -> Value:
    values = translate_arguments(node, body)
    if len(values) == 1 and values[0].type.dimensions:
        return Value(call("list", values[0].code), Type("List", (_element_type(values[0].type),)))
    kind = values[0].type if values else UNKNOWN
    return Value(ast.List([value.code for value in values], ast.Load()), Type("List", (kind,)))


def _type_information_of(node: Call, body: Body) -> Value:
    (described,) = node.arguments
    if isinstance(described, ClassOf):
        return Value(type_information(described.type), Type("TypeInformation", (described.type,)))
    value = translate_expression(described, body)
    if value.type.name == "TypeHint":
        return Value(type_information(value.type.argument(0)), Type("TypeInformation", value.type.arguments))
    return Value(code("Types.PICKLED_BYTE_ARRAY()"), Type("TypeInformation"))


def _get_logger(node: Call, body: Body) -> Value:
    return Value(code("logging.getLogger(__name__)"), Type("Logger"))


_STATIC_RULES: Final[Mapping[str, Callable[[Call, Body], Value]]] = {
    "Arrays.asList": _as_list,
    "List.of": _as_list,
    "LogManager.getLogger": _get_logger,
    "Logger.getLogger": _get_logger,
    "LoggerFactory.getLogger": _get_logger,
    "Map.of": _map_of,
    "String.format": _translate_format,
    "String.join": _translate_join,
    "String.valueOf": _value_of,
    "TypeInformation.of": _type_information_of,
}


def _translate_collect(node: Call, receiver: Value, body: Body) -> Value | None:
    (collector,) = node.arguments
    if not isinstance(collector, Call):
        raise Untranslated("this collector has no translation")
    element = receiver.type.argument(0)
    if collector.name in ("toList", "toUnmodifiableList"):
        return Value(call("list", receiver.code), Type("List", (element,)))
    if collector.name in ("toSet", "toUnmodifiableSet"):
        return Value(call("set", receiver.code), Type("Set", (element,)))
    if collector.name == "joining":
        separator = translate_expression(collector.arguments[0], body).code if collector.arguments else constant("")
        return Value(call(ast.Attribute(separator, "join", ast.Load()), receiver.code), STRING)
    raise Untranslated(f"the collector {collector.name} has no translation")


def _map_stream(node: Call, receiver: Value, body: Body) -> Value | None:
    function = translate_argument(node.arguments[0], body, (receiver.type.argument(0),))
    primitive = {"mapToInt": INT, "mapToDouble": Type("double"), "mapToLong": Type("long")}.get(node.name)
    result = primitive or (function.type.argument(0) if function.type.name == "Function" else UNKNOWN)
    return Value(call("map", function.code, receiver.code), Type("Stream", (result,)))


def _map_optional(node: Call, receiver: Value, body: Body) -> Value | None:
    function = translate_argument(node.arguments[0], body, (receiver.type.argument(0),))
    if not isinstance(receiver.code, ast.Name):
        raise Untranslated("Optional.map is an if in Python")
    result = function.type.argument(0) if function.type.name == "Function" else UNKNOWN
    return Value(code("None if a is None else b(a)", a=receiver.code, b=function.code), Type("Optional", (result,)))


def _or_else(node: Call, receiver: Value, body: Body) -> Value | None:
    other = translate_expression(node.arguments[0], body)
    return Value(code("a if a is not None else b", a=receiver.code, b=other.code), receiver.type.argument(0))


def _sort_stream(node: Call, receiver: Value, body: Body) -> Value | None:
    if not node.arguments:
        return None
    key = sort_key(node.arguments[0], receiver.type.argument(0), body)
    return Value(call("iter", ast.Call(name("sorted"), [receiver.code], key)), receiver.type)


def sort_key(comparator: Expression, element: Type, body: Body) -> list[ast.keyword]:
    """Return the keyword arguments of ``sorted`` that order as a Java comparator does."""
    if isinstance(comparator, Call) and comparator.name.startswith("comparing") and comparator.arguments:
        return [ast.keyword("key", translate_argument(comparator.arguments[0], body, (element,)).code)]
    if isinstance(comparator, Call) and comparator.name == "reversed" and isinstance(comparator.target, Call):
        return [*sort_key(comparator.target, element, body), ast.keyword("reverse", constant(True))]
    if isinstance(comparator, Call) and comparator.name == "reverseOrder":
        return [ast.keyword("reverse", constant(True))]
    if isinstance(comparator, Call) and comparator.name == "naturalOrder":
        return []
    function = translate_argument(comparator, body, (element, element))
    return [ast.keyword("key", call("cmp_to_key", function.code))]


def _number_to_string(node: Call, receiver: Value, body: Body) -> Value | None:
    if node.arguments or not is_whole(receiver.type):
        return None
    return Value(call("str", receiver.code), STRING)


def _refuse_divide(node: Call, receiver: Value, body: Body) -> Value | None:
    raise Untranslated("Java and Python round quotients of decimals by other rules")


def _regex_call(node: Call, receiver: Value, body: Body) -> Value | None:
    """Translate a method that takes a regular expression; a pattern with backslashes becomes a raw string."""
    pattern = node.arguments[0]
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        raw = ast.Name(_raw_literal(pattern.value), ast.Load()) if "\\" in pattern.value else constant(pattern.value)
        rest = [argument.code for argument in translate_arguments(node, body)][1:]
        kind = (
            Type("String", dimensions=1)
            if node.name == "split"
            else Type("boolean" if node.name == "matches" else "String")
        )
        names = {"split": "java_split", "matches": "java_matches", "replaceAll": "java_replace_all"}
        return Value(call(names[node.name], receiver.code, raw, *rest), kind)
    return None


def _change_case(node: Call, receiver: Value, body: Body) -> Value | None:
    """Translate ``toLowerCase`` and ``toUpperCase`` without the locale argument: Python's have none."""
    return Value(call(ast.Attribute(receiver.code, node.name[2:7].lower(), ast.Load())), STRING)


def _raw_literal(pattern: str) -> str:
    quote = "'" if '"' in pattern else '"'
    is_raw = quote not in pattern and "\n" not in pattern and not pattern.endswith("\\")
    return f"r{quote}{pattern}{quote}" if is_raw else repr(pattern)


_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value | None]]] = {
    "BigDecimal.divide": _refuse_divide,
    **MAPPER_RULES,
    "Optional.map": _map_optional,
    "Optional.orElse": _or_else,
    "Stream.collect": _translate_collect,
    "Stream.map": _map_stream,
    "Stream.mapToDouble": _map_stream,
    "Stream.mapToInt": _map_stream,
    "Stream.mapToLong": _map_stream,
    "Stream.mapToObj": _map_stream,
    "Stream.sorted": _sort_stream,
    "String.toLowerCase": _change_case,
    "String.toUpperCase": _change_case,
    "String.matches": _regex_call,
    "String.replaceAll": _regex_call,
    "String.split": _regex_call,
    "int.toString": _number_to_string,
    "long.toString": _number_to_string,
}
