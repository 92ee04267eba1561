"""PyFlink's ``pyflink.common.watermark_strategy``."""

from __future__ import annotations

from kafkastream.spec.stand_in import StandIn
from kafkastream.spec.time import Duration
from kafkastream.spec.watermark import TimestampAssigner, WatermarkGenerator, WatermarkOutput, WatermarkStrategy

__all__ = [
    "AssignerWithPeriodicWatermarksWrapper",
    "Duration",
    "TimestampAssigner",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]


class AssignerWithPeriodicWatermarksWrapper(
    StandIn, instead="Give a WatermarkStrategy, with WatermarkStrategy.for_generator for a rule of your own."
):
    """Holds one of Java's assigners of timestamps and watermarks."""
