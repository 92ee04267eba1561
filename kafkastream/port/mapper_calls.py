"""Translation of calls on Jackson's mappers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kafkastream.port.java_nodes import Call, ClassOf, Type
from kafkastream.port.java_types import STRING, UNKNOWN
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import call, code, constant
from kafkastream.port.translation import Body, Value, translate_expression

__all__ = ["MAPPER_RULES", "check_no_times"]

_TIMES: Final = frozenset(
    {
        "Date",
        "Duration",
        "Instant",
        "LocalDate",
        "LocalDateTime",
        "LocalTime",
        "OffsetDateTime",
        "Timestamp",
        "ZonedDateTime",
    }
)


def _read_value(node: Call, receiver: Value, body: Body) -> Value | None:
    data, kind = node.arguments
    source = translate_expression(data, body)
    if not isinstance(kind, ClassOf):
        return Value(call("json.loads", source.code), UNKNOWN)
    if kind.type.name in body.index.classes:
        target = body.annotation(kind.type)
        body.program.read_classes.add(kind.type.name)
        keywords = {"ignore_unknown": constant(True)} if body.program.ignores_unknown(kind.type.name) else {}
        return Value(call("object_of_json", source.code, target, **keywords), kind.type)
    return Value(code("json.loads(b)", b=source.code), kind.type)


def check_no_times(kind: Type, body: Body, seen: frozenset[str] = frozenset()) -> None:
    """Refuse classes with time fields: Jackson writes times as numbers or lists, or by ``@JsonFormat``.

    Raises:
        Untranslated: A field of the class, or of one within, is a time.
    """
    if kind.name in _TIMES:
        raise Untranslated(
            f"Jackson writes {kind.name} in its own way: write the JSON in a SerializationSchema of yours"
        )
    info = body.index.classes.get(kind.name)
    for field in info.fields.values() if info is not None and kind.name not in seen else ():
        if not field.is_static:
            for argument in (field.type, *field.type.arguments):
                check_no_times(argument, body, seen | {kind.name})


def _write_value(node: Call, receiver: Value, body: Body) -> Value | None:
    value = translate_expression(node.arguments[0], body)
    check_no_times(value.type, body)
    is_own = value.type.name in body.index.classes or value.type.name == "?"
    if node.name == "writeValueAsBytes":
        return Value(code("msgspec.json.encode(b)", b=value.code), Type("byte", dimensions=1))
    if is_own:
        return Value(code("msgspec.json.encode(b).decode()", b=value.code), STRING)
    text = 'json.dumps(b, separators=(",", ":"), ensure_ascii=False)'
    return Value(code(text, b=value.code), STRING)


def _ignore_configuration(node: Call, receiver: Value, body: Body) -> Value | None:
    """Drop the configuration of a mapper; ``program`` searches the source text for the features that matter."""
    return receiver


MAPPER_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value | None]]] = {
    **dict.fromkeys(
        (f"ObjectMapper.{method}" for method in ("addModule", "configure", "registerModule")), _ignore_configuration
    ),
    "ObjectMapper.readValue": _read_value,
    "ObjectMapper.writeValueAsBytes": _write_value,
    "ObjectMapper.writeValueAsString": _write_value,
}
"""Rules by class and method."""
