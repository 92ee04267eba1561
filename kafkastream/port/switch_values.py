"""Switches that are values, as switches whose cases assign or return."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from kafkastream.port.java_nodes import Assign, Evaluate, Expression, Return, Statement, SwitchValue, Yield

__all__ = ["assigning", "returning"]


def assigning(value: SwitchValue, target: Expression) -> Statement:
    """Return a switch whose cases assign their value."""
    return _with_cases(
        value, lambda one: Evaluate(Assign(target, "=", one, line=one.line), line=one.line, last=one.last)
    )


def returning(value: SwitchValue) -> Statement:
    """Return a switch whose cases return their value."""
    return _with_cases(value, lambda one: Return(one, line=one.line, last=one.last))


def _with_cases(value: SwitchValue, made: Callable[[Expression], Statement]) -> Statement:
    cases = tuple(
        attrs.evolve(case, statements=tuple(_case_end(one, made) for one in case.statements))
        for case in value.switch.cases
    )
    return attrs.evolve(value.switch, cases=cases)


def _case_end(one: Statement, made: Callable[[Expression], Statement]) -> Statement:
    if isinstance(one, Evaluate):
        return made(one.expression)
    return made(one.value) if isinstance(one, Yield) else one
