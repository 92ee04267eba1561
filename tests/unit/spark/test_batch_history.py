from __future__ import annotations

from typing import Any, Final

from kafkastream.metrics.history import CompletedBatch
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.graph.job_graph import SourceNode
from kafkastream.spark.checkpoint.folder import OffsetRange
from kafkastream.spark.job.batch_history import micro_batches
from kafkastream.spark.plan.source_frames import KafkaInput
from tests.unit.page import jobs

CONTROL: Final = '{"layout of state": {}}'


def kafka_input() -> KafkaInput:
    (node,) = jobs.graph().sources
    assert isinstance(node, SourceNode)
    assert isinstance(node.source, KafkaSource)
    starts = {TopicPartition("orders", 0): 5, TopicPartition("orders", 1): 0}
    return KafkaInput(
        node=node,
        source=node.source,
        options={},
        offset_range=OffsetRange(starts),
        ends=False,
        key="orders",
        is_named=True,
    )


def report(**changes: Any) -> dict[str, Any]:
    """A report of Spark's of a micro-batch with a control stream, a Kafka source and a state."""
    return {
        "batchId": 3,
        "timestamp": "2023-11-14T22:13:20.000Z",
        "durationMs": {"triggerExecution": 900, "addBatch": 700, "walCommit": 50, "latestOffset": 4},
        "sources": [
            {"startOffset": None, "endOffset": CONTROL, "latestOffset": CONTROL},
            {
                "startOffset": '{"orders": {"0": 7}}',
                "endOffset": '{"orders": {"0": 10, "1": 4}}',
                "latestOffset": '{"orders": {"0": 30, "1": 4}}',
            },
        ],
        "stateOperators": [
            {
                "memoryUsedBytes": 100,
                "commitTimeMs": 9,
                "customMetrics": {"rocksdbSstFileSize": 4_000},
            },
            {"memoryUsedBytes": 100, "commitTimeMs": 1, "customMetrics": {}},
        ],
        **changes,
    }


def test_a_report_becomes_a_micro_batch() -> None:
    expected = CompletedBatch(
        part="part",
        number=3,
        began_ms=1_700_000_000_000,
        duration_ms=900,
        phases_ms={"addBatch": 700, "walCommit": 50, "latestOffset": 4},
        rows=7,  # of a partition that is new, from its start
        state_bytes=4_100,
        state_commit_ms=10,
        lag=20,
    )
    assert micro_batches("part", [kafka_input()], [report()]) == (expected,)


def test_records_before_the_first_micro_batch_do_not_count() -> None:
    first = report()
    first["sources"][1]["startOffset"] = None
    (batch,) = micro_batches("part", [kafka_input()], [first])
    assert batch.rows == (10 - 5) + 4


def test_reports_of_waiting_are_no_micro_batches() -> None:
    waits = report(durationMs={"triggerExecution": 4, "latestOffset": 4})
    assert [one.number for one in micro_batches("part", [kafka_input()], [waits, report(), waits])] == [3]
