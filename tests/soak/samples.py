"""The samples of a soak as a file of JSON lines, and the curves in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import final

import attrs

from tests.soak.trend import Points

__all__ = ["Sample", "curves", "kept", "read"]


@final
@attrs.frozen
class Sample:
    """What was measured at one time.

    Args:
        seconds: Since the job's start.
        values: By name.
    """

    seconds: float
    values: Mapping[str, float]


def kept(path: Path, sample: Sample) -> None:
    """Add a sample to a file, which so has all there is whenever the soak ends."""
    values = {name: round(value, 3) for name, value in sample.values.items()}
    with path.open("a") as file:
        file.write(json.dumps({"seconds": round(sample.seconds, 1), "values": values}) + "\n")


def read(path: Path) -> Sequence[Sample]:
    """The samples of a file."""
    return [Sample(**json.loads(line)) for line in path.read_text().splitlines()]


def curves(samples: Sequence[Sample]) -> Mapping[str, Points]:
    """How each value went."""
    names = dict.fromkeys(name for sample in samples for name in sample.values)
    return {name: list(_curve(samples, name)) for name in names}


def _curve(samples: Sequence[Sample], name: str) -> Iterator[tuple[float, float]]:
    return ((sample.seconds, sample.values[name]) for sample in samples if name in sample.values)
