"""Automaton of a pattern: the states between two rows of a match, and the ways from one to the next.

Same states, ways and order of both as of Flink's NFACompiler for strictly contiguous patterns, on which the order of
matches depends: https://github.com/apache/flink/blob/release-2.2/flink-libraries/flink-cep/src/main/java/org/apache/flink/cep/nfa/compiler/NFACompiler.java
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.plan.match_operation import PatternVariable

__all__ = ["FINAL", "Automaton", "Way"]

FINAL: Final = -1
"""Number of the state in which a match is complete."""


@final
@attrs.frozen
class Way:
    """Way from one state to another.

    Args:
        variable: Number of the variable that takes the row; None for a way on which no row is taken.
        target: Number of the next state.
        conditions: Numbers of variables whose conditions must hold, each with whether it must hold, or must not.
    """

    variable: int | None
    target: int
    conditions: tuple[tuple[int, bool], ...] = ()


@final
class Automaton:
    """States of a pattern, by number.

    Args:
        variables: Variables of the pattern.

    Attributes:
        start: Number of the state before the first row.

    Example:
        >>> one = Automaton([PatternVariable("A"), PatternVariable("B", 1, None, is_greedy=False)])
        >>> [way.target for way in one.ways(one.start)], one.can_be_empty
        ([1], False)
    """

    def __init__(self, variables: Sequence[PatternVariable]) -> None:
        self._states: list[list[Way]] = []
        target = FINAL
        for number in reversed(range(len(variables))):
            target = self._before(number, variables[number], target)
        self.start = target

    def ways(self, state: int) -> Sequence[Way]:
        """Return the ways from a state."""
        return () if state == FINAL else self._states[state]

    @property
    def can_be_empty(self) -> bool:
        """True if the pattern also matches no rows at all."""
        return self.completes(self.start, lambda _: True)

    def taking(self, state: int, holds: Callable[[Way], bool]) -> list[Way]:
        """Return the ways from a state that take a row, also after ways that take none; last states first, as in Flink."""
        states, found = [state], []
        while states:
            for way in self.ways(states.pop()):
                if not holds(way):
                    continue
                if way.variable is None:
                    states.append(way.target)
                else:
                    found.append(way)
        return found

    def completes(self, state: int, holds: Callable[[Way], bool]) -> bool:
        """Return whether a match is complete in a state, without further rows."""
        states = [state]
        while states:
            for way in self.ways(states.pop()):
                if way.variable is None and holds(way):
                    if way.target == FINAL:
                        return True
                    states.append(way.target)
        return False

    def _before(self, number: int, variable: PatternVariable, target: int) -> int:
        """Add the states of a variable, and return the first of them."""
        least, most = max(variable.least, 1), variable.most
        is_single = (variable.least, most) in ((0, 1), (1, 1))
        if variable.is_greedy and not is_single and most != variable.least:
            self._leave_to(number, target)
        if most is None:
            before = len(self._states)
            self._states.append([Way(None, target), _taking(number, before)])
        else:
            before = target
            for _ in range(most - least):
                before = self._one(number, before, target)
        for _ in range(least - 1):
            before = self._one(number, before)
        return self._one(number, before, target if variable.least == 0 else None)

    def _one(self, number: int, target: int, passed_to: int | None = None) -> int:
        """Add a state in which a variable takes a row, or is passed over."""
        passing = [] if passed_to is None else [Way(None, passed_to)]
        self._states.append([_taking(number, target), *passing])
        return len(self._states) - 1

    def _leave_to(self, number: int, state: int) -> None:
        """Restrict the ways from a state to rows that a greedy variable before it does not take."""
        if state != FINAL:
            ways = self._states[state]
            ways[:] = [attrs.evolve(way, conditions=(*way.conditions, (number, False))) for way in ways]


def _taking(number: int, target: int) -> Way:
    return Way(number, target, ((number, True),))
