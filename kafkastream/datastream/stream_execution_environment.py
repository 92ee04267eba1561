"""The environment, at PyFlink's path."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.data_stream import DataStream
from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.slot_sharing_group import SlotSharingGroup
from kafkastream.spec.configuration import Configuration
from kafkastream.spec.endpoints import SourceFunction
from kafkastream.spec.execution_config import ExecutionConfig
from kafkastream.spec.job import JobClient, JobExecutionResult
from kafkastream.spec.types import TypeInformation, Types
from kafkastream.spec.watermark import WatermarkStrategy

__all__ = [
    "CheckpointConfig",
    "CheckpointingMode",
    "Configuration",
    "DataStream",
    "ExecutionConfig",
    "JobClient",
    "JobExecutionResult",
    "RuntimeExecutionMode",
    "SlotSharingGroup",
    "SourceFunction",
    "StreamExecutionEnvironment",
    "TypeInformation",
    "Types",
    "WatermarkStrategy",
]
