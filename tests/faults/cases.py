"""Which jobs are attacked, and what each is to write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, final

import attrs

from tests.faults.copy_job import TIMEOUT_MS
from tests.faults.operators_model import copies, counts, keyed_lines, pairs
from tests.faults.pipeline_job import TABLES, number_of, record
from tests.faults.saboteur import BEFORE_INIT, IN_OPERATOR, ON_DRIVER, POINTS
from tests.faults.targets import LAKE, LakeTables, Target, Topics

__all__ = ["CASES", "TARGET", "Case"]

TARGET: Final = "copies"


@final
@attrs.frozen
class Case:
    """A job that is attacked.

    Args:
        script: Its program.
        expected: What its records tell of, for as many numbers as were written.
        arguments: What the program is given beside what all are given.
        topics: Where it writes to; all of it to each.
        tables: Delta Lake tables that it writes to in place of topics; all of it to them together.
        points: Where its workers are hit.
        at_start: Which of these they come by only when the job starts.
        per_second: How many numbers are written in a second.
        record: Makes the record of a number that the job reads.
        number_of: Tells the number of a record that the job has written, if that holds more.
    """

    script: str
    expected: Callable[[int], Counter[str]] = copies
    arguments: tuple[str, ...] = ()
    topics: tuple[str, ...] = (TARGET,)
    tables: tuple[str, ...] = ()
    points: tuple[str, ...] = POINTS
    at_start: tuple[str, ...] = ()
    per_second: int = 400
    record: Callable[[int], str] = str
    number_of: Callable[[str], str] | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """Where all that it writes is to be found, in each of them."""
        return (LAKE,) if self.tables else self.topics

    def target(self, servers: str, folder: Path) -> Target:
        """Return a reader of what it writes.

        Args:
            servers: The broker.
            folder: What the program is given as its own.
        """
        return LakeTables(folder / LAKE, self.tables) if self.tables else Topics(servers, self.topics)

    def told(self, text: str) -> str:
        """What a record tells of: a copy has something random behind the number."""
        if self.number_of is not None:
            return self.number_of(text)
        return text.partition(" ")[0] if self.expected is copies else text


def _operators(case: str, expected: Callable[[int], Counter[str]], *topics: str, points: tuple[str, ...]) -> Case:
    return Case("operators_job.py", expected, (case,), (TARGET, *topics), points=points, per_second=200)


CASES: Final[Mapping[str, Case]] = {
    "copy": Case("copy_job.py"),
    "latency": Case("copy_job.py", arguments=(str(TIMEOUT_MS), "latency"), at_start=(BEFORE_INIT,)),
    "sql": Case("sql_job.py"),
    "stream-sql": Case("stream_sql_job.py"),
    "pipeline": Case("pipeline_job.py", record=record, number_of=number_of),
    "pipeline-delta": Case(
        "pipeline_job.py",
        arguments=(LAKE,),
        topics=(),
        tables=TABLES,
        points=(*ON_DRIVER, IN_OPERATOR),
        per_second=100,
        record=record,
    ),
    "keyed": _operators("keyed", keyed_lines, points=(*POINTS, IN_OPERATOR)),
    "joined": _operators("joined", pairs, points=(*POINTS, IN_OPERATOR)),
    "two-sinks": _operators("two-sinks", copies, f"{TARGET}-2", points=POINTS),
    "two-keyed-sinks": _operators("two-keyed-sinks", counts, f"{TARGET}-2", points=(*POINTS, IN_OPERATOR)),
}
