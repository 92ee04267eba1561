"""Translation of calls to Flink's API, whose methods have the names that Python's spelling gives them, except in a few tables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.flink_types import STREAMS, api_type, is_api, result_of
from kafkastream.port.java_nodes import Call, Cast, ClassOf, Expression, Lambda, Literal, New, Type, nodes_in
from kafkastream.port.java_types import INT, LONG, STRING, UNKNOWN, is_text, is_tuple, is_whole
from kafkastream.port.library_calls import argument
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import api_class, snake_case
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, constant, item, name
from kafkastream.port.table_calls import table_of_stream
from kafkastream.port.translation import Body, Value

__all__ = ["api_call", "printing", "sinks_by_printing"]

_RENAMED: Final[Mapping[str, str]] = {
    "DataStream.setUidHash": "set_uid_hash",
    "MapState.entries": "items",
    "BroadcastState.entries": "items",
    "BroadcastState.immutableEntries": "items",
    "ReadOnlyBroadcastState.immutableEntries": "items",
    "RuntimeContext.getMetricGroup": "get_metrics_group",
    "StreamExecutionEnvironment.fromData": "from_elements",
    "StreamTableEnvironment.from": "from_path",
    "TableEnvironment.from": "from_path",
}
_TYPED: Final = frozenset({"map", "flatMap", "process"})


def api_call(node: Call, receiver: Value, body: Body) -> Value:
    """Translate a call on an object of Flink's API.

    Raises:
        Untranslated: kafkastream has no such method.
    """
    kind = api_type(receiver.type)
    receiver = Value(receiver.code, kind)
    rule = _RULES.get(f"{kind.name}.{node.name}") or (_STREAM_RULES.get(node.name) if kind.name in STREAMS else None)
    if rule is not None:
        return rule(node, receiver, body)
    return _plain(node, receiver, body)


def _plain(node: Call, receiver: Value, body: Body) -> Value:
    kind = receiver.type
    key = f"{kind.name}.{node.name}"
    python = _RENAMED.get(key) or snake_case(node.name)
    _check(kind, python, node.name)
    arguments = [_argument(one, node, place, kind, body) for place, one in enumerate(node.arguments)]
    tree = call(attribute(receiver.code, python), *(one.code for one in arguments))
    return Value(tree, result_of(node, kind, arguments, body))


def _check(kind: Type, python: str, java: str) -> None:
    here = api_class(kind.name)
    if here is not None and not hasattr(here, python):
        raise Untranslated(f"kafkastream's {kind.name} has no {python}")


def _argument(node: Expression, outer: Call, place: int, kind: Type, body: Body) -> Value:
    if isinstance(node, Cast) and isinstance(node.value, Lambda):
        node = node.value  # Java names the interface, for its overloads
    body.hint = snake_case(outer.name)
    body.collects = _collects(node, outer, kind)
    try:
        return argument(node, body, _parameter_types(outer, place, kind))
    finally:
        body.hint, body.collects = "apply", False


def _collects(node: Expression, outer: Call, kind: Type) -> bool:
    if not isinstance(node, Lambda):
        return False
    if outer.name == "flatMap" and kind.name in STREAMS:
        return len(node.parameters) == 2
    if outer.name == "apply" and kind.name in ("WindowedStream", "AllWindowedStream"):
        raise Untranslated("a window function is a class in Python: WindowFunction with the method apply")
    if outer.name == "apply" and kind.name == "JoinedStreams" and len(node.parameters) == 3:
        raise Untranslated("a join that collects is a class in Python: FlatJoinFunction with the method join")
    return False


def _parameter_types(outer: Call, place: int, kind: Type) -> Sequence[Type]:
    element = kind.argument(0)
    if kind.name == "JoinedStreams":
        return {"where": (element,), "equalTo": (kind.argument(1),)}.get(outer.name, kind.arguments)
    if kind.name == "ConnectedStreams":
        return (kind.argument(place),)
    if outer.name == "reduce":
        return (element, element)
    if outer.name == "withTimestampAssigner":
        return (element, LONG)
    return (element,)


# Rules


def _key_by(node: Call, receiver: Value, body: Body) -> Value:
    """Fields by name or position, of Flink 1.x, become a lambda."""
    keys = node.arguments
    if receiver.type.name == "ConnectedStreams" or not keys or not all(isinstance(one, Literal) for one in keys):
        return _plain(node, receiver, body)
    element = receiver.type.argument(0)
    fields = [_field(one.value, element, body) for one in keys if isinstance(one, Literal)]
    key: ast.expr = fields[0] if len(fields) == 1 else ast.Tuple(fields, ast.Load())
    parameters = ast.arguments([], [ast.arg("value")], None, [], [], None, [])
    tree = call(attribute(receiver.code, "key_by"), ast.Lambda(parameters, key))
    return Value(tree, Type("KeyedStream", (element, UNKNOWN)))


def _field(key: object, element: Type, body: Body) -> ast.expr:
    if isinstance(key, int):
        return item(name("value"), constant(key))
    if is_tuple(element) and str(key).startswith("f"):
        return item(name("value"), constant(int(str(key)[1:])))
    found = body.index.find_field(element, str(key))
    return attribute(name("value"), found[0].field_name(str(key)) if found is not None else str(key))


def _returns(node: Call, receiver: Value, body: Body) -> Value:
    """The type of the elements becomes the argument ``output_type`` of the call before."""
    given = argument(node.arguments[0], body)
    element = given.type.argument(0)
    kind = Type(receiver.type.name, (element, *receiver.type.arguments[1:]))
    made = receiver.code
    is_typed = (
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and made.func.attr in ("map", "flat_map", "process")
    )
    is_type = given.type.name == "TypeInformation"
    is_pickled = (
        isinstance(given.code, ast.Call)
        and isinstance(given.code.func, ast.Attribute)
        and given.code.func.attr == "PICKLED_BYTE_ARRAY"
    )
    if (
        is_typed
        and is_type
        and not is_pickled
        and isinstance(made, ast.Call)
        and len(made.args) == 1
        and not made.keywords
    ):
        made = ast.Call(made.func, made.args, [ast.keyword("output_type", given.code)])
    return Value(made, kind)


def _typed(node: Call, receiver: Value, body: Body) -> Value:
    """The second argument of ``map`` is a type."""
    value = _plain(node, receiver, body)
    tree = value.code
    if isinstance(tree, ast.Call) and len(tree.args) == 2 and node.name in _TYPED:
        given = argument(node.arguments[1], body)
        tree = ast.Call(tree.func, tree.args[:1], [ast.keyword("output_type", tree.args[1])])
        element = given.type.argument(0)
        return Value(tree, Type(value.type.name, (element if element != UNKNOWN else value.type.argument(0),)))
    return value


def _sink_to(node: Call, receiver: Value, body: Body) -> Value:
    if sinks_by_printing(node):
        return printing(node, receiver, body)
    if any(isinstance(one, New) and one.type.name == "SimpleStringEncoder" for one in nodes_in(node)):
        receiver = Value(_in_java_text(receiver, body), receiver.type)
    return _own_endpoint(node, receiver, body)


def sinks_by_printing(node: Call) -> bool:
    """Return whether a call gives ``PrintSink`` to a stream, which is ``print``."""
    sink = node.arguments[0] if node.arguments and node.name in ("addSink", "sinkTo") else None
    return isinstance(sink, New) and sink.type.name in ("PrintSink", "PrintSinkFunction")


def printing(node: Call, receiver: Value, body: Body) -> Value:
    """Print a stream; elements whose texts differ in Python are turned into Java's before."""
    (sink, *_) = (*node.arguments, None)
    given = sink.arguments if isinstance(sink, New) else node.arguments
    texts = [one.code for one in (argument(each, body) for each in given) if is_text(one.type)]
    return Value(call(attribute(_in_java_text(receiver, body), "print"), *texts), Type("DataStreamSink"))


