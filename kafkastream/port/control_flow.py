"""Translation of loops with a counter, switches, and handlers of exceptions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import attrs

from kafkastream.port.creations import exception_name
from kafkastream.port.effects import translate_effect
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
from kafkastream.port.statements import translate_loop_body, translate_statements
from kafkastream.port.translation import Body, Value, translate_expression, translates

__all__: list[str] = []


# Loops


@translates(For)
def _translate_for(node: For, body: Body) -> list[ast.stmt]:
    counted = _translate_counted_for(node, body)
    if counted is not None:
        return counted
    with body.block():
        start = translate_statements(node.start, body)
        updates: list[ast.stmt] = []
        for update in node.update:
            updates.extend(translate_effect(update, body) or [ast.Expr(translate_expression(update, body).code)])
        condition = translate_expression(node.condition, body).code if node.condition is not None else constant(True)
        inner = translate_loop_body(node.body, body, updates)
        return [*start, ast.While(condition, [*inner, *updates], [])]


def _translate_counted_for(node: For, body: Body) -> list[ast.stmt] | None:
    """Translate ``for (int i = a; i < b; i++)`` to a loop over ``range``; return None for loops of another shape."""
    start = node.start[0] if len(node.start) == 1 else None
    condition = node.condition
    if (
        not isinstance(start, LocalVariable)
        or start.value is None
        or not isinstance(condition, Binary)
        or len(node.update) != 1
    ):
        return None
    step = _loop_step(node.update[0], start.name)
    is_variable = isinstance(condition.left, Name) and condition.left.text == start.name
    if (
        step is None
        or not is_variable
        or _assigns_variable(node.body, start.name)
        or not _is_fixed(condition.right, node.body)
    ):
        return None
    if (step > 0) != (condition.operator in ("<", "<=")) or condition.operator not in ("<", "<=", ">", ">="):
        return None
    return _range_loop(node, start, condition, step, body)


def _range_loop(node: For, start: LocalVariable, condition: Binary, step: int, body: Body) -> list[ast.stmt]:
    assert start.value is not None
    first, last = translate_expression(start.value, body).code, translate_expression(condition.right, body).code
    if condition.operator in ("<=", ">="):
        last = _shift_bound(last, 1 if step > 0 else -1)
    bounds = [last] if step == 1 and isinstance(first, ast.Constant) and first.value == 0 else [first, last]
    if step != 1:
        bounds.append(constant(step))
    with body.block():
        target = body.declare(start.name, start.type if start.type != UNKNOWN else INT)
        return [ast.For(name(target), call("range", *bounds), translate_loop_body(node.body, body), [], lineno=0)]


def _shift_bound(tree: ast.expr, offset: int) -> ast.expr:
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int):
        return constant(tree.value + offset)
    return code("a + 1" if offset > 0 else "a - 1", a=tree)


def _loop_step(update: Expression, variable: str) -> int | None:
    if isinstance(update, Update) and isinstance(update.target, Name) and update.target.text == variable:
        return 1 if update.operator == "++" else -1
    is_own = isinstance(update, Assign) and isinstance(update.target, Name) and update.target.text == variable
    if is_own and isinstance(update, Assign) and isinstance(update.value, Literal) and update.operator in ("+=", "-="):
        return int(update.value.value) if update.operator == "+=" else -int(update.value.value)
    return None


def _assigns_variable(node: Statement, variable: str) -> bool:
    targets = (assignment.target for assignment in nodes_in(node) if isinstance(assignment, Assign | Update))
    return any(isinstance(target, Name) and target.text == variable for target in targets)


def _is_fixed(bound: Expression, loop: Statement) -> bool:
    """Return whether the value of a bound cannot change while the loop runs; ``range`` evaluates it once."""
    names = {inner.text for inner in nodes_in(bound) if isinstance(inner, Name)}
    if any(_assigns_variable(loop, variable) for variable in names):
        return False
    calls = [inner for inner in nodes_in(bound) if isinstance(inner, Call)]
    if any(method_call.name not in ("size", "length", "getArity") for method_call in calls):
        return not calls
    changing = {"add", "remove", "clear", "addAll", "poll", "pop", "append"}
    return not any(
        isinstance(inner, Call)
        and inner.name in changing
        and isinstance(inner.target, Name)
        and inner.target.text in names
        for inner in nodes_in(loop)
    ) and all(isinstance(inner, Name | Literal | Call | Binary | FieldAccess) for inner in nodes_in(bound))


# Switches


@translates(Switch)
def _translate_switch(node: Switch, body: Body) -> list[ast.stmt]:
    subject = translate_expression(node.value, body)
    cases = _merge_cases(node.cases)
    labels = [[_translate_label(label, subject, body) for label in case.labels] for case in cases]
    bodies = [_translate_case(case, body) for case in cases]
    if any(isinstance(label, ast.Name) for group in labels for label in group):
        return _if_chain(subject, cases, labels, bodies)
    match_cases = []
    for case, group, inner in sorted(zip(cases, labels, bodies, strict=True), key=lambda branch: branch[0].is_default):
        patterns: list[ast.pattern] = [ast.MatchValue(label) for label in group]
        pattern = patterns[0] if len(patterns) == 1 else ast.MatchOr(patterns)
        match_cases.append(ast.match_case(ast.MatchAs() if case.is_default else pattern, None, inner))
    return [ast.Match(subject.code, match_cases)]


def _merge_cases(cases: Sequence[Case]) -> list[Case]:
    """Merge cases without statements into the next case; refuse a case that falls through to the next one."""
    merged: list[Case] = []
    labels: list[Expression] = []
    is_default = False
    for index, case in enumerate(cases):
        labels.extend(case.labels)
        is_default = is_default or case.is_default
        if not [statement for statement in case.statements if not isinstance(statement, Comment)] and index + 1 < len(
            cases
        ):
            continue
        if not case.is_rule and index + 1 < len(cases) and not _leaves_case(case.statements):
            raise Untranslated("a case falls through to the next one")
        merged.append(attrs.evolve(case, labels=tuple(labels), is_default=is_default))
        labels, is_default = [], False
    return merged


def _leaves_case(statements: Sequence[Statement]) -> bool:
    real = [statement for statement in statements if not isinstance(statement, Comment)]
    last = real[-1] if real else None
    inner = getattr(last, "statements", None)
    return isinstance(last, Break | Return | Throw | Continue) or (inner is not None and _leaves_case(inner))


def _translate_label(node: Expression, subject: Value, body: Body) -> ast.expr:
    if isinstance(node, Name):
        for java in (subject.type.name, *body.index.classes):
            info = body.index.classes.get(java)
            if info is not None and any(
                enum_constant.name == node.text for enum_constant in info.declaration.constants
            ):
                return attribute(name(info.python), node.text)
    return translate_expression(node, body).code


def _translate_case(case: Case, body: Body) -> list[ast.stmt]:
    statements = list(case.statements)
    if statements and isinstance(statements[-1], Break):
        statements.pop()
    outer, body.in_switch = body.in_switch, True
    try:
        with body.block():
            return translate_statements(statements, body) or [ast.Pass()]
    finally:
        body.in_switch = outer


def _if_chain(
    subject: Value, cases: Sequence[Case], labels: Sequence[list[ast.expr]], bodies: Sequence[list[ast.stmt]]
) -> list[ast.stmt]:
    """Translate a switch over constants to ``if`` statements: a name in a Python pattern would be assigned, not compared."""
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
def _translate_try(node: Try, body: Body) -> list[ast.stmt]:
    with body.block():
        inner = _translate_resources(node.resources, node, body)
    if not node.catches and node.last_block is None:
        return inner
    handlers = [_translate_catch(catch, body) for catch in node.catches]
    with body.block():
        last = translate_statements(node.last_block.statements, body) if node.last_block is not None else []
    if not handlers and not last:
        return inner
    return [ast.Try(inner or [ast.Pass()], handlers, [], last)]


def _translate_resources(resources: Sequence[LocalVariable], node: Try, body: Body) -> list[ast.stmt]:
    if not resources:
        return translate_statements(node.body.statements, body)
    first, *rest = resources
    assert first.value is not None
    value = translate_expression(first.value, body)
    kind = first.type if first.type != UNKNOWN else value.type
    target = name(body.declare(first.name, kind)) if first.name else None
    opened = isinstance(value.code, ast.Call) and isinstance(value.code.func, ast.Name) and value.code.func.id == "open"
    context = value.code if opened else call("closing", value.code)
    return [ast.With([ast.withitem(context, target)], _translate_resources(rest, node, body) or [ast.Pass()])]


def _translate_catch(node: Catch, body: Body) -> ast.ExceptHandler:
    names = list(dict.fromkeys(exception_name(exception_type.name, body) for exception_type in node.types))
    if "OSError" in names and "ValueError" not in names and body.program.reads_json:
        names.append("ValueError")  # Jackson's exceptions are those of input and output
    kind: ast.expr = name(names[0]) if len(names) == 1 else ast.Tuple([name(python) for python in names], ast.Load())
    with body.block():
        target = body.declare(
            node.name, Type("Exception") if node.types[0].name not in body.index.classes else node.types[0]
        )
        inner = translate_statements(node.body.statements, body)
    is_used = any(
        isinstance(inner_node, ast.Name) and inner_node.id == target for part in inner for inner_node in ast.walk(part)
    )
    return ast.ExceptHandler(kind, target if is_used else None, inner or [ast.Pass()])
