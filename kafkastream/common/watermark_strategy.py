"""``WatermarkStrategy`` and ``TimestampAssigner``, at PyFlink's path."""

from __future__ import annotations

from kafkastream.model.common.stand_ins import StandIn
from kafkastream.model.common.time import Duration
from kafkastream.model.common.watermark_strategy import (
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkOutput,
    WatermarkStrategy,
)

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "Duration",
    "TimestampAssigner",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]


class AssignerWithPeriodicWatermarksWrapper(
    StandIn, instead="Use a WatermarkStrategy; WatermarkStrategy.for_generator takes a user-defined generator."
):
    """Wrapper of a Java assigner of timestamps and watermarks."""
