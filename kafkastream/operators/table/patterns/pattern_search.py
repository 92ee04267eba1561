"""Search for matches of a pattern in the rows of one key, row by row (Flink's NFA).

Same as Flink's NFA for strictly contiguous patterns, including the order of matches: partial matches are in a priority
queue by their first row, and are processed in the order of its array.
https://github.com/apache/flink/blob/release-2.2/flink-libraries/flink-cep/src/main/java/org/apache/flink/cep/nfa/NFA.java
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.table.patterns.java_heap import JavaHeap
from kafkastream.operators.table.patterns.match_automaton import FINAL, Automaton, Transition
from kafkastream.operators.table.patterns.match_readings import MatchedRows, condition_check
from kafkastream.operators.table.table_rows import Columns
from kafkastream.sql.plan.match_operation import MatchRecognize, SkipTo

__all__ = ["Match", "PatternSearch", "Search"]

Search = dict[str, Any]
"""State of a search: plain values only."""

Partial = tuple[int, int | None, int, int | None]
"""Partial match: its state, the number and time of its first row (None before the first row), and the number of its last step."""

_PARTIAL: Final = "partial"
_COMPLETE: Final = "complete"
_STEPS: Final = "steps"
_ROWS: Final = "rows"
_NEXT: Final = "next"
_LIVE: Final = "live"
_FEW: Final = 32
_START: Final = 1
_HEAP: Final = JavaHeap[Partial](lambda partial: partial[_START])


class _Step(NamedTuple):
    """Step of a match: a row that a variable has consumed, and the number of the previous step."""

    previous: int | None
    variable: int
    row: int


class Match(NamedTuple):
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
        self._conditions = [condition_check(variable.condition) for variable in operation.variables]
        self._names = [variable.name for variable in operation.variables]
        self._within_ms = operation.within_ms
        self._skip = operation.skip
        self._skip_variable = operation.skip_variable

    def new(self) -> Search:
        """Return the state of a search before the first row."""
        return {_PARTIAL: [self._empty_match()], _COMPLETE: [], _STEPS: {}, _ROWS: {}, _NEXT: 0, _LIVE: 0}

    def is_idle(self, search: Search) -> bool:
        """Return whether a search has no partial or waiting match, so that its state may be removed."""
        return len(search[_PARTIAL]) == 1 and not search[_COMPLETE]

    def take(self, search: Search, row: Columns, time: int) -> tuple[list[Match], bool]:
        """Process a row; return the matches, and whether a partial match begins with the row."""
        number = search[_NEXT]
        search[_NEXT] += 1
        search[_ROWS][number] = row
        partial: list[Partial] = []
        complete: list[Partial] = []
        begins = False
        for match_ in search[_PARTIAL]:
            for advanced in self._advance(search, match_, number, time):
                begins = begins or (match_[_START] is None and advanced[_START] is not None)
                _HEAP.add(complete if advanced[0] == FINAL else partial, advanced)
        matches = self._take_complete(search, complete, partial)
        self._clean_up(search)
        return matches, begins

    def ends(self, search: Search, time: int) -> list[int]:
        """Return the deadlines of partial matches (WITHIN) up to a time, in ms."""
        if not self._within_ms:
            return []
        ends = {match_[2] + self._within_ms for match_ in search[_PARTIAL] if match_[_START] is not None}
        return sorted(end for end in ends if end <= time)

    def end(self, search: Search, moment: int) -> list[Match]:
        """Drop partial matches whose deadline has passed; return the complete matches that had to wait for them."""
        remaining: list[Partial] = []
        for match_ in search[_PARTIAL]:
            if match_[_START] is None or match_[2] + self._within_ms > moment:
                _HEAP.add(remaining, match_)
        matches = self._take_complete(search, [], remaining)
        self._clean_up(search)
        return matches

    def _empty_match(self) -> Partial:
        return (self._automaton.start, None, 0, None)

    def _advance(self, search: Search, match_: Partial, number: int, time: int) -> Iterator[Partial]:
        """Yield the partial and complete matches that follow from a partial match and a row."""
        state, start, started, step = match_
        row = search[_ROWS][number]
        matched: dict[int, list[Columns]] | None = None

        def holds(transition: Transition) -> bool:
            nonlocal matched
            if not transition.conditions:
                return True
            if matched is None:
                matched = self._rows_by_variable(search, step)
            rows = matched
            return all(
                self._conditions[number_](MatchedRows(rows, row, number_)) is expected
                for number_, expected in transition.conditions
            )

        for transition in self._automaton.take_transitions(state, holds):
            assert transition.variable is not None
            step_number = search[_NEXT]
            search[_NEXT] += 1
            search[_STEPS][step_number] = (step, transition.variable, number)
            first, began = (number, time) if start is None else (start, started)
            yield (transition.target, first, began, step_number)
            if self._automaton.completes(transition.target, holds):
                yield (FINAL, first, began, step_number)
        if start is None:
            yield match_

    def _take_complete(self, search: Search, complete: list[Partial], partial: list[Partial]) -> list[Match]:
        """Return the complete matches before which no partial match begins, and apply AFTER MATCH SKIP to the others."""
        waiting: list[Partial] = search[_COMPLETE]
        for match_ in complete:
            _HEAP.add(waiting, match_)
        matches = []
        while waiting and not (partial and _HEAP.rank(waiting[0]) > _HEAP.rank(partial[0])):
            steps = list(self._steps(search, _HEAP.poll(waiting)[3]))
            self._prune(steps, partial, waiting)
            matches.append(Match(self._by_variable(search, steps)))
        search[_PARTIAL] = partial
        return matches

    def _prune(self, steps: Sequence[_Step], partial: list[Partial], waiting: list[Partial]) -> None:
        """Drop other matches that begin before the row that AFTER MATCH SKIP leads to."""
        last = self._last_skipped(steps)
        for heap in (partial, waiting):
            _HEAP.remove(heap, lambda match_: match_[_START] is not None and match_[_START] <= last)

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
            reason = f"Could not skip to {name}. No such element in the found match."
            raise DefinitionError(reason, now=f"Skip to a variable that each match has: {name} may have no row.")
        target = rows[0] if self._skip is SkipTo.FIRST else rows[-1]
        if target == steps[0].row:
            now = "Skip to a later row, or write AFTER MATCH SKIP TO NEXT ROW."
            raise DefinitionError("Could not skip to first element of a match.", now=now)
        return target - 1

    def _steps(self, search: Search, last: int | None) -> Sequence[_Step]:
        """Return the steps of a match, in their order."""
        steps = []
        while last is not None:
            steps.append(_Step(*search[_STEPS][last]))
            last = steps[-1].previous
        return steps[::-1]

    def _rows_by_variable(self, search: Search, last: int | None) -> dict[int, list[Columns]]:
        return self._by_variable(search, self._steps(search, last))

    def _by_variable(self, search: Search, steps: Sequence[_Step]) -> dict[int, list[Columns]]:
        rows: dict[int, list[Columns]] = {}
        for step in steps:
            rows.setdefault(step.variable, []).append(search[_ROWS][step.row])
        return rows

    def _clean_up(self, search: Search) -> None:
        """Drop steps and rows that no match needs, once there are twice as many as were needed at the last cleanup."""
        steps: dict[int, tuple[int | None, int, int]] = search[_STEPS]
        if len(steps) + len(search[_ROWS]) < 2 * search[_LIVE] + _FEW and not self.is_idle(search):
            return
        needed: set[int] = set()
        for match_ in (*search[_PARTIAL], *search[_COMPLETE]):
            last = match_[3]
            while last is not None and last not in needed:
                needed.add(last)
                last = steps[last][0]
        search[_STEPS] = {number: steps[number] for number in sorted(needed)}
        rows = sorted({steps[number][2] for number in needed})
        search[_ROWS] = {number: search[_ROWS][number] for number in rows}
        search[_LIVE] = len(needed) + len(rows)
