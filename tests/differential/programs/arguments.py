"""Calls with arguments of the wrong kind: whether each is refused there and then."""

from pyflink.common import Duration, Row, Time, Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import OutputTag, ProcessFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.window import SlidingEventTimeWindows, TumblingEventTimeWindows

from tests.differential.program import bounded


def told(env, calls):
    """Which calls raise."""
    lines = []
    for name, call in calls.items():
        try:
            call()
        except Exception:  # noqa: BLE001 - PyFlink raises many kinds
            lines.append(f"{name}: refused")
        else:
            lines.append(f"{name}: taken")
    return env.from_collection(lines, Types.STRING())


@bounded(order="none")
def arguments_of_streams(env):
    other = StreamExecutionEnvironment.get_execution_environment()
    numbers = other.from_collection([1, 2], Types.INT())
    keyed = numbers.key_by(lambda n: n, Types.INT())
    return told(
        env,
        {
            "map(f, str)": lambda: numbers.map(str, str),
            "map(f, Types.STRING)": lambda: numbers.map(str, Types.STRING),
            "map(1)": lambda: numbers.map(1),
            "map(ProcessFunction)": lambda: numbers.map(ProcessFunction()),
            "filter(None)": lambda: numbers.filter(None),
            "flat_map(text)": lambda: numbers.flat_map("x"),
            "key_by(0)": lambda: numbers.key_by(0),
            "key_by(f, int)": lambda: numbers.key_by(lambda n: n, int),
            "union([s])": lambda: numbers.union([numbers]),
            "union()": numbers.union,
            "set_parallelism(text)": lambda: numbers.map(str).set_parallelism("2"),
            "env.set_parallelism(text)": lambda: other.set_parallelism("1"),
            "name of a keyed stream": lambda: keyed.name("x"),
            "uid of a keyed stream": lambda: keyed.uid("x"),
            "rebalance of a keyed stream": keyed.rebalance,
            "sum(text) of numbers": lambda: keyed.sum("x"),
            "get_side_output(text)": lambda: numbers.get_side_output("x"),
            "sink_to(text)": lambda: numbers.sink_to("x"),
            "project of numbers": lambda: numbers.project(0),
            "partition_custom(text)": lambda: numbers.partition_custom("x", lambda n: n),
        },
    )


@bounded(order="none")
def arguments_of_builders(env):
    return told(
        env,
        {
            "set_starting_offsets(text)": lambda: KafkaSource.builder().set_starting_offsets("earliest"),
            "set_bounded(text)": lambda: KafkaSource.builder().set_bounded("latest"),
            "set_value_only_deserializer(None)": lambda: KafkaSource.builder().set_value_only_deserializer(None),
            "set_property(text, number)": lambda: KafkaSource.builder().set_property("x", 1),
            "build without servers": lambda: KafkaSource.builder().set_topics("x").build(),
            "set_delivery_guarantee(text)": lambda: KafkaSink.builder().set_delivery_guarantee("exactly-once"),
            "set_delivery_guarantee": lambda: KafkaSink.builder().set_delivery_guarantee(DeliveryGuarantee.NONE),
            "set_record_serializer(schema)": lambda: KafkaSink.builder().set_record_serializer(SimpleStringSchema()),
            "build of a serializer without a topic": lambda: (
                KafkaRecordSerializationSchema.builder().set_value_serialization_schema(SimpleStringSchema()).build()
            ),
            "build of a serializer without a schema": lambda: (
                KafkaRecordSerializationSchema.builder().set_topic("x").build()
            ),
            "committed_offsets(text)": lambda: KafkaOffsetsInitializer.committed_offsets("latest"),
            "timestamp(text)": lambda: KafkaOffsetsInitializer.timestamp("1"),
            "from_source(text)": lambda: StreamExecutionEnvironment.get_execution_environment().from_source(
                "x", WatermarkStrategy.no_watermarks(), "x"
            ),
            "for_bounded_out_of_orderness(1)": lambda: WatermarkStrategy.for_bounded_out_of_orderness(1),
            "with_idleness(text)": lambda: WatermarkStrategy.no_watermarks().with_idleness("1 s"),
            "tumbling of(1)": lambda: TumblingEventTimeWindows.of(1),
            "tumbling of an offset beyond": lambda: TumblingEventTimeWindows.of(Time.seconds(1), Time.seconds(2)),
            "sliding of(1, 1)": lambda: SlidingEventTimeWindows.of(1, 1),
            "output tag without a name": lambda: OutputTag("", Types.STRING()),
            "output tag of str": lambda: OutputTag("x", str),
            "map descriptor without values": lambda: MapStateDescriptor("x", Types.STRING()),
            "duration of text": lambda: Duration.of_seconds("x"),
            "ROW of a type": lambda: Types.ROW(Types.STRING()),
            "Row with names and values": lambda: Row(1, a=2),
        },
    )


@bounded(order="none")
def arguments_of_collections(env):
    """Elements that are not of their type; only what the call itself says counts."""
    other = StreamExecutionEnvironment.get_execution_environment()
    return told(
        env,
        {
            "a number": lambda: other.from_collection(1),
            "nothing": lambda: other.from_collection([], Types.INT()),
            "nothing without a type": lambda: other.from_collection([]),
            "text as INT": lambda: other.from_collection(["x"], Types.INT()),
            "short tuple": lambda: other.from_collection([(1,)], Types.TUPLE([Types.INT(), Types.INT()])),
            "short row": lambda: other.from_collection([Row(1)], Types.ROW([Types.INT(), Types.INT()])),
            "type of str": lambda: other.from_collection(["x"], str),
        },
    )
