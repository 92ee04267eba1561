"""Whole runs of the benchmarks, kept as files of JSON, one for each day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from benchmarks.results import Measurement

__all__ = ["RUNS", "Run", "latest"]

RUNS: Final = Path(__file__).parent / "runs"
"""Folder of the runs' files, which are named after their days."""


@attrs.frozen
class Run:
    """One run of all benchmarks.

    Args:
        day: Day of the run, ``YYYY-MM-DD``.
        machine: Description of the machine.
        versions: Version of each product, by its name.
        records: Number of records of each workload.
        races: Measurements by workload and contender.
        delays: Percentiles of delays in ms, by records per second and contender.
        costs: Figures of what grows, by table, row and column.
    """

    day: str
    machine: str
    versions: Mapping[str, str]
    records: Mapping[str, int] = attrs.field(factory=dict)
    races: Mapping[str, Mapping[str, Sequence[Measurement]]] = attrs.field(factory=dict)
    delays: Mapping[int, Mapping[str, Mapping[str, float]]] = attrs.field(factory=dict)
    costs: Mapping[str, Mapping[str, Mapping[str, float]]] = attrs.field(factory=dict)

    @property
    def path(self) -> Path:
        """File of the run."""
        return RUNS / f"{self.day}.json"

    def write(self) -> None:
        """Write the file of the run."""
        RUNS.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(attrs.asdict(self, recurse=False), indent=1) + "\n")

    @staticmethod
    def read(path: Path) -> Run:
        """Return the run of a file."""
        content: dict[str, Any] = json.loads(path.read_text())
        races = {
            workload: {name: [Measurement(*one) for one in rounds] for name, rounds in found.items()}
            for workload, found in content.pop("races").items()
        }
        delays = {int(rate): found for rate, found in content.pop("delays").items()}
        return Run(**content, races=races, delays=delays)


def latest() -> Run:
    """Return the newest run that is kept."""
    return Run.read(max(RUNS.glob("*.json")))
