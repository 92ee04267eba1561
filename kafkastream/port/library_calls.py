"""Translation of calls to Java's library, by its tables and a few rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.expressions import as_text
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
    of_text,
    type_information,
)
from kafkastream.port.library import METHODS, Template
from kafkastream.port.library_statics import STATICS
from kafkastream.port.mapper_calls import MAPPER_RULES
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import call, code, constant, name, strings_joined
from kafkastream.port.translation import Body, Value, expression

__all__ = ["arguments_of", "filled", "formatted", "library_call", "static_library_call", "table_name"]

_LETTERS: Final = ("b", "c", "d", "e", "f")


def arguments_of(node: Call, body: Body, types: Sequence[Type] = ()) -> list[Value]:
    """Translate the arguments of a call; functions among them take parameters of these types."""
    return [argument(one, body, types) for one in node.arguments]


def argument(node: Expression, body: Body, types: Sequence[Type] = ()) -> Value:
    """Translate an argument; a function takes parameters of these types."""
    body.expected = tuple(types)
    try:
        return expression(node, body)
    finally:
        body.expected = ()


def table_name(kind: Type) -> str:
    """Return the name under which the tables have the methods of a type."""
    if kind.dimensions:
        return "array"
    here = boxed(kind).name
    return here if here in METHODS else "Exception" if here.endswith("Exception") else here


def filled(template: Template, receiver: Value | None, arguments: Sequence[Value]) -> Value:
    """Return a template with its receiver and arguments."""
    parts = dict(zip(_LETTERS, (one.code for one in arguments), strict=False))
    if receiver is not None:
        parts["a"] = receiver.code
    parts["rest"] = ast.Tuple([one.code for one in arguments], ast.Load())
    return Value(_spread(code(template[0], **parts)), _result(template[1], receiver, arguments))


def _spread(tree: ast.expr) -> ast.expr:
    """Replace ``*rest`` by arguments within lists, sets and tuples."""
    for one in ast.walk(tree):
        if isinstance(one, ast.List | ast.Set | ast.Tuple):
            one.elts = [each for part in one.elts for each in _parts(part)]
    return call("set") if isinstance(tree, ast.Set) and not tree.elts else tree


def _parts(tree: ast.expr) -> list[ast.expr]:
    return tree.value.elts if isinstance(tree, ast.Starred) and isinstance(tree.value, ast.Tuple) else [tree]


def _result(text: str, receiver: Value | None, arguments: Sequence[Value]) -> Type:
    kind = receiver.type if receiver is not None else UNKNOWN
    first = arguments[0].type if arguments else UNKNOWN
    known = {"E": kind.argument(0), "K": kind.argument(0), "V": kind.argument(1), "=": kind, "1": first}
    if text in known:
        return known[text]
    if kind.name == "Properties":
        known.update(K=STRING, V=STRING)
    return _replaced(of_text(text), known, first)


def _replaced(kind: Type, known: Mapping[str, Type], first: Type) -> Type:
    if kind.name in known and not kind.arguments:
        inner = known[kind.name]
        return Type(inner.name, inner.arguments, inner.dimensions + kind.dimensions, inner.owner)
    arguments = tuple(_replaced(one, known, first) for one in kind.arguments)
    if arguments == (UNKNOWN,):
        arguments = (_element(first),)
    return Type(kind.name, arguments, kind.dimensions)


def _element(kind: Type) -> Type:
    if kind.dimensions:
        return Type(kind.name, kind.arguments, kind.dimensions - 1, kind.owner)
    if kind.name in LISTS | SETS | {"Iterable", "Stream"}:
        return kind.argument(0)
    return kind.argument(0) if kind.name == "Function" else kind


def library_call(node: Call, receiver: Value, body: Body) -> Value | None:
    """Translate a call on an object of Java's library; None if no table has the method."""
    kind = table_name(receiver.type)
    rule = _RULES.get(f"{_group(kind)}.{node.name}")
    if rule is not None:
        found = rule(node, receiver, body)
        if found is not None:
            return found
    table = METHODS.get(kind, {})
    template = table.get(f"{node.name}/{len(node.arguments)}") or table.get(node.name)
    if template is None and kind in METHODS:
        template = METHODS["Object"].get(f"{node.name}/{len(node.arguments)}")
    if template is None:
        return None
    arguments = arguments_of(node, body, (receiver.type.argument(0), receiver.type.argument(0)))
    return filled(template, receiver, arguments)


def _group(kind: str) -> str:
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
    return filled(template, None, arguments_of(node, body))


def formatted(pattern: Expression, rest: Sequence[Expression], body: Body) -> ast.expr:
    """Return the f-string for ``String.format``.

    Raises:
        Untranslated: The pattern is not a literal, or Python formats it in another way.
    """
    text = expression(pattern, body).code
    if not isinstance(text, ast.Constant):
        raise Untranslated("the pattern of String.format is not a literal")
    values = [expression(one, body) for one in rest]
    parts: list[ast.expr] = []
    place = 0
    for piece in re.split(r"(%(?:\d+\$)?[-,0+ #]*\d*(?:\.\d+)?[a-zA-Z%])", str(text.value)):
        if not piece.startswith("%") or len(piece) < 2:
            parts.append(constant(piece))
        elif piece in ("%%", "%n"):
            parts.append(constant("%" if piece == "%%" else "\n"))
        elif place >= len(values) or "$" in piece:
            raise Untranslated(f"String.format with {piece} is not translated")
        else:
            parts.extend(_piece(piece, values[place], body))
            place += 1
    return strings_joined([one for one in parts if not (isinstance(one, ast.Constant) and one.value == "")])


