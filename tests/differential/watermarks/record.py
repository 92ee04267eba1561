"""Writes what Flink's own classes make of watermarks and idleness: ``PYTHON record.py``, where PYTHON has apache-flink.

Random inputs go into ``StatusWatermarkValve``, which combines the subtasks before an operator, and into
``WatermarkOutputMultiplexer``, which combines the partitions of a source's subtask.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyflink.java_gateway import get_gateway

MIN_WATERMARK = -(1 << 63)
GOLDEN = Path(__file__).parent / "golden.json"


class Output:
    """Keeps the last watermark and status; Flink calls it."""

    def __init__(self) -> None:
        self.watermark = MIN_WATERMARK
        self.is_idle = False

    def emitWatermark(self, watermark: Any) -> None:
        self.watermark = watermark.getTimestamp()
        self.is_idle = False  # an output of a source is active once it has emitted; a valve says so before

    def emitWatermarkStatus(self, status: Any) -> None:
        self.is_idle = status.isIdle()

    def markIdle(self) -> None:
        self.is_idle = True

    def markActive(self) -> None:
        self.is_idle = False

    class Java:
        implements = (
            "org.apache.flink.streaming.runtime.io.PushingAsyncDataInput$DataOutput",
            "org.apache.flink.api.common.eventtime.WatermarkOutput",
        )


def inputs(seed: int, width: int) -> list[tuple[int, int | None]]:
    """Watermarks of random inputs, each higher than the last of its input; None as an input becomes idle."""
    chance = random.Random(seed)
    levels = [0] * width
    steps: list[tuple[int, int | None]] = []
    for _ in range(24):
        number = chance.randrange(width)
        if chance.random() < 0.4:
            steps.append((number, None))
        else:
            levels[number] += chance.choice((1, 5, 40))
            steps.append((number, levels[number]))
    return steps


def valve(steps: list[tuple[int, int | None]], width: int) -> list[list[Any]]:
    java = get_gateway().jvm.org.apache.flink.streaming
    status = java.runtime.watermarkstatus.WatermarkStatus
    valve, output = java.runtime.watermarkstatus.StatusWatermarkValve(width), Output()
    results = []
    for number, watermark in steps:
        if watermark is None:
            valve.inputWatermarkStatus(status.IDLE, number, output)
        else:
            valve.inputWatermarkStatus(status.ACTIVE, number, output)
            valve.inputWatermark(java.api.watermark.Watermark(watermark), number, output)
        results.append([output.watermark, output.is_idle])
    return results


def multiplexer(steps: list[tuple[int, int | None]], width: int) -> list[int]:
    java = get_gateway().jvm.org.apache.flink.api.common.eventtime
    output = Output()
    multiplexer = java.WatermarkOutputMultiplexer(output)
    for number in range(width):
        multiplexer.registerNewOutput(str(number))
    outputs = [multiplexer.getDeferredOutput(str(number)) for number in range(width)]
    results = []
    for number, watermark in steps:
        if watermark is None:
            outputs[number].markIdle()
        else:
            outputs[number].emitWatermark(java.Watermark(watermark))
        multiplexer.onPeriodicEmit()
        results.append(output.watermark)
    return results


def main() -> None:
    cases = []
    for seed in range(60):
        width = 1 + seed % 4
        steps = inputs(seed, width)
        cases.append(
            {"width": width, "in": steps, "valve": valve(steps, width), "multiplexer": multiplexer(steps, width)}
        )
    lines = ",\n".join(json.dumps(case) for case in cases)
    GOLDEN.write_text(f'{{"apache-flink": "{version("apache-flink")}", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
