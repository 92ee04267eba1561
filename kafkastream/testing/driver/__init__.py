"""Test driver: runs a job graph in the test's own process, without Spark, Java and a broker.

- ``job_test_driver`` is the driver, with its sources and the processing time.
- ``stream_harness`` tests a function, or a few operators.
- ``operator_state`` reads and sets keyed state.
- ``part_run`` runs a connected part of the graph: the engine's tasks of sources and keyed operators, micro-batch by micro-batch.
- ``capturing_sinks``, ``memory_backend`` and ``virtual_time`` replace brokers, Spark's state store and waiting.
- ``programs`` gets the job of a script or function at its ``execute``.
"""

from __future__ import annotations

from kafkastream.testing.driver.capturing_sinks import WrittenRecord
from kafkastream.testing.driver.job_test_driver import DrivenSource, JobSnapshot, JobTestDriver
from kafkastream.testing.driver.operator_state import OperatorState, WaitingTimer
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
