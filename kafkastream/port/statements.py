"""Translation of statements; one without a translation becomes a mark, and the rest is translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from kafkastream.port.conversions import converted
from kafkastream.port.effects import effect
from kafkastream.port.java_nodes import (
    Block,
    Break,
    Call,
    Comment,
    Continue,
    Do,
    Empty,
    Evaluate,
    ForEach,
    If,
    Lambda,
    LocalVariable,
    Name,
    New,
    Return,
    Statement,
    SwitchValue,
    Throw,
    Type,
    While,
    nodes_in,
)
from kafkastream.port.java_types import UNKNOWN
from kafkastream.port.marks import Untranslated, remark_of
from kafkastream.port.python_trees import Remark, assign, call, constant, evaluate, name
from kafkastream.port.switch_values import assigning, returning
from kafkastream.port.translation import Body, expression, statement, translates

__all__ = ["loop_body", "marked", "translated"]

_SILENT: Final = frozenset({"ObjectMapper", "JsonMapper"})


def translated(nodes: Sequence[Statement], body: Body) -> list[ast.stmt]:
    """Translate statements one by one; a mark takes the place of one that has no translation."""
    return [made for node in nodes for made in _one(node, body)]


def _one(node: Statement, body: Body) -> Iterator[ast.stmt]:
    for comment in node.comments:
        yield from statement(comment, body)
    outer, body.hoisted = body.hoisted, []
    try:
        made = list(statement(node, body))
    except Untranslated as reason:
        made = marked(node, str(reason), body)
        body.hoisted = []
    yield from body.hoisted
    body.hoisted = outer
    yield from made


def marked(node: Statement, reason: str, body: Body) -> list[ast.stmt]:
    """Return the mark of a statement; where a value or an exception is due, the program raises at it."""
    mark = body.program.mark(body.path, node.line, node.last, reason)
    file_name = body.path.rpartition("/")[2]
    if isinstance(node, LocalVariable) and body.find(node.name) is None:
        body.declare(node.name, node.type)
    made: list[ast.stmt] = [remark_of(mark, file_name)]
    if any(isinstance(one, Return | Throw) for one in nodes_in(node)):
        text = f"{file_name}:{node.line} is not translated"
        made.append(ast.Raise(call("NotImplementedError", constant(text)), None))
    return made


@translates(Comment)
def _comment(node: Comment, body: Body) -> list[ast.stmt]:
    lines = [line for line in node.lines if line]
    return [Remark(lines)] if lines else []


@translates(Empty)
def _empty(node: Empty, body: Body) -> list[ast.stmt]:
    return []


@translates(Block)
def _block(node: Block, body: Body) -> list[ast.stmt]:
    with body.block():
        return translated(node.statements, body)


@translates(LocalVariable)
def _local_variable(node: LocalVariable, body: Body) -> list[ast.stmt]:
    if isinstance(node.value, SwitchValue):
        body.declare(node.name, node.type)
        return list(statement(assigning(node.value, Name(node.name)), body))
    if node.value is None:
        python = body.declare(node.name, node.type)
        return [ast.AnnAssign(name(python), body.annotation(node.type), None, 1)]
    body.expected = node.type.arguments[: len(node.value.parameters)] if isinstance(node.value, Lambda) else ()
    value = expression(node.value, body)
    body.expected = ()
    kind = node.type if node.type != UNKNOWN else value.type
    kind = value.type if kind.name == value.type.name and len(kind.arguments) < len(value.type.arguments) else kind
    python = body.declare(node.name, kind)
    if kind.name in _SILENT:
        return []
    tree = converted(value, kind)
    if _needs_annotation(tree):
        return [ast.AnnAssign(name(python), body.annotation(kind), tree, 1)]
    return [assign(name(python), tree)]


def _needs_annotation(tree: ast.expr) -> bool:
    """Return whether a type checker cannot tell the type from the value."""
    is_empty = isinstance(tree, ast.List | ast.Dict) and not ast.unparse(tree).strip("[]{}")
    is_tag = isinstance(tree, ast.Call) and ast.unparse(tree.func) == "OutputTag" and len(tree.args) == 1
    return is_tag or is_empty or ast.unparse(tree) in ("set()", "None")


@translates(Evaluate)
def _evaluate(node: Evaluate, body: Body) -> list[ast.stmt]:
    made = effect(node.expression, body)
    if made is not None:
        return list(made)
    value = expression(node.expression, body)
    is_none = isinstance(value.code, ast.Constant) and value.code.value is None
    if is_none or value.type.name == "ObjectMapper":
        return []
    return [evaluate(value.code)]


@translates(If)
def _if(node: If, body: Body) -> list[ast.stmt]:
    condition = expression(node.condition, body)
    with body.block():
        then = translated(_parts(node.then), body)
    otherwise = []
    if node.otherwise is not None:
        with body.block():
            otherwise = translated(_parts(node.otherwise), body)
    return [ast.If(condition.code, then or [ast.Pass()], otherwise)]


def _parts(node: Statement) -> Sequence[Statement]:
    return node.statements if isinstance(node, Block) else (node,)


@translates(While)
def _while(node: While, body: Body) -> list[ast.stmt]:
    over = _iterated(node, body)
    if over is not None:
        return over
    outer, body.hoisted = body.hoisted, []
    condition = expression(node.condition, body)
    if body.hoisted:
        raise Untranslated("the condition of this loop needs statements before it")
    body.hoisted = outer
    return [ast.While(condition.code, loop_body(node.body, body), [])]


def loop_body(node: Statement, body: Body, updates: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
    """Translate the body of a loop, with the statements that run before each next turn."""
    body.updates.append(list(updates))
    try:
        with body.block():
            return translated(_parts(node), body) or [ast.Pass()]
    finally:
        body.updates.pop()


def _iterated(node: While, body: Body) -> list[ast.stmt] | None:
    """``while (it.hasNext()) { x = it.next(); … }`` is a loop over the iterator."""
    condition = node.condition
    if not (isinstance(condition, Call) and condition.name == "hasNext" and isinstance(condition.target, Name)):
        return None
    iterator = condition.target.text
    first, *rest = _parts(node.body) or (Empty(),)
    is_next = isinstance(first, LocalVariable) and isinstance(first.value, Call) and first.value.name == "next"
    if not is_next or any(isinstance(one, Name) and one.text == iterator for one in nodes_in(tuple(rest))):
        raise Untranslated("Python's iterators have no hasNext: loop over them by for")
    assert isinstance(first, LocalVariable)
    values = expression(condition.target, body)
    with body.block():
        kind = first.type if first.type != UNKNOWN else values.type.argument(0)
        target = body.declare(first.name, kind)
        return [ast.For(name(target), values.code, loop_body(Block(tuple(rest)), body), [], lineno=0)]


@translates(Do)
def _do(node: Do, body: Body) -> list[ast.stmt]:
    if any(isinstance(one, Continue) for one in nodes_in(node.body)):
        raise Untranslated("continue in a loop with its condition at the bottom")
    with body.block():
        made = translated(_parts(node.body), body)
        condition = expression(node.condition, body).code
    stop = ast.If(ast.UnaryOp(ast.Not(), condition), [ast.Break()], [])
    return [ast.While(constant(True), [*made, stop], [])]


@translates(ForEach)
def _for_each(node: ForEach, body: Body) -> list[ast.stmt]:
    values = expression(node.values, body)
    element = values.type.argument(0)
    if values.type.dimensions:
        element = Type(values.type.name, values.type.arguments, values.type.dimensions - 1)
    with body.block():
        kind = node.type if node.type != UNKNOWN else element
        if kind.name == "Entry" and not kind.arguments:
            kind = element
        target = body.declare(node.name, kind)
        return [ast.For(name(target), values.code, loop_body(node.body, body), [], lineno=0)]


@translates(Return)
def _return(node: Return, body: Body) -> list[ast.stmt]:
    if node.value is None:
        return [ast.Return(None)]
    if isinstance(node.value, SwitchValue):
        return list(statement(returning(node.value), body))
    value = expression(node.value, body)
    if isinstance(value.code, ast.Yield | ast.YieldFrom):
        return [evaluate(value.code)]
    return [ast.Return(converted(value, body.result))]


@translates(Break)
def _break(node: Break, body: Body) -> list[ast.stmt]:
    if node.label is not None or body.in_switch:
        raise Untranslated("Python has no break out of this place")
    return [ast.Break()]


@translates(Continue)
def _continue(node: Continue, body: Body) -> list[ast.stmt]:
    if node.label is not None:
        raise Untranslated("Python has no labels")
    return [*(body.updates[-1] if body.updates else ()), ast.Continue()]


@translates(Throw)
def _throw(node: Throw, body: Body) -> list[ast.stmt]:
    value = expression(node.value, body)
    if not isinstance(node.value, New):
        return [ast.Raise(value.code, None)]
    causes = [expression(one, body) for one in node.value.arguments]
    raised = [one.code for one in causes if one.type.name.endswith(("Exception", "Error", "Throwable"))]
    return [ast.Raise(value.code, raised[-1] if raised else None)]
