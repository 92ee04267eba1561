"""PyFlink's ``pyflink.common.watermark_strategy``."""

from __future__ import annotations

from kafkastream.spec.watermark import TimestampAssigner, WatermarkGenerator, WatermarkOutput, WatermarkStrategy

__all__ = ["TimestampAssigner", "WatermarkGenerator", "WatermarkOutput", "WatermarkStrategy"]
