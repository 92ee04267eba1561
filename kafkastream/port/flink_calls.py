"""Translation of calls to Flink's API, whose methods have the names that Python's spelling gives them, except in a few tables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.flink_types import STREAMS, api_type, is_api, result_type
from kafkastream.port.java_nodes import Call, Cast, ClassOf, Expression, Lambda, Literal, New, Type, nodes_in
from kafkastream.port.java_types import INT, LONG, STRING, UNKNOWN, is_text, is_tuple, is_whole
from kafkastream.port.library_calls import translate_argument
from kafkastream.port.marks import Untranslated
from kafkastream.port.names import api_class, snake_case
from kafkastream.port.program_index import ClassInfo
from kafkastream.port.python_trees import attribute, call, code, constant, item, name
from kafkastream.port.table_calls import table_of_stream
from kafkastream.port.translation import Body, Value

__all__ = ["api_call", "is_print_sink", "translate_print"]

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
_TYPED_METHODS: Final = frozenset({"map", "flatMap", "process"})


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
    return _plain_call(node, receiver, body)


def _plain_call(node: Call, receiver: Value, body: Body) -> Value:
    kind = receiver.type
    key = f"{kind.name}.{node.name}"
    python = _RENAMED.get(key) or snake_case(node.name)
    _check_method_exists(kind, python, node.name)
    arguments = [
        _translate_call_argument(argument, node, index, kind, body) for index, argument in enumerate(node.arguments)
    ]
    tree = call(attribute(receiver.code, python), *(argument.code for argument in arguments))
    return Value(tree, result_type(node, kind, arguments, body))


def _check_method_exists(kind: Type, python: str, java: str) -> None:
    python_class = api_class(kind.name)
    if python_class is not None and not hasattr(python_class, python):
        raise Untranslated(f"kafkastream's {kind.name} has no {python}")


def _translate_call_argument(node: Expression, outer: Call, index: int, kind: Type, body: Body) -> Value:
    if isinstance(node, Cast) and isinstance(node.value, Lambda):
        node = node.value  # Java names the interface, for its overloads
    body.hint = snake_case(outer.name)
    body.collects = _passes_collector(node, outer, kind)
    try:
        return translate_argument(node, body, _parameter_types(outer, index, kind))
    finally:
        body.hint, body.collects = "apply", False


def _passes_collector(node: Expression, outer: Call, kind: Type) -> bool:
    if not isinstance(node, Lambda):
        return False
    if outer.name == "flatMap" and kind.name in STREAMS:
        return len(node.parameters) == 2
    if outer.name == "apply" and kind.name in ("WindowedStream", "AllWindowedStream"):
        raise Untranslated("a window function is a class in Python: WindowFunction with the method apply")
    if outer.name == "apply" and kind.name == "JoinedStreams" and len(node.parameters) == 3:
        raise Untranslated("a join that collects is a class in Python: FlatJoinFunction with the method join")
    return False


def _parameter_types(outer: Call, index: int, kind: Type) -> Sequence[Type]:
    element = kind.argument(0)
    if kind.name == "JoinedStreams":
        return {"where": (element,), "equalTo": (kind.argument(1),)}.get(outer.name, kind.arguments)
    if kind.name == "ConnectedStreams":
        return (kind.argument(index),)
    if outer.name == "reduce":
        return (element, element)
    if outer.name == "withTimestampAssigner":
        return (element, LONG)
    return (element,)


# Rules


def _translate_key_by(node: Call, receiver: Value, body: Body) -> Value:
    """Translate ``keyBy`` by field names or positions (Flink 1.x) to a lambda."""
    keys = node.arguments
    if receiver.type.name == "ConnectedStreams" or not keys or not all(isinstance(key, Literal) for key in keys):
        return _plain_call(node, receiver, body)
    element = receiver.type.argument(0)
    fields = [_key_field(key.value, element, body) for key in keys if isinstance(key, Literal)]
    key: ast.expr = fields[0] if len(fields) == 1 else ast.Tuple(fields, ast.Load())
    parameters = ast.arguments([], [ast.arg("value")], None, [], [], None, [])
    tree = call(attribute(receiver.code, "key_by"), ast.Lambda(parameters, key))
    return Value(tree, Type("KeyedStream", (element, UNKNOWN)))


def _key_field(key: object, element: Type, body: Body) -> ast.expr:
    if isinstance(key, int):
        return item(name("value"), constant(key))
    if is_tuple(element) and str(key).startswith("f"):
        return item(name("value"), constant(int(str(key)[1:])))
    declaration = body.index.find_field(element, str(key))
    return attribute(name("value"), declaration[0].field_name(str(key)) if declaration is not None else str(key))


def _translate_returns(node: Call, receiver: Value, body: Body) -> Value:
    """Translate ``returns``: its type becomes the argument ``output_type`` of the preceding call."""
    type_argument = translate_argument(node.arguments[0], body)
    element = type_argument.type.argument(0)
    kind = Type(receiver.type.name, (element, *receiver.type.arguments[1:]))
    tree = receiver.code
    is_typed = (
        isinstance(tree, ast.Call)
        and isinstance(tree.func, ast.Attribute)
        and tree.func.attr in ("map", "flat_map", "process")
    )
    is_type = type_argument.type.name == "TypeInformation"
    is_pickled = (
        isinstance(type_argument.code, ast.Call)
        and isinstance(type_argument.code.func, ast.Attribute)
        and type_argument.code.func.attr == "PICKLED_BYTE_ARRAY"
    )
    if (
        is_typed
        and is_type
        and not is_pickled
        and isinstance(tree, ast.Call)
        and len(tree.args) == 1
        and not tree.keywords
    ):
        tree = ast.Call(tree.func, tree.args, [ast.keyword("output_type", type_argument.code)])
    return Value(tree, kind)


def _translate_typed_call(node: Call, receiver: Value, body: Body) -> Value:
    """Translate ``map``, ``flatMap`` and ``process`` whose second argument is the type of the results."""
    value = _plain_call(node, receiver, body)
    tree = value.code
    if isinstance(tree, ast.Call) and len(tree.args) == 2 and node.name in _TYPED_METHODS:
        type_argument = translate_argument(node.arguments[1], body)
        tree = ast.Call(tree.func, tree.args[:1], [ast.keyword("output_type", tree.args[1])])
        element = type_argument.type.argument(0)
        return Value(tree, Type(value.type.name, (element if element != UNKNOWN else value.type.argument(0),)))
    return value


def _translate_sink_to(node: Call, receiver: Value, body: Body) -> Value:
    if is_print_sink(node):
        return translate_print(node, receiver, body)
    if any(isinstance(inner, New) and inner.type.name == "SimpleStringEncoder" for inner in nodes_in(node)):
        receiver = Value(_map_to_java_text(receiver, body), receiver.type)
    return _translate_endpoint(node, receiver, body)


def is_print_sink(node: Call) -> bool:
    """Return whether a call adds a ``PrintSink``, which ``print`` replaces."""
    sink = node.arguments[0] if node.arguments and node.name in ("addSink", "sinkTo") else None
    return isinstance(sink, New) and sink.type.name in ("PrintSink", "PrintSinkFunction")


def translate_print(node: Call, receiver: Value, body: Body) -> Value:
    """Translate ``print``; elements that Python prints differently are mapped to Java's text first."""
    (sink, *_) = (*node.arguments, None)
    arguments = sink.arguments if isinstance(sink, New) else node.arguments
    texts = [
        value.code for value in (translate_argument(argument, body) for argument in arguments) if is_text(value.type)
    ]
    return Value(call(attribute(_map_to_java_text(receiver, body), "print"), *texts), Type("DataStreamSink"))


