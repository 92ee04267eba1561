"""Translation of loops with a counter, switches, and handlers of exceptions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import attrs

from kafkastream.port.creations import exception_name
from kafkastream.port.effects import effect
from kafkastream.port.java_nodes import (
    Assign,
    Binary,
    Break,
    Call,
    Case,
    Catch,
    Comment,
    Continue,
    Expression,
    FieldAccess,
    For,
    Literal,
    LocalVariable,
    Name,
    Return,
    Statement,
    Switch,
    Throw,
    Try,
    Type,
    Update,
    nodes_in,
)
from kafkastream.port.java_types import INT, UNKNOWN
from kafkastream.port.marks import Untranslated
from kafkastream.port.python_trees import attribute, call, code, constant, name
from kafkastream.port.statements import loop_body, translated
from kafkastream.port.translation import Body, Value, expression, translates

__all__: list[str] = []


# Loops


@translates(For)
def _for(node: For, body: Body) -> list[ast.stmt]:
    counted = _counted(node, body)
    if counted is not None:
        return counted
    with body.block():
        made = translated(node.start, body)
        updates: list[ast.stmt] = []
        for one in node.update:
            updates.extend(effect(one, body) or [ast.Expr(expression(one, body).code)])
        condition = expression(node.condition, body).code if node.condition is not None else constant(True)
        inner = loop_body(node.body, body, updates)
        return [*made, ast.While(condition, [*inner, *updates], [])]


def _counted(node: For, body: Body) -> list[ast.stmt] | None:
    """``for (int i = a; i < b; i++)`` is a loop over a range."""
    start = node.start[0] if len(node.start) == 1 else None
    condition = node.condition
    if (
        not isinstance(start, LocalVariable)
        or start.value is None
        or not isinstance(condition, Binary)
        or len(node.update) != 1
    ):
        return None
    step = _step(node.update[0], start.name)
    is_variable = isinstance(condition.left, Name) and condition.left.text == start.name
    if step is None or not is_variable or _changes(node.body, start.name) or not _is_fixed(condition.right, node.body):
        return None
    if (step > 0) != (condition.operator in ("<", "<=")) or condition.operator not in ("<", "<=", ">", ">="):
        return None
    return _ranged(node, start, condition, step, body)


def _ranged(node: For, start: LocalVariable, condition: Binary, step: int, body: Body) -> list[ast.stmt]:
    assert start.value is not None
    first, last = expression(start.value, body).code, expression(condition.right, body).code
    if condition.operator in ("<=", ">="):
        last = _moved(last, 1 if step > 0 else -1)
    bounds = [last] if step == 1 and isinstance(first, ast.Constant) and first.value == 0 else [first, last]
    if step != 1:
        bounds.append(constant(step))
    with body.block():
        target = body.declare(start.name, start.type if start.type != UNKNOWN else INT)
        return [ast.For(name(target), call("range", *bounds), loop_body(node.body, body), [], lineno=0)]


def _moved(tree: ast.expr, by: int) -> ast.expr:
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return constant(tree.value + by)
    return code("a + 1" if by > 0 else "a - 1", a=tree)


def _step(update: Expression, variable: str) -> int | None:
    if isinstance(update, Update) and isinstance(update.target, Name) and update.target.text == variable:
        return 1 if update.operator == "++" else -1
    is_own = isinstance(update, Assign) and isinstance(update.target, Name) and update.target.text == variable
    if is_own and isinstance(update, Assign) and isinstance(update.value, Literal) and update.operator in ("+=", "-="):
        return int(update.value.value) if update.operator == "+=" else -int(update.value.value)
    return None


def _changes(node: Statement, variable: str) -> bool:
    targets = (one.target for one in nodes_in(node) if isinstance(one, Assign | Update))
    return any(isinstance(one, Name) and one.text == variable for one in targets)


def _is_fixed(bound: Expression, loop: Statement) -> bool:
    """Return whether a bound stays as it is while the loop runs."""
    names = {one.text for one in nodes_in(bound) if isinstance(one, Name)}
    if any(_changes(loop, one) for one in names):
        return False
    calls = [one for one in nodes_in(bound) if isinstance(one, Call)]
    if any(one.name not in ("size", "length", "getArity") for one in calls):
        return not calls
    changing = {"add", "remove", "clear", "addAll", "poll", "pop", "append"}
    return not any(
        isinstance(one, Call) and one.name in changing and isinstance(one.target, Name) and one.target.text in names
        for one in nodes_in(loop)
    ) and all(isinstance(one, Name | Literal | Call | Binary | FieldAccess) for one in nodes_in(bound))


# Switches


@translates(Switch)
def _switch(node: Switch, body: Body) -> list[ast.stmt]:
    subject = expression(node.value, body)
    cases = _merged(node.cases)
    labels = [[_label(one, subject, body) for one in case.labels] for case in cases]
    bodies = [_case_body(case, body) for case in cases]
    if any(isinstance(label, ast.Name) for group in labels for label in group):
        return _as_choices(subject, cases, labels, bodies)
    made = []
    for case, group, inner in sorted(zip(cases, labels, bodies, strict=True), key=lambda one: one[0].is_default):
        patterns: list[ast.pattern] = [ast.MatchValue(label) for label in group]
        pattern = patterns[0] if len(patterns) == 1 else ast.MatchOr(patterns)
        made.append(ast.match_case(ast.MatchAs() if case.is_default else pattern, None, inner))
    return [ast.Match(subject.code, made)]


def _merged(cases: Sequence[Case]) -> list[Case]:
    """Cases without statements belong to the next one; a case that falls through to the next one is refused."""
    merged: list[Case] = []
    labels: list[Expression] = []
    is_default = False
    for place, case in enumerate(cases):
        labels.extend(case.labels)
        is_default = is_default or case.is_default
        if not [one for one in case.statements if not isinstance(one, Comment)] and place + 1 < len(cases):
            continue
        if not case.is_rule and place + 1 < len(cases) and not _ends(case.statements):
            raise Untranslated("a case falls through to the next one")
        merged.append(attrs.evolve(case, labels=tuple(labels), is_default=is_default))
        labels, is_default = [], False
    return merged


def _ends(statements: Sequence[Statement]) -> bool:
    real = [one for one in statements if not isinstance(one, Comment)]
    last = real[-1] if real else None
    inner = getattr(last, "statements", None)
    return isinstance(last, Break | Return | Throw | Continue) or (inner is not None and _ends(inner))


def _label(node: Expression, subject: Value, body: Body) -> ast.expr:
    if isinstance(node, Name):
        for java in (subject.type.name, *body.index.classes):
            info = body.index.classes.get(java)
            if info is not None and any(one.name == node.text for one in info.declaration.constants):
                return attribute(name(info.python), node.text)
    return expression(node, body).code


def _case_body(case: Case, body: Body) -> list[ast.stmt]:
    statements = list(case.statements)
    if statements and isinstance(statements[-1], Break):
        statements.pop()
    outer, body.in_switch = body.in_switch, True
    try:
        with body.block():
            return translated(statements, body) or [ast.Pass()]
    finally:
        body.in_switch = outer


def _as_choices(
    subject: Value, cases: Sequence[Case], labels: Sequence[list[ast.expr]], bodies: Sequence[list[ast.stmt]]
) -> list[ast.stmt]:
    """Constants of the module are not patterns in Python: compare with them."""
    otherwise: list[ast.stmt] = next((inner for case, inner in zip(cases, bodies, strict=True) if case.is_default), [])
    for case, group, inner in reversed(list(zip(cases, labels, bodies, strict=True))):
        if not case.is_default:
            single = ast.Compare(subject.code, [ast.Eq()], group[:1])
            test: ast.expr = (
                single if len(group) == 1 else ast.Compare(subject.code, [ast.In()], [ast.Tuple(group, ast.Load())])
            )
            otherwise = [ast.If(test, inner, otherwise)]
    return otherwise


# Exceptions


@translates(Try)
def _try(node: Try, body: Body) -> list[ast.stmt]:
    with body.block():
        inner = _with_resources(node.resources, node, body)
    if not node.catches and node.last_block is None:
        return inner
    handlers = [_handler(one, body) for one in node.catches]
    with body.block():
        last = translated(node.last_block.statements, body) if node.last_block is not None else []
    if not handlers and not last:
        return inner
    return [ast.Try(inner or [ast.Pass()], handlers, [], last)]


def _with_resources(resources: Sequence[LocalVariable], node: Try, body: Body) -> list[ast.stmt]:
    if not resources:
        return translated(node.body.statements, body)
    first, *rest = resources
    assert first.value is not None
    value = expression(first.value, body)
    kind = first.type if first.type != UNKNOWN else value.type
    target = name(body.declare(first.name, kind)) if first.name else None
    opened = isinstance(value.code, ast.Call) and isinstance(value.code.func, ast.Name) and value.code.func.id == "open"
    context = value.code if opened else call("closing", value.code)
    return [ast.With([ast.withitem(context, target)], _with_resources(rest, node, body) or [ast.Pass()])]


def _handler(node: Catch, body: Body) -> ast.ExceptHandler:
    names = list(dict.fromkeys(exception_name(one.name, body) for one in node.types))
    if "OSError" in names and "ValueError" not in names and body.program.reads_json:
        names.append("ValueError")  # Jackson's exceptions are those of input and output
    kind: ast.expr = name(names[0]) if len(names) == 1 else ast.Tuple([name(one) for one in names], ast.Load())
    with body.block():
        target = body.declare(
            node.name, Type("Exception") if node.types[0].name not in body.index.classes else node.types[0]
        )
        inner = translated(node.body.statements, body)
    is_used = any(isinstance(one, ast.Name) and one.id == target for part in inner for one in ast.walk(part))
    return ast.ExceptHandler(kind, target if is_used else None, inner or [ast.Pass()])
