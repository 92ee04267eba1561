"""The copying job in SQL: ``python sql_job.py SERVERS FROM TO CHECKPOINTS FAULTS GUARANTEE``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kafkastream.datastream.connectors.kafka import KafkaPartitioner
from kafkastream.table import EnvironmentSettings, TableEnvironment
from tests.faults.copy_job import INTERVAL_MS, TIMEOUT_MS

FAULTS = sys.argv[5] if len(sys.argv) > 5 else ""


class Sabotaged(KafkaPartitioner[Any]):
    """Chooses partitions by the number, and lets its worker come by the saboteur's points."""

    def __init__(self) -> None:
        self._faults = FAULTS

    def open(self, parallel_instance_id: int, parallel_instances: int) -> None:
        sys.path.insert(0, str(Path(self._faults) / "code"))
        from saboteur import install  # type: ignore[import-not-found]

        install(Path(self._faults))

    def partition(
        self, record: Any, key: bytes | None, value: bytes | None, target_topic: str, partitions: list[int]
    ) -> int:
        assert value is not None
        return partitions[int(value.split()[0]) % len(partitions)]


def main(servers: str, source: str, target: str, checkpoints: str, _: str, guarantee: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql(f"""
        CREATE TABLE numbers (n STRING) WITH (
          'connector' = 'kafka', 'topic' = '{source}', 'properties.bootstrap.servers' = '{servers}',
          'properties.group.id' = 'faults', 'scan.startup.mode' = 'earliest-offset', 'format' = 'raw'
        )
    """)
    copy(t_env, servers, target, checkpoints, guarantee)


def copy(t_env: TableEnvironment, servers: str, target: str, checkpoints: str, guarantee: str) -> None:
    """Write the numbers of table ``numbers``, each with what no second run would add again."""
    config = t_env.get_config()
    config.set("execution.checkpointing.interval", f"{INTERVAL_MS} ms")
    config.set("execution.checkpointing.dir", checkpoints)
    config.set("pipeline.name", "faults")
    t_env.execute_sql(f"""
        CREATE TABLE copies (copy STRING) WITH (
          'connector' = 'kafka', 'topic' = '{target}', 'properties.bootstrap.servers' = '{servers}', 'format' = 'raw',
          'sink.delivery-guarantee' = '{guarantee.lower().replace("_", "-")}',
          'sink.transactional-id-prefix' = 'faults', 'properties.transaction.timeout.ms' = '{TIMEOUT_MS}',
          'sink.partitioner' = '__main__:Sabotaged'
        )
    """)
    t_env.execute_sql("INSERT INTO copies SELECT CONCAT(n, ' ', CAST(RAND() AS STRING)) FROM numbers").wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
