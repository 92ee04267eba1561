"""Puts programs together to a job, on either engine: in PyFlink's words, as the programs themselves."""

from typing import Any

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import ProcessFunction
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)

from tests.differential.program import SEPARATOR

MIN_TIME = -(2**63)


class Shown(ProcessFunction):
    """Makes a line of each element: the program, the stream, the value and its event time."""

    def __init__(self, program, stream):
        self.prefix = f"{program}{SEPARATOR}{stream}{SEPARATOR}"

    def process_element(self, value, ctx):
        time = ctx.timestamp()
        shown = "" if time is None or time == MIN_TIME else " @now" if 10**12 < time < 10**13 else f" @{time}"
        yield f"{self.prefix}{value!r}{shown}"


class Only:
    """The elements of one program of all that share a topic."""

    def __init__(self, program):
        self.prefix = f"{program} "

    def __call__(self, value):
        return [value[len(self.prefix) :]] if value.startswith(self.prefix) else []


def lines_of(program: Any, result: Any) -> Any:
    """What a program's function returned, as streams of lines: a stream, or several by their names."""
    if result is None:
        return []
    streams = result if isinstance(result, dict) else {"": result}
    return [stream.process(Shown(str(program), name), Types.STRING()) for name, stream in streams.items()]


def united(streams: Any) -> Any:
    return streams[0].union(*streams[1:]) if len(streams) > 1 else streams[0]


def build_stepped(env: Any, programs: Any, servers: str, source: str, target: str) -> None:
    """A job of all programs that reads their steps from a topic, and writes lines to another."""
    lines = env.from_source(
        KafkaSource.builder()
        .set_bootstrap_servers(servers)
        .set_topics(source)
        .set_group_id("differential")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build(),
        WatermarkStrategy.no_watermarks(),
        "steps",
    )
    shown = []
    for program in programs:
        own = lines.flat_map(Only(str(program)), Types.STRING())
        shown += lines_of(program, program.build(own))
    united(shown).sink_to(
        KafkaSink.builder()
        .set_bootstrap_servers(servers)
        .set_record_serializer(
            KafkaRecordSerializationSchema.builder()
            .set_topic(target)
            .set_value_serialization_schema(SimpleStringSchema())
            .build()
        )
        .build()
    )
