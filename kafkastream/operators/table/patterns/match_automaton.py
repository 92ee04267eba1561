"""Automaton of a pattern: the states between two rows of a match, and the transitions between them.

States and transitions are the same, and in the same order, as those of Flink's NFACompiler for strictly contiguous
patterns, since the order of matches depends on them: https://github.com/apache/flink/blob/release-2.2/flink-libraries/flink-cep/src/main/java/org/apache/flink/cep/nfa/compiler/NFACompiler.java
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.plan.match_operation import PatternVariable

__all__ = ["FINAL", "Automaton", "Transition"]

FINAL: Final = -1
"""Number of the state in which a match is complete."""


@final
@attrs.frozen
class Transition:
    """Transition from one state to another.

    Args:
        variable: Number of the variable that consumes the row; None for an epsilon transition.
        target: Number of the next state.
        conditions: Numbers of the variables whose conditions are checked, each with the required result.
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
        >>> [transition.target for transition in one.transitions(one.start)], one.can_be_empty
        ([1], False)
    """

    def __init__(self, variables: Sequence[PatternVariable]) -> None:
        self._states: list[list[Transition]] = []
        target = FINAL
        for number in reversed(range(len(variables))):
            target = self._add_variable(number, variables[number], target)
        self.start = target

    def transitions(self, state: int) -> Sequence[Transition]:
        """Return the transitions from a state."""
        return () if state == FINAL else self._states[state]

    @property
    def can_be_empty(self) -> bool:
        """True if the pattern also matches no rows at all."""
        return self.completes(self.start, lambda _: True)

    def take_transitions(self, state: int, holds: Callable[[Transition], bool]) -> list[Transition]:
        """Return the transitions that consume a row, also after epsilon transitions; last states first, as in Flink."""
        states, taking = [state], []
        while states:
            for transition in self.transitions(states.pop()):
                if not holds(transition):
                    continue
                if transition.variable is None:
                    states.append(transition.target)
                else:
                    taking.append(transition)
        return taking

    def completes(self, state: int, holds: Callable[[Transition], bool]) -> bool:
        """Return whether a match is complete in a state, without further rows."""
        states = [state]
        while states:
            for transition in self.transitions(states.pop()):
                if transition.variable is None and holds(transition):
                    if transition.target == FINAL:
                        return True
                    states.append(transition.target)
        return False

    def _add_variable(self, number: int, variable: PatternVariable, target: int) -> int:
        """Add the states of a variable, and return the first of them."""
        least, most = max(variable.least, 1), variable.most
        is_single = (variable.least, most) in ((0, 1), (1, 1))
        if variable.is_greedy and not is_single and most != variable.least:
            self._exclude_rows_of(number, target)
        if most is None:
            state = len(self._states)
            self._states.append([Transition(None, target), _take_transition(number, state)])
        else:
            state = target
            for _ in range(most - least):
                state = self._add_state(number, state, target)
        for _ in range(least - 1):
            state = self._add_state(number, state)
        return self._add_state(number, state, target if variable.least == 0 else None)

    def _add_state(self, number: int, target: int, passed_to: int | None = None) -> int:
        """Add a state in which a variable consumes a row, or is skipped."""
        skips = [] if passed_to is None else [Transition(None, passed_to)]
        self._states.append([_take_transition(number, target), *skips])
        return len(self._states) - 1

    def _exclude_rows_of(self, number: int, state: int) -> None:
        """Restrict the transitions from a state to rows that the preceding greedy variable does not consume."""
        if state != FINAL:
            transitions = self._states[state]
            transitions[:] = [
                attrs.evolve(transition, conditions=(*transition.conditions, (number, False)))
                for transition in transitions
            ]


def _take_transition(number: int, target: int) -> Transition:
    return Transition(number, target, ((number, True),))