def _piece(piece: str, value: Value, body: Body) -> Sequence[ast.expr]:
    found = re.fullmatch(r"%([-,0+ #]*)(\d*)(\.\d+)?([a-zA-Z])", piece)
    assert found is not None
    flags, width, digits, kind = found.groups()
    if (
        not flags
        and not width
        and not digits
        and (kind in "sS" or (kind == "d" and isinstance(value.code, ast.Constant)))
    ):
        return as_text(value, body)
    if kind not in "sdfxXeE" or "#" in flags or " " in flags:
        raise Untranslated(f"String.format with {piece} is not translated")
    align = "<" if "-" in flags else ">" if kind == "s" and width else ""
    comma = "," if "," in flags else ""
    sign = "+" if "+" in flags else ""
    zero = "0" if "0" in flags else ""
    digits = digits or (".6" if kind in "fe" else "")
    spec = f"{align}{sign}{zero}{width}{comma}{digits}{'' if kind == 's' else kind}"
    tree = strings_joined(as_text(value, body)) if kind == "s" else value.code
    if kind == "f":
        tree = call("java_rounded", tree, constant(int(digits[1:])))
    return [ast.FormattedValue(tree, -1, ast.JoinedStr([constant(spec)]) if spec not in ("d", "") else None)]


def _format(node: Call, body: Body) -> Value:
    arguments = list(node.arguments)
    if expression(arguments[0], body).type.name in ("Locale", "Class"):
        arguments = arguments[1:]
    return Value(formatted(arguments[0], arguments[1:], body), STRING)


def _join(node: Call, body: Body) -> Value:
    separator, *rest = arguments_of(node, body)
    pieces = [one.code.value for one in (separator, *rest) if isinstance(one.code, ast.Constant)]
    if len(rest) > 1 and len(pieces) > len(rest):
        return Value(constant(str(pieces[0]).join(map(str, pieces[1:]))), STRING)
    texts = rest[0].code if len(rest) == 1 else ast.List([one.code for one in rest], ast.Load())
    return Value(call(ast.Attribute(separator.code, "join", ast.Load()), texts), STRING)


def _text_of(node: Call, body: Body) -> Value:
    values = arguments_of(node, body)
    if boxed(values[0].type).name == "char" and values[0].type.dimensions:
        return Value(code('"".join(b)', b=values[0].code), STRING)
    return Value(strings_joined(as_text(values[0], body)), STRING)


def _map_of(node: Call, body: Body) -> Value:
    values = arguments_of(node, body)
    kinds = (values[0].type, values[1].type) if values else (UNKNOWN, UNKNOWN)
    return Value(ast.Dict([one.code for one in values[::2]], [one.code for one in values[1::2]]), Type("Map", kinds))


def _as_list(node: Call, body: Body) -> Value:
    values = arguments_of(node, body)
    if len(values) == 1 and values[0].type.dimensions:
        return Value(call("list", values[0].code), Type("List", (_element(values[0].type),)))
    kind = values[0].type if values else UNKNOWN
    return Value(ast.List([one.code for one in values], ast.Load()), Type("List", (kind,)))


def _type_of(node: Call, body: Body) -> Value:
    (what,) = node.arguments
    if isinstance(what, ClassOf):
        return Value(type_information(what.type), Type("TypeInformation", (what.type,)))
    value = expression(what, body)
    if value.type.name == "TypeHint":
        return Value(type_information(value.type.argument(0)), Type("TypeInformation", value.type.arguments))
    return Value(code("Types.PICKLED_BYTE_ARRAY()"), Type("TypeInformation"))


def _logger(node: Call, body: Body) -> Value:
    return Value(code("logging.getLogger(__name__)"), Type("Logger"))


def _enum_value(node: Call, body: Body) -> Value:
    raise Untranslated("values of this enumeration are not known")


_STATIC_RULES: Final[Mapping[str, Callable[[Call, Body], Value]]] = {
    "Arrays.asList": _as_list,
    "List.of": _as_list,
    "LogManager.getLogger": _logger,
    "Logger.getLogger": _logger,
    "LoggerFactory.getLogger": _logger,
    "Map.of": _map_of,
    "String.format": _format,
    "String.join": _join,
    "String.valueOf": _text_of,
    "TypeInformation.of": _type_of,
}


