"""A sink that follows the recipe of docs/contributing.md, three modules outside of the package, in a job."""

from __future__ import annotations

import json
import zipfile
from itertools import chain
from pathlib import Path

import pytest

from kafkastream.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from kafkastream.errors import DefinitionError
from kafkastream.testing import KafkaBroker, Record, wait_until
from kafkastream.testing.pytest_plugin import NewTopic
from tests.toy_sink import JsonLineSink

PACKAGE = Path(__file__).parents[1] / "toy_sink"


def zipped(folder: Path) -> str:
    """The package as users ship theirs to the workers."""
    with zipfile.ZipFile(folder / "toy.zip", "w") as archive:
        for module in PACKAGE.glob("*.py"):
            archive.write(module, f"tests/{PACKAGE.name}/{module.name}")
    return str(folder / "toy.zip")


def written(folder: Path) -> list[list[str]]:
    """The elements of each file, in the order of micro-batches and partitions."""
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in sorted(folder.glob("*.jsonl"))]


def test_the_recipe_takes_three_files() -> None:
    assert len(list(PACKAGE.glob("*.py"))) == 3


@pytest.mark.usefixtures("spark")
def test_a_sink_of_the_users_writes_micro_batches(kafka: KafkaBroker, new_topic: NewTopic, tmp_path: Path) -> None:
    topic, out = new_topic(partitions=2), tmp_path / "out"
    kafka.produce(topic, [Record("a", partition=0), Record("b", partition=1)])
    configuration = Configuration().set_string("execution.checkpointing.dir", str(tmp_path / "checkpoint"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.add_python_file(zipped(tmp_path))
    builder = KafkaSource.builder().set_bootstrap_servers(kafka.bootstrap_servers).set_topics(topic)
    source = builder.set_starting_offsets(KafkaOffsetsInitializer.earliest())
    words = env.from_source(
        source.set_value_only_deserializer(SimpleStringSchema()).build(), WatermarkStrategy.no_watermarks(), "words"
    )
    words.map(str.upper, Types.STRING()).sink_to(JsonLineSink(str(out))).uid("lines")
    job = env.execute_async("toy")
    wait_until(lambda: written(out) == [["A"], ["B"]], 60, "the first micro-batch")
    kafka.produce(topic, [Record("c", partition=0), Record("d", partition=0)])
    wait_until(lambda: sum(map(len, written(out))) == 4, 60, "the second micro-batch")
    job.cancel()
    assert list(chain(*written(out)[2:])) == ["C", "D"]


def test_the_value_says_what_the_start_of_a_job_shows() -> None:
    assert JsonLineSink("/out").target_text == "lines in /out"


def test_a_wrong_value_is_told_when_it_is_made() -> None:
    with pytest.raises(DefinitionError, match="'out' is not an absolute path"):
        JsonLineSink("out")