def _map_to_java_text(stream: Value, body: Body) -> ast.expr:
    """Map a stream to Java's texts, unless Python prints its elements the same way: strings, whole numbers, own classes."""
    element = stream.type.argument(0)
    is_same = is_text(element) or is_whole(element) or element.name in body.index.classes
    return stream.code if is_same else call(attribute(stream.code, "map"), name("java_text"))


def _translate_timestamp_extractor(node: Call, receiver: Value, body: Body) -> Value:
    """Translate a timestamp extractor (Flink 1.x) to a watermark strategy with a timestamp assigner."""
    (extractor,) = node.arguments
    if not isinstance(extractor, New):
        return _plain_call(node, receiver, body)
    info = body.index.classes.get(extractor.type.name)
    base = info.declaration.superclass if info is not None else extractor.type
    if base is None or not base.name.endswith("TimestampExtractor"):
        return _plain_call(node, receiver, body)
    assigner = translate_argument(extractor, body, (receiver.type.argument(0),)).code
    strategy: ast.expr = code("WatermarkStrategy.for_monotonous_timestamps()")
    if base.name.startswith("Bounded"):
        strategy = code(
            "WatermarkStrategy.for_bounded_out_of_orderness(b)", b=_out_of_orderness_bound(extractor, info, body)
        )
    tree = call(attribute(strategy, "with_timestamp_assigner"), assigner)
    return Value(call(attribute(receiver.code, "assign_timestamps_and_watermarks"), tree), receiver.type)


