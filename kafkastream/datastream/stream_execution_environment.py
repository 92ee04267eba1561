"""``StreamExecutionEnvironment`` at PyFlink's path."""

from __future__ import annotations

from kafkastream.datastream.checkpoint_config import CheckpointConfig
from kafkastream.datastream.checkpointing_mode import CheckpointingMode
from kafkastream.datastream.environment import StreamExecutionEnvironment
from kafkastream.datastream.execution_mode import RuntimeExecutionMode
from kafkastream.datastream.slot_sharing_group import SlotSharingGroup
from kafkastream.datastream.stream import DataStream
from kafkastream.model.common.endpoints import SourceFunction
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.common.watermark_strategy import WatermarkStrategy
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.job.job_result import JobClient, JobExecutionResult

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
