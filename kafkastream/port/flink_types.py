"""Types of Flink's API: what its methods return, and which elements functions produce."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kafkastream.port.java_nodes import Call, ClassDeclaration, Type
from kafkastream.port.java_types import UNKNOWN, parse_type
from kafkastream.port.names import JAVA_NAMES, api_class
from kafkastream.port.program_index import ProgramIndex
from kafkastream.port.translation import Body, Value

__all__ = ["STREAMS", "api_type", "is_api", "produced_type", "result_type"]

_RESULTS: Final[Mapping[str, str]] = {
    "BroadcastState.contains": "boolean",
    "BroadcastState.entries": "Set<Entry<K,V>>",
    "BroadcastState.get": "V",
    "BroadcastState.immutableEntries": "Set<Entry<K,V>>",
    "Context.currentProcessingTime": "long",
    "Context.currentWatermark": "long",
    "Context.getCurrentKey": "?",
    "Context.timestamp": "long",
    "Context.timerService": "TimerService",
    "Context.window": "TimeWindow",
    "Counter.getCount": "long",
    "Duration.getSeconds": "long",
    "Duration.toMillis": "long",
    "ListState.get": "Iterable<E>",
    "MapState.contains": "boolean",
    "MapState.entries": "Set<Entry<K,V>>",
    "MapState.get": "V",
    "MapState.isEmpty": "boolean",
    "MapState.keys": "Iterable<K>",
    "MapState.values": "Iterable<V>",
    "ParameterTool.get": "String",
    "ParameterTool.getBoolean": "boolean",
    "ParameterTool.getDouble": "double",
    "ParameterTool.getInt": "int",
    "ParameterTool.getLong": "long",
    "ParameterTool.getRequired": "String",
    "ParameterTool.has": "boolean",
    "ParameterTool.getProperties": "Properties",
    "ParameterTool.getMultiParameter": "List<String>",
    "ParameterTool.getMultiParameterRequired": "List<String>",
    "ReadOnlyBroadcastState.contains": "boolean",
    "ReadOnlyBroadcastState.get": "V",
    "ReadOnlyBroadcastState.immutableEntries": "Set<Entry<K,V>>",
    "ReducingState.get": "E",
    "AggregatingState.get": "V",
    "RuntimeContext.getIndexOfThisSubtask": "int",
    "RuntimeContext.getNumberOfParallelSubtasks": "int",
    "RuntimeContext.getMetricGroup": "MetricGroup",
    "RuntimeContext.getTaskInfo": "RuntimeContext",
    "MetricGroup.addGroup": "MetricGroup",
    "MetricGroup.counter": "Counter",
    "StreamExecutionEnvironment.getConfig": "ExecutionConfig",
    "StreamExecutionEnvironment.getCheckpointConfig": "CheckpointConfig",
    "StreamExecutionEnvironment.getParallelism": "int",
    "StreamExecutionEnvironment.socketTextStream": "DataStream<String>",
    "StreamExecutionEnvironment.readTextFile": "DataStream<String>",
    "StreamExecutionEnvironment.fromSequence": "DataStream<long>",
    "StreamTableEnvironment.from": "Table",
    "StreamTableEnvironment.sqlQuery": "Table",
    "StreamTableEnvironment.toDataStream": "DataStream<Row>",
    "StreamTableEnvironment.toChangelogStream": "DataStream<Row>",
    "StreamTableEnvironment.executeSql": "TableResult",
    "StreamTableEnvironment.createStatementSet": "StatementSet",
    "TableEnvironment.createStatementSet": "StatementSet",
    "TableEnvironment.from": "Table",
    "TableEnvironment.executeSql": "TableResult",
    "TableEnvironment.sqlQuery": "Table",
    "TimeWindow.getEnd": "long",
    "TimeWindow.getStart": "long",
    "TimeWindow.maxTimestamp": "long",
    "TimerService.currentProcessingTime": "long",
    "TimerService.currentWatermark": "long",
    "ValueState.value": "E",
    "Time.toMilliseconds": "long",
}


_STATES: Final = {
    "getState": ("ValueState", 1),
    "getListState": ("ListState", 1),
    "getMapState": ("MapState", 2),
    "getReducingState": ("ReducingState", 1),
    "getAggregatingState": ("AggregatingState", 2),
    "getBroadcastState": ("BroadcastState", 2),
}


STREAMS: Final = frozenset(
    {"DataStream", "KeyedStream", "WindowedStream", "AllWindowedStream", "ConnectedStreams", "BroadcastConnectedStream"}
)


_OUTPUT_TYPE_ARGUMENT: Final[Mapping[str, int]] = {
    "AggregateFunction": 2,
    "AllWindowFunction": 1,
    "AsyncFunction": 1,
    "BroadcastProcessFunction": 2,
    "CoFlatMapFunction": 2,
    "CoGroupFunction": 2,
    "CoMapFunction": 2,
    "CoProcessFunction": 2,
    "FlatJoinFunction": 2,
    "FlatMapFunction": 1,
    "JoinFunction": 2,
    "KeySelector": 1,
    "KeyedBroadcastProcessFunction": 3,
    "KeyedCoProcessFunction": 3,
    "KeyedProcessFunction": 2,
    "MapFunction": 1,
    "ProcessAllWindowFunction": 1,
    "ProcessFunction": 1,
    "ProcessJoinFunction": 2,
    "ProcessWindowFunction": 1,
    "WindowFunction": 1,
}


def api_type(kind: Type) -> Type:
    """Return a Java type with the name of kafkastream's class."""
    python = JAVA_NAMES.get(kind.name, kind.name)
    if kind.name.endswith("Context") and python != "RuntimeContext" and kind.name != "RuntimeContext":
        python = "Context"
    return Type(python, kind.arguments, kind.dimensions, kind.owner)