def _out_of_orderness_bound(extractor: New, info: ClassInfo | None, body: Body) -> ast.expr:
    """Return the out-of-orderness of an extractor: its argument, or that of ``super(…)`` in its constructor."""
    arguments = extractor.arguments
    for method in info.methods_named("<init>") if info is not None else ():
        for node in nodes_in(method.body):
            if isinstance(node, Call) and node.name == "<init>":
                arguments = node.arguments
    if not arguments:
        raise Untranslated("the bound of this extractor is not known")
    return code("Duration.of_millis(b.to_milliseconds())", b=translate_argument(arguments[0], body).code)


def _translate_endpoint(node: Call, receiver: Value, body: Body) -> Value:
    value = _plain_call(node, receiver, body)
    kind = api_type(translate_argument(node.arguments[0], body).type)
    if kind.name in body.index.classes:
        role = "source" if node.name in ("addSource", "fromSource") else "sink"
        instead = "Source" if role == "source" else "Sink"
        raise Untranslated(f"a {role} of your own is a subclass of {instead}: see docs/contributing.md, A sink")
    if node.name == "addSource":
        return Value(value.code, Type("DataStream", (kind.argument(0),)))
    return value


def _translate_from_elements(node: Call, receiver: Value, body: Body) -> Value:
    arguments = [translate_argument(argument, body) for argument in node.arguments]
    first = arguments[0].type if arguments else UNKNOWN
    if len(arguments) > 1 and first.name == "Class":
        arguments = arguments[1:]
        first = arguments[0].type
    is_many = len(arguments) == 1 and (first.dimensions or first.name in ("List", "Collection", "ArrayList"))
    if node.name == "fromCollection" or is_many:
        element = first.argument(0) if not first.dimensions else Type(first.name, first.arguments, first.dimensions - 1)
        return Value(
            call(attribute(receiver.code, "from_collection"), *(argument.code for argument in arguments)),
            Type("DataStream", (element,)),
        )
    tree = call(attribute(receiver.code, "from_elements"), *(argument.code for argument in arguments))
    return Value(tree, Type("DataStream", (first,)))


def _translate_from_source(node: Call, receiver: Value, body: Body) -> Value:
    value = _translate_endpoint(node, receiver, body)
    kind = translate_argument(node.arguments[0], body).type
    element = kind.argument(0) if kind.name == "KafkaSource" or is_api(kind) else UNKNOWN
    return Value(value.code, Type("DataStream", (element,)))


def _translate_global_parameters(node: Call, receiver: Value, body: Body) -> Value:
    (parameters,) = (translate_argument(argument, body) for argument in node.arguments)
    info = body.index.classes.get(parameters.type.name)
    is_own = info is not None and bool(info.methods_named("toMap"))
    is_tool = is_own or parameters.type.name in ("ParameterTool", "MultipleParameterTool")
    tree = call(attribute(parameters.code, "to_map")) if is_tool else parameters.code
    return Value(call(attribute(receiver.code, "set_global_job_parameters"), tree))


def _return_receiver(node: Call, receiver: Value, body: Body) -> Value:
    return receiver


def _map_state_iterator(node: Call, receiver: Value, body: Body) -> Value:
    entry = Type("Entry", receiver.type.arguments)
    return Value(code("iter(a.items())", a=receiver.code), Type("Iterator", (entry,)))


def _translate_count_window(node: Call, receiver: Value, body: Body) -> Value:
    """Translate ``countWindow``. In Java sliding windows fire after each slide, even if not full; PyFlink's wait until they are full."""
    if len(node.arguments) < 2:
        return _plain_call(node, receiver, body)
    size, slide = (translate_argument(argument, body).code for argument in node.arguments)
    is_all = node.name.endswith("All")
    tree = call(attribute(receiver.code, "window_all" if is_all else "window"), code("GlobalWindows.create()"))
    tree = call(attribute(tree, "trigger"), code("CountTrigger.of(b)", b=slide))
    tree = call(attribute(tree, "evictor"), code("CountEvictor.of(b)", b=size))
    return Value(tree, Type("AllWindowedStream" if is_all else "WindowedStream", receiver.type.arguments))


