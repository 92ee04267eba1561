"""Names: where Python programs import classes from, and how Java's names are spelled in Python."""

from __future__ import annotations

import importlib
import keyword
import re
from collections.abc import Mapping
from functools import cache
from typing import Final

__all__ = ["EXCEPTIONS", "IMPORTS", "JAVA_NAMES", "api_class", "python_name", "replacement_for", "snake_case"]

_TABLE: Final = {
    "kafkastream.common": """
        AvroRowDeserializationSchema AvroRowSerializationSchema ByteArraySchema Configuration
        CsvRowDeserializationSchema CsvRowSerializationSchema DeserializationSchema Duration Encoder ExecutionConfig
        JobClient JobExecutionResult JobStatus JsonRowDeserializationSchema JsonRowSerializationSchema
        RestartStrategies Row RowKind SerializationSchema SimpleStringSchema Time TimestampAssigner
        TypeInformation Types WatermarkGenerator WatermarkOutput WatermarkStrategy
    """,
    "kafkastream.datastream": """
        AggregateFunction AllWindowFunction AllWindowedStream AsyncDataStream AsyncFunction BroadcastConnectedStream
        BroadcastProcessFunction BroadcastStream CheckpointConfig CheckpointingMode CloseableIterator
        CoFlatMapFunction CoGroupFunction CoMapFunction CoProcessFunction ConnectedStreams DataStream DataStreamSink
        EmbeddedRocksDBStateBackend ExternalizedCheckpointCleanup ExternalizedCheckpointRetention FilterFunction
        FlatJoinFunction FlatMapFunction HashMapStateBackend JoinFunction KeySelector KeyedBroadcastProcessFunction
        KeyedCoProcessFunction KeyedProcessFunction KeyedStream MapFunction OutputTag ProcessAllWindowFunction
        ProcessFunction ProcessJoinFunction ProcessWindowFunction ReduceFunction RuntimeContext RuntimeExecutionMode
        SinkFunction SlotSharingGroup SourceFunction StreamExecutionEnvironment TimeCharacteristic TimeDomain
        TimerService WindowFunction WindowedStream
    """,
    "kafkastream.datastream.async_retry_strategies": "ExponentialBackoffDelayRetryStrategy FixedDelayRetryStrategy",
    "kafkastream.datastream.connectors.data_gen": "DataGeneratorSource",
    "kafkastream.datastream.connectors.file_system": """
        BucketAssigner DefaultRollingPolicy FileSink FileSource FileSourceBuilder OnCheckpointRollingPolicy OutputFileConfig
        RollingPolicy StreamFormat
    """,
    "kafkastream.datastream.connectors.jdbc": "JdbcConnectionOptions JdbcExecutionOptions JdbcSink",
    "kafkastream.datastream.connectors.kafka": """
        ConsumerRecord DeliveryGuarantee FlinkKafkaConsumer FlinkKafkaPartitioner FlinkKafkaProducer HeaderProvider
        JSONKeyValueDeserializationSchema KafkaRecordDeserializationSchema KafkaRecordSerializationSchema KafkaSink
        KafkaSinkContext KafkaSource KafkaSourceBuilder OffsetResetStrategy OffsetsInitializer ProducerRecord
        TopicPartition TopicSelector
    """,
    "kafkastream.datastream.connectors.number_seq": "NumberSequenceSource",
    "kafkastream.datastream.formats.json": """
        JsonDeserializationSchema JsonSerializationSchema object_of_json resolve_annotations
    """,
    "kafkastream.datastream.state": """
        AggregatingState AggregatingStateDescriptor BroadcastState ListState ListStateDescriptor MapState
        MapStateDescriptor ReadOnlyBroadcastState ReducingState ReducingStateDescriptor StateTtlConfig ValueState
        ValueStateDescriptor
    """,
    "kafkastream.datastream.window": """
        ContinuousEventTimeTrigger ContinuousProcessingTimeTrigger CountEvictor CountTrigger DeltaEvictor
        DeltaFunction EventTimeSessionWindows EventTimeTrigger GlobalWindow GlobalWindows ProcessingTimeSessionWindows
        ProcessingTimeTrigger PurgingTrigger SessionWindowTimeGapExtractor SlidingEventTimeWindows
        SlidingProcessingTimeWindows TimeEvictor TimeWindow Trigger TriggerResult TumblingEventTimeWindows
        TumblingProcessingTimeWindows Window WindowAssigner
    """,
    "kafkastream.metrics": "Counter Gauge Meter MetricGroup",
    "kafkastream.table": """
        DataTypes EnvironmentSettings Schema StatementSet StreamTableEnvironment Table TableConfig TableDescriptor
        TableEnvironment TableResult ScalarFunction TableFunction
    """,
    "kafkastream.table.expressions": "col lit",
    "kafkastream.util.gson": "Gson",
    "kafkastream.util.java_random": "JavaRandom",
    "kafkastream.util.java_values": """
        java_compare java_duration_ms java_hash java_header java_matches java_max java_min java_properties java_quotient java_remainder java_replace_all java_rounded java_split
        java_text java_zoned_text
    """,
    "kafkastream.util.parameter_tool": "MultipleParameterTool ParameterTool",
    "abc": "ABC abstractmethod",
    "collections": "deque",
    "contextlib": "closing",
    "collections.abc": "Callable Iterable Iterator Mapping",
    "datetime": "date datetime timedelta timezone",
    "decimal": "Decimal",
    "functools": "cmp_to_key",
    "pathlib": "Path",
    "zoneinfo": "ZoneInfo",
    "typing": "Any ClassVar Final",
}  # fmt: skip
_MODULES: Final = "asyncio attrs base64 copy enum functools hashlib itertools json logging math msgspec operator os random re sys threading time traceback urllib.request uuid"  # fmt: skip

