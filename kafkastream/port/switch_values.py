"""Switch expressions, rewritten as switch statements whose cases assign or return."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from kafkastream.port.java_nodes import Assign, Evaluate, Expression, Return, Statement, SwitchValue, Yield

__all__ = ["switch_assigning", "switch_returning"]


def switch_assigning(value: SwitchValue, target: Expression) -> Statement:
    """Return a switch whose cases assign their value."""
    return _replace_values(
        value,
        lambda value_node: Evaluate(
            Assign(target, "=", value_node, line=value_node.line), line=value_node.line, last=value_node.last
        ),
    )


def switch_returning(value: SwitchValue) -> Statement:
    """Return a switch whose cases return their value."""
    return _replace_values(value, lambda value_node: Return(value_node, line=value_node.line, last=value_node.last))


def _replace_values(value: SwitchValue, make_statement: Callable[[Expression], Statement]) -> Statement:
    cases = tuple(
        attrs.evolve(case, statements=tuple(_replace_value(statement, make_statement) for statement in case.statements))
        for case in value.switch.cases
    )
    return attrs.evolve(value.switch, cases=cases)


def _replace_value(statement: Statement, make_statement: Callable[[Expression], Statement]) -> Statement:
    if isinstance(statement, Evaluate):
        return make_statement(statement.expression)
    return make_statement(statement.value) if isinstance(statement, Yield) else statement
