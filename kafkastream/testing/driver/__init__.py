"""Test driver: runs a job graph in the test's own process, without Spark, Java and a broker.

- ``job_test_driver`` is the driver as tests use it, and ``driven_source`` one of its sources.
- ``stream_harness`` tests a function, or a few operators.
- ``programs`` gets the job of a script or function at its ``execute``; ``node_lookup`` finds its nodes by their names.
- ``job_run`` runs the job: its parts, the processing time, micro-batches, checkpoints; ``job_outputs`` has what came out.
- ``source_positions`` has what the sources read, and how far they have come.
- ``job_snapshot`` is the state that another driver continues from, by the rules of checkpoint folders.
- ``part_run`` runs a connected part of the graph: the engine's tasks of sources and keyed operators, micro-batch by micro-batch.
- ``capturing_sinks``, ``memory_backend`` and ``virtual_time`` replace brokers, Spark's state store and waiting.
"""

from __future__ import annotations

from kafkastream.operators.operator_state import OperatorState, WaitingTimer
from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.driven_source import DrivenSource
from kafkastream.testing.driver.job_snapshot import JobSnapshot
from kafkastream.testing.driver.job_test_driver import JobTestDriver
from kafkastream.testing.driver.stream_harness import StreamHarness

__all__ = [
    "DrivenSource",
    "JobSnapshot",
    "JobTestDriver",
    "OperatorState",
    "StreamHarness",
    "WaitingTimer",
    "WrittenRecord",
]
