"""Hostile binary records in a worker of Spark, many in one job: none kills it, and each malformed one is skipped."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import fastavro
import pytest

from kafkastream.model.formats import AvroRowDeserializationSchema
from kafkastream.model.formats.avro_schema import avro_reader, parsed_schema, registered_reader
from kafkastream.model.formats.malformed import RecordLimits
from kafkastream.model.formats.schema_registry import RegisteredSchema
from kafkastream.spark.internals.python import map_in_arrow, set_record_limits
from kafkastream.spark.session.query_settings import job_session
from kafkastream.spark.session.session import local_frame
from tests.fuzz.test_any_protobuf_message import COLUMNS, DescriptorProto, Struct, nested
from tests.fuzz.test_avro import ROW, encoded
from tests.fuzz.worker_outcomes import chance, decoding
from tests.unit.spark.tables.frames import read, table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RECORDS: Final = 1_500
NODE: Final = {"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
NULLS: Final = {"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "array", "items": "null"}}]}
INT: Final = {"type": "record", "name": "Node", "fields": [{"name": "i", "type": "int", "default": 1}]}
ISSUE: Final = (b"\2" * 5_000 + b"\0", b"\2" * 500_000 + b"\0", b"\x80\x84\xaf\x5f\0", b"\xff" * 9 + b"\1\2\0", b"")

pytestmark = pytest.mark.usefixtures("spark")


def decoders() -> dict[str, Callable[[bytes], Any]]:
    return {
        "recursive": avro_reader(parsed_schema(NODE)),
        "nulls": avro_reader(parsed_schema(NULLS)),
        "row": AvroRowDeserializationSchema(avro_schema_string=json.dumps(ROW)).deserialize,
        "writer": registered_reader(RegisteredSchema(json.dumps(NODE)), json.dumps(INT)),
    }


def messages(samples: tuple[bytes, ...]) -> list[bytes]:
    """Return samples with parts replaced by hostile bytes; others under ``make fuzz`` each time."""
    numbers = chance()
    parts = (
        lambda: numbers.randbytes(numbers.randrange(12)),
        lambda: encoded(numbers.choice((-1, 0, 1, 1_001, 10**9, 2**62, -(2**63)))),
        lambda: numbers.choice((b"\2", b"\0", b"\1", b"\xff", b"\x0a\0", b"\x7b")) * numbers.randrange(9_000),
        lambda: nested(b"\x0a", numbers.randrange(300)),
    )

    def mutated(sample: bytes) -> bytes:
        start, end = sorted(numbers.randrange(len(sample) + 1) for _ in range(2))
        return sample[:start] + numbers.choice(parts)() + sample[end:]

    return [mutated(numbers.choice(samples)) for _ in range(RECORDS)]


def test_avro(spark: SparkSession) -> None:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, parsed_schema(NODE), {"next": {"next": None}})
    hostile = [*ISSUE, *messages((*ISSUE[:1], out.getvalue(), b"\x0e\2\4abc" * 5))]
    frame = local_frame(job_session(spark), [(message,) for message in hostile], "message binary")
    outcomes: Counter[str] = Counter()
    for name, number in map_in_arrow(frame, decoding(decoders), "outcome string, number bigint").collect():
        outcomes[name] += number
    kinds = {f"{name} {outcome}" for name in decoders() for outcome in ("read", "malformed")}
    assert set(outcomes) <= kinds, outcomes
    assert sum(outcomes.values()) == len(decoders()) * len(hostile)
    assert all(outcomes[kind] for kind in kinds - {"row read"}), outcomes


def test_a_jobs_limits_reach_its_workers(spark: SparkSession) -> None:
    session = job_session(spark)
    set_record_limits(session, RecordLimits(depth=3))
    three = b"\2\2\0"
    rows = [(three,), (b"\2" + three,)]

    def outcomes(own: SparkSession) -> dict[str, int]:
        frame = local_frame(own, rows, "message binary")
        found = map_in_arrow(frame.coalesce(1), decoding(decoders), "outcome string, number bigint").collect()
        return {name: number for name, number in found if name.startswith("recursive")}

    assert outcomes(session) == {"recursive read": 1, "recursive malformed": 1}
    assert outcomes(job_session(spark)) == {"recursive read": 2}


@pytest.mark.parametrize("name", COLUMNS)
def test_protobuf_that_is_malformed_is_skipped(spark: SparkSession, name: str) -> None:
    kind: Any = {message.DESCRIPTOR.name: message for message in (DescriptorProto, Struct)}[name.partition(":")[2]]
    honest = [kind(), kind()]
    honest[1].ParseFromString(b"\x0a\x03" + (b"abc" if kind is DescriptorProto else b"\x0a\1a"))
    samples = tuple(message.SerializeToString() for message in honest)
    hostile = messages(samples)
    options = {"format": "protobuf", "protobuf.message-class-name": name, "protobuf.ignore-parse-errors": "true"}
    rows = read(job_session(spark), table(COLUMNS[name], options), [samples[1], *hostile, samples[1]])
    assert {0, len(hostile) + 1} <= {offset for offset, *_ in rows}
    read_by_protobuf = [is_read(kind, message) for message in hostile]
    assert len(rows) == sum(read_by_protobuf) + 2


def is_read(kind: Any, message: bytes) -> bool:
    try:
        kind.FromString(message)
    except Exception:  # noqa: BLE001 - whatever Protobuf raises
        return False
    return True