def _in_java_text(stream: Value, body: Body) -> ast.expr:
    """Return a stream of texts, of those that Java makes; numbers and objects of the program have the same here."""
    element = stream.type.argument(0)
    is_same = is_text(element) or is_whole(element) or element.name in body.index.classes
    return stream.code if is_same else call(attribute(stream.code, "map"), name("java_text"))


def _assigned_timestamps(node: Call, receiver: Value, body: Body) -> Value:
    """Extractors of Flink 1.x become a strategy with a timestamp assigner."""
    (given,) = node.arguments
    if not isinstance(given, New):
        return _plain(node, receiver, body)
    info = body.index.classes.get(given.type.name)
    base = info.declaration.superclass if info is not None else given.type
    if base is None or not base.name.endswith("TimestampExtractor"):
        return _plain(node, receiver, body)
    assigner = argument(given, body, (receiver.type.argument(0),)).code
    strategy: ast.expr = code("WatermarkStrategy.for_monotonous_timestamps()")
    if base.name.startswith("Bounded"):
        strategy = code("WatermarkStrategy.for_bounded_out_of_orderness(b)", b=_bound(given, info, body))
    tree = call(attribute(strategy, "with_timestamp_assigner"), assigner)
    return Value(call(attribute(receiver.code, "assign_timestamps_and_watermarks"), tree), receiver.type)


