"""What an environment is told reaches the functions; sequences are read piece by piece."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kafkastream.common import RestartStrategies, Types
from kafkastream.datastream import MapFunction, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.connectors.kafka import DeliveryGuarantee
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.spark.job import chain_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.integration.conftest import Parts


class Told(MapFunction[Any, str]):
    """What it may ask for."""

    def open(self, runtime_context: RuntimeContext) -> None:
        asked = runtime_context.get_job_parameter
        self.told = f"{asked('region', 'none')} {asked('other', 'none')}"
        self.told += f" {runtime_context.get_max_number_of_parallel_subtasks()}"

    def map(self, value: Any) -> str:
        import shipped_alone  # type: ignore[import-not-found]  # what this test ships
        import shipped_package.inside  # type: ignore[import-not-found]

        return f"{value} {self.told} {shipped_alone.NAME} {shipped_package.inside.NAME}"


def test_functions_get_parameters_and_shipped_modules(env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    alone, archive = tmp_path / "shipped_alone.py", tmp_path / "shipped.zip"
    alone.write_text("NAME = 'alone'\n")
    with zipfile.ZipFile(archive, "w") as package:
        package.writestr("shipped_package/__init__.py", "")
        package.writestr("shipped_package/inside.py", "NAME = 'inside'\n")
    config = env.get_config().set_global_job_parameters({"region": "north"})
    config.set_parallelism(1).set_max_parallelism(64)
    env.add_python_file(str(alone))
    env.add_python_file(archive.as_uri())
    numbers = env.from_sequence(7, 8).key_by(str).map(Told(), Types.STRING())
    told = "north none 64 alone inside"
    assert sorted(numbers.map(Told()).execute_and_collect()) == [f"{n} {told} {told}" for n in (7, 8)]


def test_what_cannot_be_shipped_is_told(env: StreamExecutionEnvironment, tmp_path: Path) -> None:
    env.add_python_file(str(tmp_path))
    env.from_elements(1).print()
    with pytest.raises(DefinitionError, match="Spark ships files, not directories"):
        env.execute()
    other = StreamExecutionEnvironment.get_execution_environment()
    other.add_python_file(str(tmp_path / "missing.py"))
    other.from_elements(1).print()
    with pytest.raises(DefinitionError, match="cannot be shipped to the workers") as raised:
        other.execute()
    assert "missing.py" in raised.value.what


def test_workers_have_one_python(env: StreamExecutionEnvironment) -> None:
    env.set_python_executable("/another/python")
    env.from_elements(1).print()
    with pytest.raises(UnsupportedFeatureError, match=r"workers' Python is .*, not /another/python"):
        env.execute()


def test_generated_classes_of_many_stages_are_kept(spark: SparkSession) -> None:
    """A query of eight stages generates more than Spark's default of 100, and would do so again in each micro-batch."""
    assert int(str(spark.conf.get("spark.sql.codegen.cache.maxEntries"))) >= 1000


def test_sequences_are_read_in_order_and_no_further_than_wanted(env: StreamExecutionEnvironment) -> None:
    assert list(env.from_sequence(-2, 2).execute_and_collect()) == [-2, -1, 0, 1, 2]
    endless = env.from_sequence(2**63 - 1 - 10**15, 2**63 - 1)
    assert endless.filter(lambda number: number % 2 == 0).execute_and_collect(limit=2) == [
        2**63 - 10**15,
        2**63 - 10**15 + 2,
    ]


def test_each_piece_of_a_sequence_is_written_once(
    env: StreamExecutionEnvironment, parts: Parts, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chain_plan, "_PIECE", 2)
    failed = tmp_path / "failed"

    def fails_once(number: int) -> str:
        if number == 4 and not failed.exists():
            failed.touch()
            raise ConnectionError
        return str(number)

    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(1, 0))
    sink = parts.sink_of(parts.serializer(topic), guarantee=DeliveryGuarantee.EXACTLY_ONCE)
    env.from_sequence(1, 5).map(fails_once, Types.STRING()).sink_to(sink)
    assert env.execute("pieces").get_metrics()["pieces.numRestarts"] == 1
    assert [str(value) for value in parts.values(topic, count=5)] == ["1", "2", "3", "4", "5"]
