"""The door builds a graph and nothing more; what cannot be built is refused where it is written."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any

import pytest

from kafkastream.common import (
    Configuration,
    Row,
    SimpleStringSchema,
    Time,
    TypeInformation,
    Types,
    WatermarkStrategy,
)
from kafkastream.datastream import (
    CheckpointingMode,
    FilterFunction,
    MapFunction,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
)
from kafkastream.datastream.connectors import Source
from kafkastream.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from kafkastream.datastream.connectors.number_seq import NumberSequenceSource
from kafkastream.datastream.window import TumblingEventTimeWindows
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.graph.job_graph import (
    CollectionSource,
    JobGraph,
    OperatorKind,
    OperatorNode,
    PrintSink,
    SinkNode,
    SourceNode,
)
from kafkastream.options.flink_settings import setting_notes


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    return StreamExecutionEnvironment.get_execution_environment()


def source(*, bounded: bool = False) -> KafkaSource[str]:
    builder = KafkaSource.builder().set_bootstrap_servers("k:9092").set_topics("t")
    if bounded:
        builder.set_bounded(KafkaOffsetsInitializer.latest())
    return builder.set_value_only_deserializer(SimpleStringSchema()).build()


def sink() -> KafkaSink[str]:
    schema = KafkaRecordSerializationSchema.builder().set_topic("out")
    records = schema.set_value_serialization_schema(SimpleStringSchema()).build()
    return KafkaSink.builder().set_bootstrap_servers("k:9092").set_record_serializer(records).build()


def plan(env: StreamExecutionEnvironment) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = json.loads(env.get_execution_plan())["nodes"]
    return nodes


class Upper(MapFunction[str, str]):
    def map(self, value: str) -> str:
        return value.upper()


class Any_(FilterFunction[Any]):  # noqa: N801 - a name that says what it keeps
    def filter(self, value: Any) -> bool:
        return True


def test_the_door_builds_a_graph(env: StreamExecutionEnvironment) -> None:
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    upper = str.upper
    env.from_source(source(), strategy, "texts").map(upper, Types.STRING()).name("up").uid("u").set_parallelism(
        3
    ).print("p")
    assert env._graph() == JobGraph(
        (
            SourceNode(id=1, name="texts", source=source(), watermarks=strategy, output_type=Types.STRING()),
            OperatorNode(
                id=2,
                name="up",
                uid="u",
                parallelism=3,
                input=1,
                kind=OperatorKind.MAP,
                function=upper,
                output_type=Types.STRING(),
            ),
            SinkNode(id=3, name="Print to Std. Out", input=2, sink=PrintSink("p"), output_type=Types.STRING()),
        )
    )


def test_types_follow_the_stream(env: StreamExecutionEnvironment) -> None:
    texts = env.from_source(source(), WatermarkStrategy.no_watermarks(), "texts")
    assert texts.get_type() == Types.STRING()
    assert texts.filter(bool).get_type() == Types.STRING()
    assert texts.map(len).get_type() is None
    assert texts.map(len, Types.INT()).get_type() == Types.INT()
    assert texts.union(texts).get_type() == Types.STRING()
    assert env.from_collection([1], Types.INT()).get_type() == Types.INT()


def test_plan_shows_names_and_parallelism(env: StreamExecutionEnvironment) -> None:
    env.set_parallelism(2)
    stream = env.from_elements("a").map(Upper()).name("up").set_parallelism(1)
    stream.union(env.from_elements("b")).sink_to(sink()).name("out")
    assert [(node["type"], node["pact"], node["parallelism"]) for node in plan(env)] == [
        ("Source: Collection Source", "Data Source", 2),
        ("up", "Operator", 1),
        ("Source: Collection Source", "Data Source", 2),
        ("Union", "Operator", 2),
        ("Sink: out", "Data Sink", 2),
    ]
    assert [predecessor["id"] for predecessor in plan(env)[3]["predecessors"]] == [2, 3]


def test_operators_run_without_a_sink(env: StreamExecutionEnvironment) -> None:
    numbers = env.from_elements(1)
    numbers.map(str)
    numbers.filter(bool).print()
    numbers.union(env.from_elements(2))
    assert [node["type"] for node in plan(env)] == [
        "Source: Collection Source",
        "Map",
        "Filter",
        "Sink: Print to Std. Out",
    ]
    env._forget_started()
    numbers.map(str).map(len)
    assert [node["type"] for node in plan(env)] == ["Source: Collection Source", "Map", "Map"]


def test_a_job_without_operators_is_refused(env: StreamExecutionEnvironment) -> None:
    env.from_elements(1).union(env.from_elements(2))
    for start in (env.get_execution_plan, env.execute, env.execute_async):
        with pytest.raises(DefinitionError, match="No operators defined in streaming topology"):
            start()


def test_what_was_started_is_not_started_again(env: StreamExecutionEnvironment) -> None:
    numbers = env.from_elements(1)
    numbers.print()
    assert len(env._graph().sinks) == 1
    env._forget_started()
    with pytest.raises(DefinitionError, match="No operators defined"):
        env.execute()
    numbers.map(str).print()
    assert [node["type"] for node in plan(env)] == ["Source: Collection Source", "Map", "Sink: Print to Std. Out"]


class Primes(Source[int]):
    """A bounded source by the recipe of docs/contributing.md."""

    @property
    def elements(self) -> tuple[int, ...]:
        """The first ones."""
        return 2, 3, 5

    def get_produced_type(self) -> TypeInformation[int]:
        """Whole numbers."""
        return Types.INT()


def test_a_bounded_source_of_the_users_is_its_elements(env: StreamExecutionEnvironment) -> None:
    primes = env.from_source(Primes(), WatermarkStrategy.no_watermarks(), "primes")
    primes.print()
    assert primes.get_type() == Types.INT()
    (node,) = env._graph().sources
    assert node.source == CollectionSource((2, 3, 5))


@pytest.mark.parametrize("function", [Any_(), 5, "text", None], ids=lambda function: type(function).__name__)
def test_operators_take_functions_of_their_kind(env: StreamExecutionEnvironment, function: Any) -> None:
    with pytest.raises(TypeError, match="must be a function of 1 argument or a MapFunction"):
        env.from_elements(1).map(function)


def test_other_things_in_the_wrong_place_are_type_errors(env: StreamExecutionEnvironment) -> None:
    stream: Any = env.from_elements("a")
    door: Any = env
    with pytest.raises(TypeError, match="must be a Sink, not a KafkaSource"):
        stream.sink_to(source())
    with pytest.raises(TypeError, match="must be a Source, not a KafkaSink"):
        door.from_source(sink(), WatermarkStrategy.no_watermarks(), "s")
    with pytest.raises(TypeError, match=r"not the function Types.INT\n  Call it: Types.INT\(\)"):
        door.from_collection([1], Types.INT)
    with pytest.raises(DefinitionError, match="limit 0 is less than 1"):
        stream.execute_and_collect(limit=0)
    with pytest.raises(TypeError, match="must be a ProcessFunction"):
        stream.process(str.upper)


def test_streams_of_two_environments_do_not_unite(env: StreamExecutionEnvironment) -> None:
    other = StreamExecutionEnvironment.get_execution_environment()
    with pytest.raises(DefinitionError, match="two environments"):
        env.from_elements(1).union(other.from_elements(2))


@pytest.mark.parametrize("parallelism", [0, -1])
def test_parallelism_is_one_or_more(env: StreamExecutionEnvironment, parallelism: int) -> None:
    for target in (env, env.from_elements(1)):
        with pytest.raises(DefinitionError, match=f"parallelism {parallelism} is less than 1"):
            target.set_parallelism(parallelism)


def test_batch_mode_wants_bounded_sources(env: StreamExecutionEnvironment) -> None:
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.from_source(source(bounded=True), WatermarkStrategy.no_watermarks(), "ends").print()
    assert len(plan(env)) == 2
    env.from_source(source(), WatermarkStrategy.no_watermarks(), "endless").print()
    with pytest.raises(DefinitionError, match="unbounded source cannot run in BATCH mode") as raised:
        env.get_execution_plan()
    assert raised.value.where == "source 'endless'"


def test_settings_come_from_calls_and_configuration() -> None:
    configuration = Configuration().set_string("pipeline.name", "orders").set_string("state.checkpoints.dir", "/old")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    assert (env.get_parallelism(), env.get_checkpoint_config().is_checkpointing_enabled()) == (-1, False)
    env.set_parallelism(3).enable_checkpointing(500, CheckpointingMode.AT_LEAST_ONCE)
    settings = env._settings(None)
    assert (settings.name, settings.parallelism) == ("orders", 3)
    assert (settings.checkpoint_dir, settings.checkpoint_interval_ms) == ("/old", 500)
    assert env._settings("given").name == "given"
    env.get_checkpoint_config().set_checkpoint_storage_dir("/new")
    assert env._settings(None).checkpoint_dir == "/new"
    assert env.get_checkpoint_config().get_checkpointing_mode() is CheckpointingMode.AT_LEAST_ONCE
    assert not configuration.contains_key("parallelism.default")


def test_checkpoint_interval_must_be_positive(env: StreamExecutionEnvironment) -> None:
    with pytest.raises(DefinitionError, match="interval 0 ms is not positive"):
        env.enable_checkpointing(0)


def test_jars_of_flink_are_accepted_and_noted(env: StreamExecutionEnvironment) -> None:
    env.add_jars("file:///flink-connector-kafka.jar", "file:///b.jar")
    env.add_jars("file:///c.jar")
    env.add_classpaths("file:///lib")
    env.register_cached_file("/data/cities.csv", "cities")
    assert env.get_configuration().to_dict() == {
        "pipeline.jars": "file:///flink-connector-kafka.jar;file:///b.jar;file:///c.jar",
        "pipeline.classpaths": "file:///lib",
        "pipeline.cached-files": "name:cities,path:/data/cities.csv,executable:false",
    }
    assert list(setting_notes(env.get_configuration().to_dict())) == [
        "no effect on Spark: pipeline.cached-files, pipeline.classpaths, pipeline.jars; docs/support.md has the reasons"
    ]


def test_collections_are_kept_as_they_were(env: StreamExecutionEnvironment) -> None:
    elements = [1, 2]
    env.from_collection(elements).print()
    elements.append(3)
    (node,) = env._graph().sources
    assert node.source == CollectionSource((1, 2))


def test_windows_without_keys_have_the_rules_of_those_with_keys(env: StreamExecutionEnvironment) -> None:
    texts, assigner = env.from_collection(["a"], Types.STRING()), TumblingEventTimeWindows.of(Time.seconds(1))
    for windowed in (texts.key_by(len).window(assigner), texts.window_all(assigner)):
        assert windowed.reduce(lambda one, other: one + other).get_type() == Types.STRING()
        with pytest.raises(TypeError, match="must be an AggregateFunction, not the function len"):
            windowed.aggregate(len)  # type: ignore[call-overload]  # what this test is about


def test_sequences_are_ranges(env: StreamExecutionEnvironment) -> None:
    numbers = env.from_sequence(1, 10**12)
    numbers.print()
    own = env.from_source(NumberSequenceSource(-(2**63), 2**63 - 1), WatermarkStrategy.no_watermarks(), "all")
    own.print()
    assert [node.source for node in env._graph().sources] == [
        CollectionSource(range(1, 10**12 + 1)),
        CollectionSource(range(-(2**63), 2**63)),
    ]
    assert numbers.get_type() == own.get_type() == Types.LONG()
    assert numbers.get_name() == "Sequence Source"


@pytest.mark.parametrize(("start", "end"), [(2, 1), (0, 2**63), (-(2**63) - 1, 0)])
def test_sequences_end_after_their_start(env: StreamExecutionEnvironment, start: int, end: int) -> None:
    with pytest.raises(DefinitionError):
        env.from_sequence(start, end)


def test_operators_take_what_can_be_set_of_them(env: StreamExecutionEnvironment) -> None:
    hash_of_uid = "0123456789abcdefABCDEF0123456789"
    stream = (
        env.set_parallelism(4).from_elements("a").map(str).set_description("texts of all").set_uid_hash(hash_of_uid)
    )
    stream.set_max_parallelism(8).set_buffer_timeout(5).start_new_chain().disable_chaining().slot_sharing_group("own")
    sink = stream.force_non_parallel().print().set_description("shown").disable_chaining().slot_sharing_group("own")
    assert sink.name("out") is sink
    assert [(node["contents"], node["parallelism"]) for node in plan(env)] == [
        ("Source: Collection Source", 4),
        ("texts of all", 1),
        ("shown", 4),
    ]
    assert env._graph()[2].uid == hash_of_uid
    assert stream.get_execution_config().get_parallelism() == 4
    with pytest.raises(DefinitionError, match="'short' is not a node hash"):
        stream.set_uid_hash("short")
    with pytest.raises(DefinitionError, match="maximum parallelism 0 is out of bounds"):
        stream.set_max_parallelism(0)


REFUSED_ON_KEYS = [
    "name",
    "uid",
    "get_name",
    "getName",
    "set_uid_hash",
    "setUidHash",
    "set_description",
    "setDescription",
    "set_parallelism",
    "setParallelism",
    "set_max_parallelism",
    "setMaxParallelism",
    "force_non_parallel",
    "forceNonParallel",
    "set_buffer_timeout",
    "setBufferTimeout",
    "start_new_chain",
    "startNewChain",
    "disable_chaining",
    "disableChaining",
    "slot_sharing_group",
    "slotSharingGroup",
    "cache",
    "shuffle",
    "rebalance",
    "rescale",
    "forward",
    "broadcast",
    "partition_custom",
    "partitionCustom",
]


@pytest.mark.parametrize("method", REFUSED_ON_KEYS)
def test_a_keyed_stream_is_no_operator(env: StreamExecutionEnvironment, method: str) -> None:
    keyed = env.from_elements("a").key_by(len)
    with pytest.raises(DefinitionError, match=f"{method[:3]}.* cannot be called on a keyed stream"):
        getattr(keyed, method)("argument")


def test_where_elements_go_changes_nothing(env: StreamExecutionEnvironment) -> None:
    numbers = env.from_collection([1, 2]).shuffle().rebalance().rescale().forward()
    numbers.map(str).print()
    assert [type(node) for node in env._graph().nodes] == [SourceNode, OperatorNode, SinkNode]
    with pytest.raises(UnsupportedFeatureError, match="custom partitioning is not supported"):
        numbers.partition_custom(lambda key, number: 0, lambda element: element)


def test_projections_keep_fields_of_tuples(env: StreamExecutionEnvironment) -> None:
    pairs = env.from_collection([(1, "a", True)], Types.TUPLE([Types.INT(), Types.STRING(), Types.BOOLEAN()]))
    for stream in (pairs, pairs.key_by(len)):
        projected = stream.project(2, 0)
        assert projected.get_type() == Types.TUPLE([Types.BOOLEAN(), Types.INT()])
        assert projected.get_name() == "Projection"
    for wrong in ((3,), (-1,), ()):
        with pytest.raises(DefinitionError, match="to project"):
            pairs.project(*wrong)
    for texts in (env.from_elements("a"), env.from_collection(["a"], Types.STRING())):
        with pytest.raises(DefinitionError, match="only tuples can be projected"):
            texts.project(0)


ROW = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])


@pytest.mark.parametrize(
    ("element", "type_info"),
    [
        ("a", Types.STRING()),
        (None, Types.INT()),
        (2**63 - 1, Types.LONG()),
        (1, Types.DOUBLE()),
        (Decimal(1), Types.BIG_DEC()),
        (datetime.date(2020, 1, 1), Types.SQL_DATE()),
        (Row("a", 1), ROW),
        (("a", None), ROW),
        ({"name": "a", "age": 1}, ROW),
        ([("a", 1)], Types.LIST(Types.TUPLE([Types.STRING(), Types.INT()]))),
        ({"a": [1.5]}, Types.MAP(Types.STRING(), Types.BASIC_ARRAY(Types.DOUBLE()))),
        (b"\xff", Types.PRIMITIVE_ARRAY(Types.BYTE())),
        (range(3), Types.PICKLED_BYTE_ARRAY()),
    ],
    ids=str,
)
def test_elements_of_their_type_are_taken(
    env: StreamExecutionEnvironment, element: object, type_info: TypeInformation[Any]
) -> None:
    assert env.from_collection([element], type_info).get_type() == type_info


@pytest.mark.parametrize(
    ("element", "type_info", "expected"),
    [
        ((1, "x"), Types.ROW([Types.INT(), Types.STRING()]), Row(f0=1, f1="x")),
        (["a", 1], ROW, Row(name="a", age=1)),
        (Row(age=1, name="a"), ROW, Row(name="a", age=1)),
        ({"age": 1}, ROW, Row(name=None, age=1)),
        (["a", 1], Types.TUPLE([Types.STRING(), Types.INT()]), ("a", 1)),
        (
            (2, ("b", 2)),
            Types.ROW_NAMED(["id", "in"], [Types.LONG(), ROW]),
            Row(**{"id": 2, "in": Row(name="b", age=2)}),
        ),
        (0.1, Types.FLOAT(), 0.10000000149011612),
        (datetime.time(1, 2, 3, 456789), Types.SQL_TIME(), datetime.time(1, 2, 3, 456000)),
    ],
    ids=str,
)
def test_elements_become_values_of_their_type(
    env: StreamExecutionEnvironment, element: object, type_info: TypeInformation[Any], expected: object
) -> None:
    env.from_collection([element], type_info).print()
    (source,) = env._graph().sources
    assert isinstance(source.source, CollectionSource)
    assert repr(source.source.elements) == repr((expected,))


@pytest.mark.parametrize(
    ("element", "type_info", "what"),
    [
        (1, Types.STRING(), "1 is not of type String"),
        ("1", Types.INT(), "'1' is not of type Integer"),
        (True, Types.INT(), "True is not of type Integer"),
        (2**31, Types.INT(), "2147483648 is not of type Integer"),
        (1, Types.BOOLEAN(), "1 is not of type Boolean"),
        ("ab", Types.CHAR(), "'ab' is not of type Char"),
        (datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc), Types.SQL_DATE(), "is not of type DateTypeInfo"),
        (("a", "b"), ROW, "'b' is not of type Integer"),
        (Row("a"), ROW, "has 1 fields, not the 2 of RowTypeInfo"),
        ({"name": 5}, ROW, "5 is not of type String"),
        (Row(a="a", b=1), ROW, "has the fields 'a', 'b', not the 2 of RowTypeInfo"),
        ({"a": "a"}, ROW, "has the fields 'a', not the 2 of RowTypeInfo"),
        ("ab", Types.TUPLE([Types.STRING(), Types.STRING()]), "'ab' is not of type TupleTypeInfo"),
        ([1, "b"], Types.LIST(Types.INT()), "'b' is not of type Integer"),
        ({1: "a"}, Types.MAP(Types.STRING(), Types.STRING()), "1 is not of type String"),
    ],
    ids=str,
)
def test_elements_of_another_type_are_told(
    env: StreamExecutionEnvironment, element: object, type_info: TypeInformation[Any], what: str
) -> None:
    with pytest.raises(DefinitionError, match=what) as raised:
        env.from_collection([None, element], type_info)
    assert raised.value.where.startswith("element 2 of the collection: ")
    assert "Declare the type that the elements have" in raised.value.now