def _bound(given: New, info: ClassInfo | None, body: Body) -> ast.expr:
    """Return the bound of an extractor: its argument, or that of ``super`` in its constructor."""
    arguments = given.arguments
    for method in info.methods_named("<init>") if info is not None else ():
        for one in nodes_in(method.body):
            if isinstance(one, Call) and one.name == "<init>":
                arguments = one.arguments
    if not arguments:
        raise Untranslated("the bound of this extractor is not known")
    return code("Duration.of_millis(b.to_milliseconds())", b=argument(arguments[0], body).code)


def _own_endpoint(node: Call, receiver: Value, body: Body) -> Value:
    value = _plain(node, receiver, body)
    kind = api_type(argument(node.arguments[0], body).type)
    if kind.name in body.index.classes:
        what = "source" if node.name in ("addSource", "fromSource") else "sink"
        instead = "Source" if what == "source" else "Sink"
        raise Untranslated(f"a {what} of your own is a subclass of {instead}: see docs/contributing.md, A sink")
    if node.name == "addSource":
        return Value(value.code, Type("DataStream", (kind.argument(0),)))
    return value


def _elements(node: Call, receiver: Value, body: Body) -> Value:
    arguments = [argument(one, body) for one in node.arguments]
    first = arguments[0].type if arguments else UNKNOWN
    if len(arguments) > 1 and first.name == "Class":
        arguments = arguments[1:]
        first = arguments[0].type
    is_many = len(arguments) == 1 and (first.dimensions or first.name in ("List", "Collection", "ArrayList"))
    if node.name == "fromCollection" or is_many:
        element = first.argument(0) if not first.dimensions else Type(first.name, first.arguments, first.dimensions - 1)
        return Value(
            call(attribute(receiver.code, "from_collection"), *(one.code for one in arguments)),
            Type("DataStream", (element,)),
        )
    tree = call(attribute(receiver.code, "from_elements"), *(one.code for one in arguments))
    return Value(tree, Type("DataStream", (first,)))


def _from_source(node: Call, receiver: Value, body: Body) -> Value:
    value = _own_endpoint(node, receiver, body)
    kind = argument(node.arguments[0], body).type
    element = kind.argument(0) if kind.name == "KafkaSource" or is_api(kind) else UNKNOWN
    return Value(value.code, Type("DataStream", (element,)))


def _global_parameters(node: Call, receiver: Value, body: Body) -> Value:
    (given,) = (argument(one, body) for one in node.arguments)
    info = body.index.classes.get(given.type.name)
    is_own = info is not None and bool(info.methods_named("toMap"))
    is_tool = is_own or given.type.name in ("ParameterTool", "MultipleParameterTool")
    tree = call(attribute(given.code, "to_map")) if is_tool else given.code
    return Value(call(attribute(receiver.code, "set_global_job_parameters"), tree))


def _receiver(node: Call, receiver: Value, body: Body) -> Value:
    return receiver


def _entries(node: Call, receiver: Value, body: Body) -> Value:
    entry = Type("Entry", receiver.type.arguments)
    return Value(code("iter(a.items())", a=receiver.code), Type("Iterator", (entry,)))


def _count_window(node: Call, receiver: Value, body: Body) -> Value:
    """Overlapping windows fire after each slide in Java, also those that are not full; PyFlink's wait until they are."""
    if len(node.arguments) < 2:
        return _plain(node, receiver, body)
    size, slide = (argument(one, body).code for one in node.arguments)
    is_all = node.name.endswith("All")
    tree = call(attribute(receiver.code, "window_all" if is_all else "window"), code("GlobalWindows.create()"))
    tree = call(attribute(tree, "trigger"), code("CountTrigger.of(b)", b=slide))
    tree = call(attribute(tree, "evictor"), code("CountEvictor.of(b)", b=size))
    return Value(tree, Type("AllWindowedStream" if is_all else "WindowedStream", receiver.type.arguments))