def is_api(kind: Type) -> bool:
    """Return whether a type is of Flink's API."""
    python_type = api_type(kind)
    return python_type.name in ("Context", "JoinedStreams", "Builder") or api_class(python_type.name) is not None


def produced_type(kind: Type, index: ProgramIndex) -> Type:
    """Return the output type of a function, from the type arguments of the class that it implements."""
    if kind.name == "Function":
        return kind.argument(0)
    base = JAVA_NAMES.get(kind.name, kind.name)
    if base in _OUTPUT_TYPE_ARGUMENT:
        return kind.argument(_OUTPUT_TYPE_ARGUMENT[base])
    info = index.classes.get(kind.name)
    if info is None:
        return UNKNOWN
    return next(
        (element for base in _base_types(info.declaration) if (element := produced_type(base, index)) != UNKNOWN),
        UNKNOWN,
    )


def _base_types(declared: ClassDeclaration) -> list[Type]:
    return [interface for interface in (declared.superclass, *declared.interfaces) if interface is not None]


def result_type(node: Call, kind: Type, arguments: Sequence[Value], body: Body) -> Type:
    """Return the result type of a method of Flink's API."""
    if node.name in _STATES and arguments:
        state, count = _STATES[node.name]
        return Type(state, arguments[0].type.arguments[:count])
    text = _RESULTS.get(f"{kind.name}.{node.name}") or _RESULTS.get(f"{kind.name.removeprefix('Multiple')}.{node.name}")
    if text is not None:
        variables = {"E": kind.argument(0), "K": kind.argument(0), "V": kind.argument(1)}
        return _fill_type_variables(parse_type(text), variables)
    if kind.name in STREAMS:
        return _stream_result(node, kind, arguments, body)
    if kind.name == "WatermarkStrategy":
        return kind
    if kind.name == "JoinedStreams":
        element = produced_type(arguments[0].type, body.index) if arguments and node.name == "apply" else UNKNOWN
        return Type("DataStream", (element,)) if node.name == "apply" else kind
    return kind if node.name.startswith(("set", "with", "enable", "disable")) else UNKNOWN


def _fill_type_variables(kind: Type, variables: Mapping[str, Type]) -> Type:
    if kind.name in variables:
        return variables[kind.name]
    return Type(
        kind.name, tuple(_fill_type_variables(argument, variables) for argument in kind.arguments), kind.dimensions
    )


def _stream_result(node: Call, kind: Type, arguments: Sequence[Value], body: Body) -> Type:
    rule = _STREAM_RESULTS.get(node.name)
    return rule(kind, arguments, body.index) if rule is not None else kind


def _transformed_stream(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    elements = (produced_type(argument.type, index) for argument in reversed(arguments[:2]))
    return Type("DataStream", (next((element for element in elements if element != UNKNOWN), UNKNOWN),))


def _keyed_stream(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    if kind.name == "ConnectedStreams":
        return kind
    return Type("KeyedStream", (kind.argument(0), produced_type(arguments[0].type, index) if arguments else UNKNOWN))


def _connected_streams(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    other = api_type(arguments[0].type)
    name = "BroadcastConnectedStream" if other.name == "BroadcastStream" else "ConnectedStreams"
    return Type(name, (kind.argument(0), other.argument(0)))


def _joined_streams(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    return Type("JoinedStreams", (kind.argument(0), arguments[0].type.argument(0)))


def _stream_of_class(name: str) -> Callable[[Type, Sequence[Value], ProgramIndex], Type]:
    def of_kind(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
        return Type(name, (kind.argument(0),))

    return of_kind


def _windowed_stream(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    return Type("WindowedStream", (kind.argument(0), kind.argument(1)))


def _broadcast_stream(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    return Type("BroadcastStream", (kind.argument(0),)) if arguments else kind


def _side_output_stream(kind: Type, arguments: Sequence[Value], index: ProgramIndex) -> Type:
    return Type("DataStream", (arguments[0].type.argument(0),))


_STREAM_RESULTS: Final[Mapping[str, Callable[[Type, Sequence[Value], ProgramIndex], Type]]] = {
    **dict.fromkeys(("map", "flatMap", "process", "apply", "aggregate"), _transformed_stream),
    **dict.fromkeys(("reduce", "sum", "min", "max", "minBy", "maxBy"), _stream_of_class("DataStream")),
    **dict.fromkeys(("print", "printToErr", "sinkTo", "addSink"), _stream_of_class("DataStreamSink")),
    **dict.fromkeys(("join", "coGroup", "intervalJoin"), _joined_streams),
    **dict.fromkeys(("window", "countWindow"), _windowed_stream),
    **dict.fromkeys(("windowAll", "countWindowAll"), _stream_of_class("AllWindowedStream")),
    "broadcast": _broadcast_stream,
    "connect": _connected_streams,
    "executeAndCollect": _stream_of_class("Iterator"),
    "getSideOutput": _side_output_stream,
    "keyBy": _keyed_stream,
}
