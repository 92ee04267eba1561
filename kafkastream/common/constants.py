"""Constants, at PyFlink's path."""

from __future__ import annotations

from typing import Final

from kafkastream.model.common.watermark_strategy import MAX_WATERMARK, MIN_WATERMARK

__all__ = [
    "DEFAULT_OUTPUT_TAG",
    "MAX_LONG_VALUE",
    "MIN_LONG_VALUE",
]


MAX_LONG_VALUE: Final = MAX_WATERMARK
MIN_LONG_VALUE: Final = MIN_WATERMARK
DEFAULT_OUTPUT_TAG: Final = ""