def _time_window(node: Call, receiver: Value, body: Body) -> Value:
    """``timeWindow`` of Flink 1.x, by the program's time characteristic."""
    if body.program.event_time is None:
        raise Untranslated(
            "timeWindow depends on the time characteristic: use window(TumblingEventTimeWindows.of(…)) or its sibling"
        )
    time = "EventTime" if body.program.event_time else "ProcessingTime"
    shape = "Tumbling" if len(node.arguments) == 1 else "Sliding"
    assigner = name(f"{shape}{time}Windows")
    sizes = [argument(one, body).code for one in node.arguments]
    method, kind = ("window_all", "AllWindowedStream") if node.name.endswith("All") else ("window", "WindowedStream")
    tree = call(attribute(receiver.code, method), call(attribute(assigner, "of"), *sizes))
    return Value(tree, Type(kind, receiver.type.arguments))


def _seconds(node: Call, receiver: Value, body: Body) -> Value:
    return Value(code("a.to_millis() // 1000", a=receiver.code), LONG)


def _added(node: Call, receiver: Value, body: Body) -> Value:
    sign = "+" if node.name == "plus" else "-"
    other = argument(node.arguments[0], body).code
    tree = code(f"Duration.of_nanos(a.to_nanos() {sign} b.to_nanos())", a=receiver.code, b=other)
    return Value(tree, receiver.type)


def _compared(node: Call, receiver: Value, body: Body) -> Value:
    return Value(call("java_compare", receiver.code, argument(node.arguments[0], body).code), INT)


def _row_text(node: Call, receiver: Value, body: Body) -> Value:
    return Value(call("str", receiver.code), STRING)


def _allowed_lateness(node: Call, receiver: Value, body: Body) -> Value:
    """PyFlink's method takes milliseconds."""
    given = argument(node.arguments[0], body)
    method = {"Duration": "to_millis", "Time": "to_milliseconds"}.get(given.type.name)
    tree = call(attribute(given.code, method)) if method is not None else given.code
    return Value(call(attribute(receiver.code, "allowed_lateness"), tree), receiver.type)


def _from_json(node: Call, receiver: Value, body: Body) -> Value:
    text, kind = (argument(one, body) for one in node.arguments)
    if isinstance(node.arguments[1], ClassOf):
        body.program.read_classes.add(node.arguments[1].type.name)
    result = kind.type.argument(0) if kind.type.name == "Class" else UNKNOWN
    return Value(call(attribute(receiver.code, "from_json"), text.code, kind.code), result)


_STREAM_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value]]] = {
    "addSink": _sink_to,
    "allowedLateness": _allowed_lateness,
    "assignTimestampsAndWatermarks": _assigned_timestamps,
    "countWindow": _count_window,
    "countWindowAll": _count_window,
    "flatMap": _typed,
    "keyBy": _key_by,
    "map": _typed,
    "print": printing,
    "process": _typed,
    "returns": _returns,
    "sinkTo": _sink_to,
    "timeWindow": _time_window,
    "timeWindowAll": _time_window,
}
_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value]]] = {
    "Duration.compareTo": _compared,
    "Duration.getSeconds": _seconds,
    "Duration.minus": _added,
    "Duration.plus": _added,
    "ExecutionConfig.setGlobalJobParameters": _global_parameters,
    "Gson.fromJson": _from_json,
    "MapState.iterator": _entries,
    "RuntimeContext.getTaskInfo": _receiver,
    "StreamExecutionEnvironment.addSource": _own_endpoint,
    "StreamExecutionEnvironment.fromCollection": _elements,
    "StreamExecutionEnvironment.fromData": _elements,
    "StreamExecutionEnvironment.fromElements": _elements,
    "StreamExecutionEnvironment.fromSource": _from_source,
    "StreamTableEnvironment.createTemporaryView": table_of_stream,
    "StreamTableEnvironment.fromChangelogStream": table_of_stream,
    "StreamTableEnvironment.fromDataStream": table_of_stream,
    "TableResult.toString": _row_text,
}
