"""Translation of statements. A statement without a translation becomes a mark; the others are translated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from kafkastream.port.conversions import convert
from kafkastream.port.effects import translate_effect
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
from kafkastream.port.switch_values import switch_assigning, switch_returning
from kafkastream.port.translation import Body, translate_expression, translate_statement, translates

__all__ = ["mark_statement", "translate_loop_body", "translate_statements"]

_OMITTED_TYPES: Final = frozenset({"ObjectMapper", "JsonMapper"})


def translate_statements(nodes: Sequence[Statement], body: Body) -> list[ast.stmt]:
    """Translate statements; a mark replaces each one without a translation."""
    return [tree for node in nodes for tree in _translate_or_mark(node, body)]


def _translate_or_mark(node: Statement, body: Body) -> Iterator[ast.stmt]:
    for comment in node.comments:
        yield from translate_statement(comment, body)
    outer, body.hoisted = body.hoisted, []
    try:
        trees = list(translate_statement(node, body))
    except Untranslated as reason:
        trees = mark_statement(node, str(reason), body)
        body.hoisted = []
    yield from body.hoisted
    body.hoisted = outer
    yield from trees


def mark_statement(node: Statement, reason: str, body: Body) -> list[ast.stmt]:
    """Mark a statement; if it returns or throws, the ported program raises ``NotImplementedError`` there."""
    mark = body.program.mark(body.path, node.line, node.last, reason)
    file_name = body.path.rpartition("/")[2]
    if isinstance(node, LocalVariable) and body.find(node.name) is None:
        body.declare(node.name, node.type)
    trees: list[ast.stmt] = [remark_of(mark, file_name)]
    if any(isinstance(inner, Return | Throw) for inner in nodes_in(node)):
        text = f"{file_name}:{node.line} is not translated"
        trees.append(ast.Raise(call("NotImplementedError", constant(text)), None))
    return trees


@translates(Comment)
def _translate_comment(node: Comment, body: Body) -> list[ast.stmt]:
    lines = [line for line in node.lines if line]
    return [Remark(lines)] if lines else []


@translates(Empty)
def _translate_empty(node: Empty, body: Body) -> list[ast.stmt]:
    return []


@translates(Block)
def _translate_block(node: Block, body: Body) -> list[ast.stmt]:
    with body.block():
        return translate_statements(node.statements, body)


@translates(LocalVariable)
def _translate_local_variable(node: LocalVariable, body: Body) -> list[ast.stmt]:
    if isinstance(node.value, SwitchValue):
        body.declare(node.name, node.type)
        return list(translate_statement(switch_assigning(node.value, Name(node.name)), body))
    if node.value is None:
        python = body.declare(node.name, node.type)
        return [ast.AnnAssign(name(python), body.annotation(node.type), None, 1)]
    body.expected = node.type.arguments[: len(node.value.parameters)] if isinstance(node.value, Lambda) else ()
    value = translate_expression(node.value, body)
    body.expected = ()
    kind = node.type if node.type != UNKNOWN else value.type
    kind = value.type if kind.name == value.type.name and len(kind.arguments) < len(value.type.arguments) else kind
    python = body.declare(node.name, kind)
    if kind.name in _OMITTED_TYPES:
        return []
    tree = convert(value, kind)
    if _needs_annotation(tree):
        return [ast.AnnAssign(name(python), body.annotation(kind), tree, 1)]
    return [assign(name(python), tree)]


def _needs_annotation(tree: ast.expr) -> bool:
    """Return whether a type checker cannot infer the type from the value."""
    is_empty = isinstance(tree, ast.List | ast.Dict) and not ast.unparse(tree).strip("[]{}")
    is_tag = isinstance(tree, ast.Call) and ast.unparse(tree.func) == "OutputTag" and len(tree.args) == 1
    return is_tag or is_empty or ast.unparse(tree) in ("set()", "None")


@translates(Evaluate)
def _translate_expression_statement(node: Evaluate, body: Body) -> list[ast.stmt]:
    trees = translate_effect(node.expression, body)
    if trees is not None:
        return list(trees)
    value = translate_expression(node.expression, body)
    is_none = isinstance(value.code, ast.Constant) and value.code.value is None
    if is_none or value.type.name == "ObjectMapper":
        return []
    return [evaluate(value.code)]


@translates(If)
def _translate_if(node: If, body: Body) -> list[ast.stmt]:
    condition = translate_expression(node.condition, body)
    with body.block():
        then = translate_statements(_block_statements(node.then), body)
    otherwise = []
    if node.otherwise is not None:
        with body.block():
            otherwise = translate_statements(_block_statements(node.otherwise), body)
    return [ast.If(condition.code, then or [ast.Pass()], otherwise)]


def _block_statements(node: Statement) -> Sequence[Statement]:
    return node.statements if isinstance(node, Block) else (node,)


@translates(While)
def _translate_while(node: While, body: Body) -> list[ast.stmt]:
    loop = _translate_iterator_loop(node, body)
    if loop is not None:
        return loop
    outer, body.hoisted = body.hoisted, []
    condition = translate_expression(node.condition, body)
    if body.hoisted:
        raise Untranslated("the condition of this loop needs statements before it")
    body.hoisted = outer
    return [ast.While(condition.code, translate_loop_body(node.body, body), [])]


def translate_loop_body(node: Statement, body: Body, updates: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
    """Translate the body of a loop. ``updates`` runs before each ``continue``, as in Java's ``for``."""
    body.updates.append(list(updates))
    try:
        with body.block():
            return translate_statements(_block_statements(node), body) or [ast.Pass()]
    finally:
        body.updates.pop()