IMPORTS: Final[Mapping[str, str]] = {
    **{name: module for module, names in _TABLE.items() for name in names.split()},
    **dict.fromkeys(_MODULES.split(), ""),
}
"""Names that ported programs may import, with their modules; a module itself has none."""

JAVA_NAMES: Final[Mapping[str, str]] = {
    "AscendingTimestampExtractor": "TimestampAssigner",
    "BoundedOutOfOrdernessTimestampExtractor": "TimestampAssigner",
    "AbstractDeserializationSchema": "DeserializationSchema",
    "DataStreamSource": "DataStream",
    "OpenContext": "RuntimeContext",
    "RichAsyncFunction": "AsyncFunction",
    "GeneratorFunction": "MapFunction",
    "RichCoFlatMapFunction": "CoFlatMapFunction",
    "RichCoMapFunction": "CoMapFunction",
    "RichFilterFunction": "FilterFunction",
    "RichFlatMapFunction": "FlatMapFunction",
    "RichMapFunction": "MapFunction",
    "RichReduceFunction": "ReduceFunction",
    "RichWindowFunction": "WindowFunction",
    "SerializableTimestampAssigner": "TimestampAssigner",
    "SingleOutputStreamOperator": "DataStream",
    "StreamStatementSet": "StatementSet",
}
"""Java's classes that have another name here; those not listed have the same."""

EXCEPTIONS: Final[Mapping[str, str]] = {
    "ArithmeticException": "ArithmeticError",
    "ArrayIndexOutOfBoundsException": "IndexError",
    "ClassCastException": "TypeError",
    "ClassNotFoundException": "ImportError",
    "DateTimeParseException": "ValueError",
    "Error": "Exception",
    "Exception": "Exception",
    "ExecutionException": "Exception",
    "FileNotFoundException": "FileNotFoundError",
    "FlinkException": "RuntimeError",
    "FlinkRuntimeException": "RuntimeError",
    "IOException": "OSError",
    "IllegalArgumentException": "ValueError",
    "IllegalStateException": "RuntimeError",
    "IndexOutOfBoundsException": "IndexError",
    "InterruptedException": "InterruptedError",
    "JsonParseException": "ValueError",
    "JsonProcessingException": "ValueError",
    "NoSuchElementException": "LookupError",
    "NullPointerException": "TypeError",
    "NumberFormatException": "ValueError",
    "ParseException": "ValueError",
    "RuntimeException": "RuntimeError",
    "Throwable": "Exception",
    "TimeoutException": "TimeoutError",
    "URISyntaxException": "ValueError",
    "UncheckedIOException": "OSError",
    "UnsupportedEncodingException": "LookupError",
    "UnsupportedOperationException": "NotImplementedError",
}
"""Java's exceptions, and Python's in their place."""

_TAKEN: Final = frozenset({
    *keyword.kwlist, *IMPORTS, "self", "bool", "bytes", "dict", "enumerate", "float", "hash", "int", "isinstance", "iter", "len", "list", "map",
    "max", "min", "next", "open", "print", "range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "any", "all", "filter",
    "abs", "divmod", "ord", "chr", "super", "type",
})  # fmt: skip


def snake_case(java: str) -> str:
    """Return a method's or a variable's name in Python's spelling.

    Example:
        >>> snake_case("setStartingOffsets"), snake_case("executeSql"), snake_case("toJSONText"), snake_case("flatMap1")
        ('set_starting_offsets', 'execute_sql', 'to_json_text', 'flat_map1')
    """
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", java))
    return parted.lower().replace("$", "_")


def python_name(java: str, *, is_constant: bool = False) -> str:
    """Return the name of a variable: a constant in capitals, and none that hides a name that programs use.

    Example:
        >>> python_name("lineCount"), python_name("list"), python_name("maxSize", is_constant=True)
        ('line_count', 'list_', 'MAX_SIZE')
    """
    name = snake_case(java) if not java.isupper() or not is_constant else java
    if is_constant:
        return name.upper()
    return f"{name}_" if name in _TAKEN else name


@cache
def api_class(python: str) -> type | None:
    """Return the class of kafkastream that has a name."""
    module = IMPORTS.get(python, "")
    if not module.startswith("kafkastream"):
        return None
    member = getattr(importlib.import_module(module), python, None)
    return member if isinstance(member, type) else None


def replacement_for(python: str) -> str | None:
    """Return what to use instead of a class that kafkastream refuses; None for one that works."""
    refused_class = api_class(python)
    instead = refused_class.__dict__.get("_instead") if refused_class is not None else None
    return str(instead) if instead is not None else None
