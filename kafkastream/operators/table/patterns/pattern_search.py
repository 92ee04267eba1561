"""Search for matches of a pattern in the rows of one key, row by row (Flink's NFA).

Same as Flink's NFA for strictly contiguous patterns, in the order of matches, too: partial matches lie in a priority
queue by their first row, and are gone through in the order of its array.
https://github.com/apache/flink/blob/release-2.2/flink-libraries/flink-cep/src/main/java/org/apache/flink/cep/nfa/NFA.java
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.patterns.java_heap import JavaHeap
from kafkastream.operators.table.patterns.match_automaton import FINAL, Automaton, Way
from kafkastream.operators.table.patterns.match_readings import MatchedRows, condition
from kafkastream.operators.table.table_rows import Columns
from kafkastream.sql.plan.match_operation import MatchRecognize, SkipTo

__all__ = ["Found", "PatternSearch", "Search"]

Search = dict[str, Any]
"""State of a search: plain values only."""

Partial = tuple[int, int | None, int, int | None]
"""Partial match: its state, the number and the time of its first row, and its last step; None before the first row."""

_PARTIAL: Final = "partial"
_COMPLETE: Final = "complete"
_STEPS: Final = "steps"
_ROWS: Final = "rows"
_NEXT: Final = "next"
_LIVE: Final = "live"
_FEW: Final = 32
_START: Final = 1
_HEAP: Final = JavaHeap[Partial](lambda one: one[_START])


class _Step(NamedTuple):
    """Step of a match: a row that a variable has taken, and the step before."""

    before: int | None
    variable: int
    row: int


class Found(NamedTuple):
    """A match.

    Args:
        rows: Its rows, by the number of their variable.
    """

    rows: Mapping[int, Sequence[Columns]]


@final
class PatternSearch:
    """Finds the matches of a pattern.

    Args:
        operation: The pattern.
    """

    def __init__(self, operation: MatchRecognize) -> None:
        self._automaton = Automaton(operation.variables)
        self._conditions = [condition(one.condition) for one in operation.variables]
        self._names = [one.name for one in operation.variables]
        self._within_ms = operation.within_ms
        self._skip = operation.skip
        self._skip_variable = operation.skip_variable

    def new(self) -> Search:
        """Return a search that has seen no row."""
        return {_PARTIAL: [self._beginning()], _COMPLETE: [], _STEPS: {}, _ROWS: {}, _NEXT: 0, _LIVE: 0}

    def is_idle(self, search: Search) -> bool:
        """Return whether a search has found no part of a match, and may be forgotten."""
        return len(search[_PARTIAL]) == 1 and not search[_COMPLETE]

    def take(self, search: Search, row: Columns, time: int) -> tuple[list[Found], bool]:
        """Take a row; return the matches, and whether a match may begin with the row."""
        number = search[_NEXT]
        search[_NEXT] += 1
        search[_ROWS][number] = row
        partial: list[Partial] = []
        complete: list[Partial] = []
        begins = False
        for one in search[_PARTIAL]:
            for after in self._after(search, one, number, time):
                begins = begins or (one[_START] is None and after[_START] is not None)
                _HEAP.add(complete if after[0] == FINAL else partial, after)
        found = self._complete(search, complete, partial)
        self._clean_up(search)
        return found, begins

    def ends(self, search: Search, time: int) -> list[int]:
        """Return the moments until a time at which partial matches have lasted too long, in ms."""
        if not self._within_ms:
            return []
        ends = {one[2] + self._within_ms for one in search[_PARTIAL] if one[_START] is not None}
        return sorted(end for end in ends if end <= time)

    def end(self, search: Search, moment: int) -> list[Found]:
        """Drop partial matches that have lasted too long at a moment; return the matches that have waited for them."""
        kept: list[Partial] = []
        for one in search[_PARTIAL]:
            if one[_START] is None or one[2] + self._within_ms > moment:
                _HEAP.add(kept, one)
        found = self._complete(search, [], kept)
        self._clean_up(search)
        return found

    def _beginning(self) -> Partial:
        return (self._automaton.start, None, 0, None)

    def _after(self, search: Search, one: Partial, number: int, time: int) -> Iterator[Partial]:
        """Yield what becomes of a partial match with a row."""
        state, start, started, step = one
        row = search[_ROWS][number]
        matched: dict[int, list[Columns]] | None = None

        def holds(way: Way) -> bool:
            nonlocal matched
            if not way.conditions:
                return True
            if matched is None:
                matched = self._rows(search, step)
            rows = matched
            return all(self._conditions[at](MatchedRows(rows, row, at)) is wanted for at, wanted in way.conditions)

        for way in self._automaton.taking(state, holds):
            assert way.variable is not None
            taken = search[_NEXT]
            search[_NEXT] += 1
            search[_STEPS][taken] = (step, way.variable, number)
            first, began = (number, time) if start is None else (start, started)
            yield (way.target, first, began, taken)
            if self._automaton.completes(way.target, holds):
                yield (FINAL, first, began, taken)
        if start is None:
            yield one

    def _complete(self, search: Search, complete: list[Partial], partial: list[Partial]) -> list[Found]:
        """Return the complete matches before which no partial one begins, and skip to the row after each."""
        waiting: list[Partial] = search[_COMPLETE]
        for one in complete:
            _HEAP.add(waiting, one)
        found = []
        while waiting and not (partial and _HEAP.rank(waiting[0]) > _HEAP.rank(partial[0])):
            steps = list(self._steps(search, _HEAP.poll(waiting)[3]))
            self._prune(steps, partial, waiting)
            found.append(Found(self._by_variable(search, steps)))
        search[_PARTIAL] = partial
        return found

    def _prune(self, steps: Sequence[_Step], partial: list[Partial], waiting: list[Partial]) -> None:
        """Drop other matches that begin before the row to which a match skips."""
        last = self._last_skipped(steps)
        for heap in (partial, waiting):
            _HEAP.remove(heap, lambda one: one[_START] is not None and one[_START] <= last)

    def _last_skipped(self, steps: Sequence[_Step]) -> int:
        """Return the number of the last row with which no other match may begin."""
        if self._skip is SkipTo.PAST_LAST_ROW:
            return steps[-1].row
        if self._skip is SkipTo.NEXT_ROW:
            return steps[0].row
        assert self._skip_variable is not None
        rows = [step.row for step in steps if step.variable == self._skip_variable]
        name = self._names[self._skip_variable]
        if not rows:
            what = f"Could not skip to {name}. No such element in the found match."
            raise DefinitionError(what, now=f"Skip to a variable that each match has: {name} may have no row.")
        to = rows[0] if self._skip is SkipTo.FIRST else rows[-1]
        if to == steps[0].row:
            now = "Skip to a later row, or write AFTER MATCH SKIP TO NEXT ROW."
            raise DefinitionError("Could not skip to first element of a match.", now=now)
        return to - 1

    def _steps(self, search: Search, last: int | None) -> Sequence[_Step]:
        """Return the steps of a match, in their order."""
        steps = []
        while last is not None:
            steps.append(_Step(*search[_STEPS][last]))
            last = steps[-1].before
        return steps[::-1]

    def _rows(self, search: Search, last: int | None) -> dict[int, list[Columns]]:
        return self._by_variable(search, self._steps(search, last))

    def _by_variable(self, search: Search, steps: Sequence[_Step]) -> dict[int, list[Columns]]:
        rows: dict[int, list[Columns]] = {}
        for step in steps:
            rows.setdefault(step.variable, []).append(search[_ROWS][step.row])
        return rows

    def _clean_up(self, search: Search) -> None:
        """Drop steps and rows that no match needs, when there are twice as many steps as needed the last time."""
        steps: dict[int, tuple[int | None, int, int]] = search[_STEPS]
        if len(steps) + len(search[_ROWS]) < 2 * search[_LIVE] + _FEW and not self.is_idle(search):
            return
        needed: set[int] = set()
        for one in (*search[_PARTIAL], *search[_COMPLETE]):
            last = one[3]
            while last is not None and last not in needed:
                needed.add(last)
                last = steps[last][0]
        search[_STEPS] = {number: steps[number] for number in sorted(needed)}
        rows = sorted({steps[number][2] for number in needed})
        search[_ROWS] = {number: search[_ROWS][number] for number in rows}
        search[_LIVE] = len(needed) + len(rows)