def _translate_iterator_loop(node: While, body: Body) -> list[ast.stmt] | None:
    """Translate ``while (it.hasNext()) { x = it.next(); … }`` to a loop over the iterator; None for other loops."""
    condition = node.condition
    if not (isinstance(condition, Call) and condition.name == "hasNext" and isinstance(condition.target, Name)):
        return None
    iterator = condition.target.text
    first, *rest = _block_statements(node.body) or (Empty(),)
    is_next = isinstance(first, LocalVariable) and isinstance(first.value, Call) and first.value.name == "next"
    if not is_next or any(isinstance(inner, Name) and inner.text == iterator for inner in nodes_in(tuple(rest))):
        raise Untranslated("Python's iterators have no hasNext: loop over them by for")
    assert isinstance(first, LocalVariable)
    values = translate_expression(condition.target, body)
    with body.block():
        kind = first.type if first.type != UNKNOWN else values.type.argument(0)
        target = body.declare(first.name, kind)
        return [ast.For(name(target), values.code, translate_loop_body(Block(tuple(rest)), body), [], lineno=0)]


@translates(Do)
def _translate_do(node: Do, body: Body) -> list[ast.stmt]:
    if any(isinstance(inner, Continue) for inner in nodes_in(node.body)):
        raise Untranslated("continue in a loop with its condition at the bottom")
    with body.block():
        trees = translate_statements(_block_statements(node.body), body)
        condition = translate_expression(node.condition, body).code
    stop = ast.If(ast.UnaryOp(ast.Not(), condition), [ast.Break()], [])
    return [ast.While(constant(True), [*trees, stop], [])]


@translates(ForEach)
def _translate_for_each(node: ForEach, body: Body) -> list[ast.stmt]:
    values = translate_expression(node.values, body)
    element = values.type.argument(0)
    if values.type.dimensions:
        element = Type(values.type.name, values.type.arguments, values.type.dimensions - 1)
    with body.block():
        kind = node.type if node.type != UNKNOWN else element
        if kind.name == "Entry" and not kind.arguments:
            kind = element
        target = body.declare(node.name, kind)
        return [ast.For(name(target), values.code, translate_loop_body(node.body, body), [], lineno=0)]


@translates(Return)
def _translate_return(node: Return, body: Body) -> list[ast.stmt]:
    if node.value is None:
        return [ast.Return(None)]
    if isinstance(node.value, SwitchValue):
        return list(translate_statement(switch_returning(node.value), body))
    value = translate_expression(node.value, body)
    if isinstance(value.code, ast.Yield | ast.YieldFrom):
        return [evaluate(value.code)]
    return [ast.Return(convert(value, body.result))]


@translates(Break)
def _translate_break(node: Break, body: Body) -> list[ast.stmt]:
    if node.label is not None or body.in_switch:
        raise Untranslated("Python has no break out of this place")
    return [ast.Break()]


@translates(Continue)
def _translate_continue(node: Continue, body: Body) -> list[ast.stmt]:
    if node.label is not None:
        raise Untranslated("Python has no labels")
    return [*(body.updates[-1] if body.updates else ()), ast.Continue()]


@translates(Throw)
def _translate_throw(node: Throw, body: Body) -> list[ast.stmt]:
    value = translate_expression(node.value, body)
    if not isinstance(node.value, New):
        return [ast.Raise(value.code, None)]
    causes = [translate_expression(argument, body) for argument in node.value.arguments]
    raised = [cause.code for cause in causes if cause.type.name.endswith(("Exception", "Error", "Throwable"))]
    return [ast.Raise(value.code, raised[-1] if raised else None)]
