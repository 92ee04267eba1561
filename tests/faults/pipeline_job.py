"""A pipeline under attack: ``python pipeline_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE [LAKE]``.

It writes to a topic, or to two Delta Lake tables below ``FAULTS/LAKE``, one of them with a primary key.
Its records get a column more from time to time, so that schemas change under the attacks.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from kafkastream.cdc.formats.json_reader import Json
from kafkastream.cdc.spec.kafka_sink import KafkaPipelineSink, PartitionStrategy
from kafkastream.cdc.spec.kafka_source import KafkaPipelineSource
from kafkastream.cdc.spec.pipeline import PipelineSpec
from kafkastream.cdc.spec.rules import TransformRule
from kafkastream.cdc.spec.settings import PipelineFunction, PipelineSettings
from kafkastream.cdc.spec.simple_sinks import DeltaSink
from kafkastream.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaSink,
    KafkaSource,
)
from kafkastream.spark.job.pipelines import start
from kafkastream.table.udf import FunctionContext, ScalarFunction, udf
from tests.faults.copy_job import INTERVAL_MS, TIMEOUT_MS
from tests.faults.saboteur import install_on_driver

FAULTS = sys.argv[5] if len(sys.argv) > 5 else ""
TABLES = ("even", "odd")
_NUMBERS_PER_COLUMN = 1000


def record(number: int) -> str:
    """Return what the pipeline reads: a column more for each thousand."""
    more = {f"column_{place}": number for place in range(number // _NUMBERS_PER_COLUMN)}
    return json.dumps({"number": number, "kind": TABLES[number % 2], **more})


def number_of(message: str) -> str:
    """Return what a message of the pipeline's tells of."""
    return str(json.loads(message)["after"]["number"])


class Sabotaged(ScalarFunction):
    """Returns something random, which makes two attempts differ, and lets its worker come by the saboteur's points."""

    def __init__(self, faults: str) -> None:
        self._faults = faults

    def open(self, function_context: FunctionContext) -> None:
        sys.path.insert(0, str(Path(self._faults) / "code"))
        import saboteur  # type: ignore[import-not-found]

        saboteur.install(Path(self._faults))
        self._come_by = saboteur.come_by

    def eval(self, number: int) -> float:
        self._come_by(Path(self._faults), "in-operator")
        return number + random.random()


sabotaged = udf(Sabotaged(FAULTS), result_type="DOUBLE")


def main(
    servers: str, source: str, target: str, checkpoints: str, faults: str, guarantee: str, lake: str | None = None
) -> None:
    reads = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(source).set_group_id("faults")
    configuration = {
        "execution.checkpointing.interval": str(INTERVAL_MS),
        "execution.checkpointing.dir": checkpoints,
    }
    format_ = Json() if lake is None else Json(table_id_fields=("kind",))
    pipeline = PipelineSpec(
        source=KafkaPipelineSource.of(
            reads.set_starting_offsets(KafkaOffsetsInitializer.earliest()), value_format=format_
        ),
        sink=_topic(servers, target, guarantee) if lake is None else DeltaSink(path=str(Path(faults) / lake)),
        transforms=tuple(_rules((source,) if lake is None else TABLES)),
        settings=PipelineSettings(
            name="faults",
            functions=(PipelineFunction("sabotaged", "__main__.sabotaged"),),
            configuration=configuration,
        ),
    )
    if lake is not None:
        install_on_driver(Path(faults))
    start(pipeline).wait()


def _topic(servers: str, target: str, guarantee: str) -> KafkaPipelineSink:
    writes = (
        KafkaSink.builder()
        .set_bootstrap_servers(servers)
        .set_delivery_guarantee(DeliveryGuarantee[guarantee])
        .set_transactional_id_prefix("faults")
        .set_property("transaction.timeout.ms", str(TIMEOUT_MS))
    )
    return KafkaPipelineSink.of(writes, topic=target, partition_strategy=PartitionStrategy.HASH_BY_KEY)


def _rules(tables: Sequence[str]) -> Iterator[TransformRule]:
    """Yield the rules of tables, of which the first gets a primary key."""
    for place, table in enumerate(tables):
        keys = () if place else ("number",)
        yield TransformRule(source_table=table, projection="*, SABOTAGED(number) AS chance", primary_keys=keys)


if __name__ == "__main__":
    main(*sys.argv[1:])