def _collect(node: Call, receiver: Value, body: Body) -> Value | None:
    (collector,) = node.arguments
    if not isinstance(collector, Call):
        raise Untranslated("this collector has no translation")
    element = receiver.type.argument(0)
    if collector.name in ("toList", "toUnmodifiableList"):
        return Value(_listed(receiver.code), Type("List", (element,)))
    if collector.name in ("toSet", "toUnmodifiableSet"):
        return Value(call("set", receiver.code), Type("Set", (element,)))
    if collector.name == "joining":
        separator = expression(collector.arguments[0], body).code if collector.arguments else constant("")
        return Value(call(ast.Attribute(separator, "join", ast.Load()), receiver.code), STRING)
    raise Untranslated(f"the collector {collector.name} has no translation")


def _listed(tree: ast.expr) -> ast.expr:
    return call("list", tree)


def _mapped(node: Call, receiver: Value, body: Body) -> Value | None:
    function = argument(node.arguments[0], body, (receiver.type.argument(0),))
    known = {"mapToInt": INT, "mapToDouble": Type("double"), "mapToLong": Type("long")}.get(node.name)
    result = known or (function.type.argument(0) if function.type.name == "Function" else UNKNOWN)
    return Value(call("map", function.code, receiver.code), Type("Stream", (result,)))


def _mapped_optional(node: Call, receiver: Value, body: Body) -> Value | None:
    function = argument(node.arguments[0], body, (receiver.type.argument(0),))
    if not isinstance(receiver.code, ast.Name):
        raise Untranslated("Optional.map is an if in Python")
    result = function.type.argument(0) if function.type.name == "Function" else UNKNOWN
    return Value(code("None if a is None else b(a)", a=receiver.code, b=function.code), Type("Optional", (result,)))


def _or_else(node: Call, receiver: Value, body: Body) -> Value | None:
    other = expression(node.arguments[0], body)
    return Value(code("a if a is not None else b", a=receiver.code, b=other.code), receiver.type.argument(0))


def _sorted(node: Call, receiver: Value, body: Body) -> Value | None:
    if not node.arguments:
        return None
    key = sort_key(node.arguments[0], receiver.type.argument(0), body)
    return Value(call("iter", ast.Call(name("sorted"), [receiver.code], key)), receiver.type)


def sort_key(comparator: Expression, element: Type, body: Body) -> list[ast.keyword]:
    """Return the arguments by which Python sorts as a comparator of Java does."""
    if isinstance(comparator, Call) and comparator.name.startswith("comparing") and comparator.arguments:
        return [ast.keyword("key", argument(comparator.arguments[0], body, (element,)).code)]
    if isinstance(comparator, Call) and comparator.name == "reversed" and isinstance(comparator.target, Call):
        return [*sort_key(comparator.target, element, body), ast.keyword("reverse", constant(True))]
    if isinstance(comparator, Call) and comparator.name == "reverseOrder":
        return [ast.keyword("reverse", constant(True))]
    if isinstance(comparator, Call) and comparator.name == "naturalOrder":
        return []
    function = argument(comparator, body, (element, element))
    return [ast.keyword("key", call("cmp_to_key", function.code))]


def _number_text(node: Call, receiver: Value, body: Body) -> Value | None:
    if node.arguments or not is_whole(receiver.type):
        return None
    return Value(call("str", receiver.code), STRING)


def _divide(node: Call, receiver: Value, body: Body) -> Value | None:
    raise Untranslated("Java and Python round quotients of decimals by other rules")


def _replaced_text(node: Call, receiver: Value, body: Body) -> Value | None:
    """``split`` by one plain character needs no pattern."""
    pattern = node.arguments[0]
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        raw = ast.Name(_raw(pattern.value), ast.Load()) if "\\" in pattern.value else constant(pattern.value)
        rest = [one.code for one in arguments_of(node, body)][1:]
        kind = (
            Type("String", dimensions=1)
            if node.name == "split"
            else Type("boolean" if node.name == "matches" else "String")
        )
        names = {"split": "java_split", "matches": "java_matches", "replaceAll": "java_replace_all"}
        return Value(call(names[node.name], receiver.code, raw, *rest), kind)
    return None


def _cased(node: Call, receiver: Value, body: Body) -> Value | None:
    """The locale is left out: Python's cases are those of no locale."""
    return Value(call(ast.Attribute(receiver.code, node.name[2:7].lower(), ast.Load())), STRING)


def _raw(pattern: str) -> str:
    quote = "'" if '"' in pattern else '"'
    is_raw = quote not in pattern and "\n" not in pattern and not pattern.endswith("\\")
    return f"r{quote}{pattern}{quote}" if is_raw else repr(pattern)


_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value | None]]] = {
    "BigDecimal.divide": _divide,
    **MAPPER_RULES,
    "Optional.map": _mapped_optional,
    "Optional.orElse": _or_else,
    "Stream.collect": _collect,
    "Stream.map": _mapped,
    "Stream.mapToDouble": _mapped,
    "Stream.mapToInt": _mapped,
    "Stream.mapToLong": _mapped,
    "Stream.mapToObj": _mapped,
    "Stream.sorted": _sorted,
    "String.toLowerCase": _cased,
    "String.toUpperCase": _cased,
    "String.matches": _replaced_text,
    "String.replaceAll": _replaced_text,
    "String.split": _replaced_text,
    "int.toString": _number_text,
    "long.toString": _number_text,
}