def _translate_time_window(node: Call, receiver: Value, body: Body) -> Value:
    """``timeWindow`` of Flink 1.x, by the program's time characteristic."""
    if body.program.event_time is None:
        raise Untranslated(
            "timeWindow depends on the time characteristic: use window(TumblingEventTimeWindows.of(…)) or its sibling"
        )
    time = "EventTime" if body.program.event_time else "ProcessingTime"
    shape = "Tumbling" if len(node.arguments) == 1 else "Sliding"
    assigner = name(f"{shape}{time}Windows")
    sizes = [translate_argument(argument, body).code for argument in node.arguments]
    method, kind = ("window_all", "AllWindowedStream") if node.name.endswith("All") else ("window", "WindowedStream")
    tree = call(attribute(receiver.code, method), call(attribute(assigner, "of"), *sizes))
    return Value(tree, Type(kind, receiver.type.arguments))


def _duration_seconds(node: Call, receiver: Value, body: Body) -> Value:
    return Value(code("a.to_millis() // 1000", a=receiver.code), LONG)


def _add_durations(node: Call, receiver: Value, body: Body) -> Value:
    sign = "+" if node.name == "plus" else "-"
    other = translate_argument(node.arguments[0], body).code
    tree = code(f"Duration.of_nanos(a.to_nanos() {sign} b.to_nanos())", a=receiver.code, b=other)
    return Value(tree, receiver.type)


def _compare_durations(node: Call, receiver: Value, body: Body) -> Value:
    return Value(call("java_compare", receiver.code, translate_argument(node.arguments[0], body).code), INT)


def _str_of_result(node: Call, receiver: Value, body: Body) -> Value:
    return Value(call("str", receiver.code), STRING)


def _translate_allowed_lateness(node: Call, receiver: Value, body: Body) -> Value:
    """PyFlink's method takes milliseconds."""
    lateness = translate_argument(node.arguments[0], body)
    method = {"Duration": "to_millis", "Time": "to_milliseconds"}.get(lateness.type.name)
    tree = call(attribute(lateness.code, method)) if method is not None else lateness.code
    return Value(call(attribute(receiver.code, "allowed_lateness"), tree), receiver.type)


def _translate_from_json(node: Call, receiver: Value, body: Body) -> Value:
    text, kind = (translate_argument(argument, body) for argument in node.arguments)
    if isinstance(node.arguments[1], ClassOf):
        body.program.read_classes.add(node.arguments[1].type.name)
    result = kind.type.argument(0) if kind.type.name == "Class" else UNKNOWN
    return Value(call(attribute(receiver.code, "from_json"), text.code, kind.code), result)


_STREAM_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value]]] = {
    "addSink": _translate_sink_to,
    "allowedLateness": _translate_allowed_lateness,
    "assignTimestampsAndWatermarks": _translate_timestamp_extractor,
    "countWindow": _translate_count_window,
    "countWindowAll": _translate_count_window,
    "flatMap": _translate_typed_call,
    "keyBy": _translate_key_by,
    "map": _translate_typed_call,
    "print": translate_print,
    "process": _translate_typed_call,
    "returns": _translate_returns,
    "sinkTo": _translate_sink_to,
    "timeWindow": _translate_time_window,
    "timeWindowAll": _translate_time_window,
}
_RULES: Final[Mapping[str, Callable[[Call, Value, Body], Value]]] = {
    "Duration.compareTo": _compare_durations,
    "Duration.getSeconds": _duration_seconds,
    "Duration.minus": _add_durations,
    "Duration.plus": _add_durations,
    "ExecutionConfig.setGlobalJobParameters": _translate_global_parameters,
    "Gson.fromJson": _translate_from_json,
    "MapState.iterator": _map_state_iterator,
    "RuntimeContext.getTaskInfo": _return_receiver,
    "StreamExecutionEnvironment.addSource": _translate_endpoint,
    "StreamExecutionEnvironment.fromCollection": _translate_from_elements,
    "StreamExecutionEnvironment.fromData": _translate_from_elements,
    "StreamExecutionEnvironment.fromElements": _translate_from_elements,
    "StreamExecutionEnvironment.fromSource": _translate_from_source,
    "StreamTableEnvironment.createTemporaryView": table_of_stream,
    "StreamTableEnvironment.fromChangelogStream": table_of_stream,
    "StreamTableEnvironment.fromDataStream": table_of_stream,
    "TableResult.toString": _str_of_result,
}
