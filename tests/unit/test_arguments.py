"""Wrong arguments are told at the call, with what was given."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, get_args

import pytest

from kafkastream.common import Configuration, Time, Types, WatermarkStrategy
from kafkastream.common.restart_strategy import RestartStrategies
from kafkastream.datastream import (
    AsyncDataStream,
    KeyedProcessFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    ReduceFunction,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors.kafka import (
    FlinkKafkaConsumer,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.connectors.number_seq import NumberSequenceSource
from kafkastream.datastream.formats.csv import CsvRowDeserializationSchema
from kafkastream.datastream.formats.json import JsonRowDeserializationSchema
from kafkastream.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from kafkastream.datastream.window import (
    CountTrigger,
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
)
from kafkastream.errors import ArgumentError, DefinitionError
from kafkastream.model.common import argument_checks as arguments
from kafkastream.model.common.argument_checks import checked
from tests.package import modules_of


class Upper(MapFunction[str, str]):
    def map(self, value: str) -> str:
        return value.upper()


class OfJava(ProcessFunction[str, str]):
    def process_element(self, value: str, ctx: Any, out: Any) -> Any:  # type: ignore[override]  # which is refused
        out.collect(value)


class Keyed(KeyedProcessFunction[str, str, str]):
    def process_element(self, value: str, ctx: KeyedProcessFunction.Context) -> Any:
        yield value

    def on_timer(self, timestamp: int) -> Any:  # type: ignore[override]  # which is refused
        yield timestamp


class Longest(ReduceFunction[str]):
    def reduce(self, value1: str, value2: str) -> str:
        return max(value1, value2, key=len)


class Door(NamedTuple):
    """What the calls below begin with; without types, since these are what is wrong."""

    env: Any
    s: Any
    k: Any
    w: Any


@pytest.fixture
def door() -> Door:
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection(["a"], Types.STRING())
    keyed = stream.key_by(lambda value: value)
    return Door(env, stream, keyed, keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))))


NONE = WatermarkStrategy.no_watermarks()
SOURCE = NumberSequenceSource(1, 2)
UNTYPED: Any = {
    "Types": Types,
    "OutputTag": OutputTag,
    "Offsets": KafkaOffsetsInitializer,
    "Sequence": NumberSequenceSource,
    "Value": ValueStateDescriptor,
    "List": ListStateDescriptor,
    "Map": MapStateDescriptor,
    "Reducing": ReducingStateDescriptor,
    "Aggregating": AggregatingStateDescriptor,
    "Ttl": StateTtlConfig,
    "Tumbling": TumblingEventTimeWindows,
    "Sliding": SlidingEventTimeWindows,
    "Session": EventTimeSessionWindows,
    "CountTrigger": CountTrigger,
    "TimeEvictor": TimeEvictor,
    "Strategy": WatermarkStrategy,
    "Restarts": RestartStrategies,
    "Source": KafkaSource,
    "Sink": KafkaSink,
    "Record": KafkaRecordSerializationSchema,
    "Consumer": FlinkKafkaConsumer,
    "Json": JsonRowDeserializationSchema,
    "Csv": CsvRowDeserializationSchema,
    "Configuration": Configuration,
    "Async": AsyncDataStream,
    "Time": Time,
    "Upper": Upper,
    "OfJava": OfJava,
    "Keyed": Keyed,
    "Longest": Longest,
    "NONE": NONE,
    "SOURCE": SOURCE,
}
WRONG: list[tuple[str, str]] = [
    ("s.map(Upper(), str)", "output_type of DataStream.map must be a TypeInformation or None, not the class str"),
    ("s.map(Upper(), Types.STRING)", "not the function Types.STRING\n  Call it: Types.STRING()."),
    ("s.map(Upper)", "must be a function of 1 argument or a MapFunction, not the class Upper\n  Make an object of it"),
    ("s.map(Longest())", "must be a function of 1 argument or a MapFunction, not a Longest"),
    ("s.map(lambda: 1)", "must be a function of 1 argument or a MapFunction, not the function <lambda>"),
    ("s.map(lambda one, other: 1)", "must be a function of 1 argument or a MapFunction"),
    ("s.map(5)", "must be a function of 1 argument or a MapFunction, not 5"),
    ("s.filter(None)", "func of DataStream.filter must be a function of 1 argument or a FilterFunction, not None"),
    ("s.flat_map('a')", "must be a function of 1 argument or a FlatMapFunction, not 'a'"),
    ("s.process(OfJava())", "not an OfJava\n  OfJava.process_element must take (self, value, ctx)."),
    ("s.process(Keyed())", "func of DataStream.process must be a ProcessFunction, not a Keyed"),
    ("k.process(Keyed())", "Keyed.on_timer must take (self, timestamp, ctx)"),
    ("k.process(OfJava())", "func of KeyedStream.process must be a KeyedProcessFunction, not an OfJava"),
    ("k.reduce(lambda one: one)", "must be a function of 2 arguments or a ReduceFunction"),
    ("k.sum(1.5)", "position_to_sum of KeyedStream.sum must be an int or a str, not 1.5"),
    ("k.max_by(0, 'yes')", "first of KeyedStream.max_by must be a bool, not 'yes'"),
    ("k.count_window('5')", "size of KeyedStream.count_window must be an int, not '5'"),
    ("k.window(Time.seconds(1))", "must be a WindowAssigner, not a Time\n  TumblingEventTimeWindows.of("),
    ("k.window(Tumbling)", "must be a WindowAssigner, not the class TumblingEventTimeWindows"),
    ("k.interval_join(s)", "other of KeyedStream.interval_join must be a KeyedStream, not a DataStream"),
    ("k.interval_join(k).between(1, 2)", "lower_bound of IntervalJoined.between must be a Time or a Duration, not 1; "),
    (
        "s.union([s])",
        "others of DataStream.union must be a DataStream or a KeyedStream, not a list\n  Give them one by",
    ),
    ("s.connect(None)", "must be a DataStream or a KeyedStream or a BroadcastStream, not None"),
    ("s.connect(s).map(Upper())", "func of ConnectedStreams.map must be a CoMapFunction, not an Upper"),
    ("s.connect(s).key_by('a', 'b')", "key_selector1 of ConnectedStreams.key_by must be a KeySelector or a function"),
    ("s.broadcast(Value('a', Types.INT()))", "must be a MapStateDescriptor or None, not a ValueStateDescriptor"),
    ("s.key_by('field')", "must be a KeySelector or a function of 1 argument, not 'field'"),
    (
        "s.key_by(lambda v: v, str)",
        "key_type of DataStream.key_by must be a TypeInformation or None, not the class str",
    ),
    ("s.join(s).where(5)", "key_selector of JoinedStreams.where must be a KeySelector"),
    ("s.join(s).window(5)", "assigner of JoinedStreams.window must be a WindowAssigner, not 5"),
    ("s.project('f0')", "field_indexes of DataStream.project must be an int, not 'f0'"),
    ("s.print(5)", "sink_identifier of DataStream.print must be a str or None, not 5"),
    ("s.sink_to(SOURCE)", "sink of DataStream.sink_to must be a Sink, not a NumberSequenceSource"),
    ("s.sink_to(Sink.builder())", "must be a Sink, not a KafkaSinkBuilder\n  Call its build()."),
    ("s.name(None)", "name of DataStream.name must be a str, not None"),
    ("s.print().uid(5)", "uid of DataStreamSink.uid must be a str, not 5"),
    ("s.set_parallelism('2')", "parallelism of DataStream.set_parallelism must be an int, not '2'"),
    ("s.set_parallelism(True)", "parallelism of DataStream.set_parallelism must be an int, not True"),
    ("s.get_side_output('late')", "output_tag of DataStream.get_side_output must be an OutputTag, not 'late'"),
    ("s.execute_and_collect('job', '5')", "limit of DataStream.execute_and_collect must be an int or None, not '5'"),
    ("s.assign_timestamps_and_watermarks(None)", "must be a WatermarkStrategy, not None\n  WatermarkStrategy.no_water"),
    ("w.trigger('count')", "trigger of WindowedStream.trigger must be a Trigger, not 'count'"),
    ("w.evictor(5)", "evictor of WindowedStream.evictor must be an Evictor, not 5"),
    ("w.allowed_lateness(Time.seconds(5))", "time_ms of WindowedStream.allowed_lateness must be an int, not a Time"),
    ("w.side_output_late_data('late')", "must be an OutputTag, not 'late'"),
    ("w.aggregate(len)", "must be an AggregateFunction, not the function len\n  Write a class that extends Aggregate"),
    ("w.reduce(max, Upper())", "must be a WindowFunction or a ProcessWindowFunction or None, not an Upper"),
    ("w.process(Upper())", "must be a ProcessWindowFunction, not an Upper"),
    ("env.from_source(SOURCE, None, 's')", "must be a WatermarkStrategy, not None"),
    ("env.from_source(None, NONE, 's')", "must be a Source, not None"),
    ("env.from_source(SOURCE, NONE, None)", "source_name of StreamExecutionEnvironment.from_source must be a str"),
    ("env.add_source('t')", "must be a FlinkKafkaConsumer, not 't'"),
    ("env.from_collection(5)", "must be a collection, not 5"),
    ("env.from_collection([1], Types.INT)", "not the function Types.INT\n  Call it: Types.INT()."),
    ("env.from_sequence('1', 5)", "start of StreamExecutionEnvironment.from_sequence must be an int, not '1'"),
    ("env.set_parallelism('2')", "parallelism of StreamExecutionEnvironment.set_parallelism must be an int, not '2'"),
    ("env.enable_checkpointing('1s')", "must be an int, not '1s'"),
    ("env.enable_checkpointing(1, 'EXACTLY_ONCE')", "It is one of CheckpointingMode.EXACTLY_ONCE, "),
    ("env.set_runtime_mode('BATCH')", "must be a RuntimeExecutionMode, not 'BATCH'"),
    ("env.set_state_backend('rocksdb')", "must be a StateBackend, not 'rocksdb'"),
    ("env.set_restart_strategy(None)", "must be a RestartStrategyConfiguration, not None"),
    ("env.configure({'a': 'b'})", "must be a Configuration, not a dict"),
    ("env.execute(5)", "job_name of StreamExecutionEnvironment.execute must be a str or None, not 5"),
    ("env.get_config().set_max_parallelism(1.5)", "must be an int, not 1.5"),
    ("env.get_checkpoint_config().set_checkpoint_storage(5)", "must be a CheckpointStorage or a str, not 5"),
    ("Source.builder().set_starting_offsets('earliest')", "not 'earliest'\n  KafkaOffsetsInitializer.earliest() makes"),
    ("Source.builder().set_topics(['a', 5])", "must be a str or a collection of str, not a list with 5"),
    ("Source.builder().set_topics(5)", "must be a str or a collection of str, not 5"),
    ("Source.builder().set_partitions([('t', 0)])", "must be a collection of TopicPartition, not a list with a tuple"),
    ("Source.builder().set_property('a', 5)", "value of KafkaSourceBuilder.set_property must be a str, not an int"),
    ("Source.builder().set_properties({'a': 5})", "must be a mapping of str to str, not a dict with an int for 'a'"),
    ("Source.builder().set_value_only_deserializer(str)", "must be a DeserializationSchema, not the class str"),
    ("Source.builder().set_value_only_deserializer(len)", "Write a class that extends DeserializationSchema."),
    ("Offsets.timestamp('2024')", "timestamp of OffsetsInitializer.timestamp must be an int, not '2024'"),
    ("Offsets.offsets({('t', 0): 5})", "must be a mapping of TopicPartition to int, not a dict with a tuple"),
    ("Offsets.committed_offsets('earliest')", "must be an OffsetResetStrategy, not 'earliest'"),
    ("Sink.builder().set_delivery_guarantee('exactly-once')", "It is one of DeliveryGuarantee.EXACTLY_ONCE, "),
    ("Sink.builder().set_record_serializer(Record.builder())", "Call its build()."),
    ("Sink.builder().set_bootstrap_servers(['a:1'])", "must be a str, not a list"),
    ("Record.builder().set_topic(None)", "must be a str, not None"),
    ("Record.builder().set_topic_selector('t')", "must be a TopicSelector or a function of 1 argument, not 't'"),
    ("Consumer('t', str, {})", "deserialization_schema of FlinkKafkaConsumer must be a DeserializationSchema"),
    ("Value('a', int)", "value_type_info of ValueStateDescriptor must be a TypeInformation, not the class int"),
    ("Value(5, Types.INT)", "name of ValueStateDescriptor must be a str, not 5; value_type_info of"),
    ("List('a', None)", "elem_type_info of ListStateDescriptor must be a TypeInformation, not None"),
    ("Map('a', Types.INT(), str)", "value_type_info of MapStateDescriptor must be a TypeInformation"),
    ("Reducing('a', lambda one: one, Types.INT())", "must be a ReduceFunction or a function of 2 arguments"),
    ("Aggregating('a', max, Types.INT())", "agg_function of AggregatingStateDescriptor must be an AggregateFunction"),
    ("Ttl.new_builder(5)", "ttl of StateTtlConfig.new_builder must be a Time or a Duration, not 5\n  Time.seconds(5) "),
    ("OutputTag('a', [str])", "must be a TypeInformation or a collection of TypeInformation or None, not a list with"),
    ("OutputTag(5)", "tag_id of OutputTag must be a str, not 5"),
    ("Types.ROW([Types.INT])", "must be a collection of TypeInformation, not a list with the function Types.INT"),
    ("Types.ROW(Types.INT())", "field_types of Types.ROW must be a collection of TypeInformation, not a TypeInform"),
    ("Types.MAP(str, int)", "key_type_info of Types.MAP must be a TypeInformation, not the class str; value_type_info"),
    ("Tumbling.of(5.5)", "size of TumblingEventTimeWindows.of must be"),
    ("CountTrigger.of('5')", "window_size of CountTrigger.of must be an int, not '5'"),
    ("TimeEvictor.of(5)", "must be a Time or a Duration, not 5"),
    ("Strategy.for_bounded_out_of_orderness(5)", "must be a Duration, not 5\n  Duration.of_seconds(5) makes one."),
    ("NONE.with_timestamp_assigner(lambda value: 1)", "must be a TimestampAssigner or a function of 2 arguments"),
    (
        "Restarts.fixed_delay_restart('3', 10)",
        "restart_attempts of RestartStrategies.fixed_delay_restart must be an int",
    ),
    ("Configuration().set_integer('a', '5')", "value of Configuration.set_integer must be an int, not a str"),
    ("Json.builder().type_info(str)", "must be a TypeInformation, not the class str"),
    ("Csv.Builder(None)", "must be a TypeInformation, not None"),
    ("Async.ordered_wait(s, Upper(), Time.seconds(1))", "must be an AsyncFunction, not an Upper"),
]
REFUSED = [
    "k.count_window(0)",
    "k.count_window(5, -1)",
    "w.allowed_lateness(-1)",
    "Tumbling.of(Time.seconds(0))",
    "Sliding.of(Time.seconds(1), Time.seconds(-1))",
    "Session.with_gap(Time.seconds(-1))",
    "Ttl.new_builder(Time.seconds(-1)).build()",
    "s.set_parallelism(0)",
    "env.set_max_parallelism(0)",
    "env.enable_checkpointing(-1)",
    "env.get_checkpoint_config().set_checkpoint_timeout(0)",
    "env.get_config().set_auto_watermark_interval(-1)",
    "Restarts.fixed_delay_restart(1, -10)",
    "Sequence(5, 1)",
    "Offsets.timestamp(-1)",
    "Value('', Types.INT())",
    "s.project(9)",
]


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[call for call, _ in WRONG])
def test_a_wrong_type_is_told_at_the_call(door: Door, call: str, said: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        eval(call, UNTYPED, door._asdict())
    assert isinstance(raised.value, TypeError)
    assert said in str(raised.value).partition("[invalid-argument] ")[2]


@pytest.mark.parametrize("call", REFUSED)
def test_a_wrong_value_is_told_at_the_call(door: Door, call: str) -> None:
    with pytest.raises(DefinitionError):
        eval(call, UNTYPED, door._asdict())


def test_secrets_are_not_shown() -> None:
    builder: Any = KafkaSource.builder()
    with pytest.raises(ArgumentError) as text:
        builder.set_properties("hidden")
    with pytest.raises(ArgumentError) as value:
        builder.set_property("a", b"hidden")
    assert "hidden" not in f"{text.value} {value.value}"


class Class:
    def method(self, value: str) -> str:
        return value

    def __call__(self, value: str) -> str:
        return value


RIGHT: list[Any] = [
    len,
    str,
    dict,
    Class().method,
    Class(),
    lambda value: value,
    lambda value, other=1: value,
    lambda *values: values,
    Upper(),
]


@pytest.mark.parametrize("function", RIGHT)
def test_whatever_can_be_called_is_a_function(door: Door, function: Any) -> None:
    door.s.map(function)


def test_numbers_are_told_apart() -> None:
    @checked
    def take(whole: int, fraction: float, *, flag: bool = False) -> tuple[int, float, bool]:
        return whole, fraction, flag

    assert take(1, 2, flag=True) == (1, 2, True)
    wrong: list[Any] = [(1.0, 1.0), (True, 1.0), (1, True), (1, "1")]
    for both in wrong:
        with pytest.raises(ArgumentError):
            take(*both)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        take(1)  # type: ignore[call-arg]  # what this test is about


def test_an_iterator_is_not_used_up() -> None:
    @checked
    def take(names: Iterator[str]) -> list[str]:
        return list(names)

    assert take(iter("ab")) == ["a", "b"]


PACKAGES = ("kafkastream.common", "kafkastream.datastream")
ELSEWHERE = {
    *("CachedDataStream", "JobClient", "JobExecutionResult"),  # refused, whatever is given
    *("ConfigOptions", "Duration", "Option", "Time"),
    *("AggregatingState", "BroadcastState", "Counter", "Distribution", "Instant", "KafkaSinkContext", "ListState"),
    *("MapState", "Meter", "MetricGroup", "Row", "RowTypeInfo", "TaggedUnion", "TimeWindow", "TimerService"),
    *("ValueState", "WatermarkOutput"),
}
"""Final classes whose arguments are looked at elsewhere, or that are called for each element."""


def public_classes() -> list[type]:
    """The final classes of both packages; users implement the others."""
    found = {}
    for package in PACKAGES:
        for module in modules_of(package):
            offered = importlib.import_module(module)
            for name in getattr(offered, "__all__", ()):
                kind = getattr(offered, name)
                if inspect.isclass(kind) and getattr(kind, "__final__", False):
                    found[kind.__qualname__] = kind
    return [found[name] for name in sorted(found.keys() - ELSEWHERE)]


def methods(kind: type) -> Iterator[Callable[..., Any]]:
    """The public methods of a class that define the job: what Flink calls for each element has other names."""
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        function = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function) and function.__name__ == name:
            yield function


CALLED_BY_FLINK = {
    *("assign_windows", "clear", "deserialize", "evict_after", "evict_before", "merge_windows", "on_element"),
    *(
        "on_event_time",
        "on_merge",
        "on_processing_time",
        "open",
        "partition",
        "register_next_fire_timestamp",
        "serialize",
    ),
}


@pytest.mark.parametrize("kind", public_classes(), ids=lambda kind: kind.__qualname__)
def test_public_methods_check_their_arguments(kind: type) -> None:
    ours = [method for method in methods(kind) if method.__module__.startswith("kafkastream.")]
    unchecked = [method for method in ours if not hasattr(method, "__wrapped__")]
    takers = [method.__name__ for method in unchecked if arguments._parameters(method)[1]]
    assert [name for name in takers if name not in CALLED_BY_FLINK] == []


def names_of(kind: Any) -> Iterator[str]:
    if isinstance(kind, arguments._OfName):
        yield kind.__name__
    for part in get_args(kind):
        yield from names_of(part)


def test_types_that_are_known_by_name_are_there() -> None:
    by_name = {
        name
        for kind in public_classes()
        for method in methods(kind)
        for wanted in arguments._parameters(inspect.unwrap(method))[1].values()
        for name in names_of(wanted)
    }
    assert by_name <= {kind.__name__ for kind in public_classes()}
