"""Reading of statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import attrs

from kafkastream.port.grammar import child, children, comment_of, expression, named, place, reads, statement, text_of
from kafkastream.port.java_nodes import (
    Block,
    Break,
    Call,
    Case,
    Catch,
    Continue,
    Do,
    Empty,
    Evaluate,
    For,
    ForEach,
    If,
    Literal,
    LocalVariable,
    Return,
    Statement,
    Switch,
    This,
    Throw,
    Try,
    Type,
    While,
    Yield,
)
from kafkastream.port.reading_expressions import expressions_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["block_of", "local_variables"]

_COMMENTS: Final = ("line_comment", "block_comment")


def block_of(tree: Tree | None) -> Block:
    """Read the statements in braces, with their comments."""
    return Block(tuple(_statements(tree)), **place(tree))


def _statements(tree: Tree | None) -> Iterator[Statement]:
    read: list[tuple[Tree, Statement]] = []
    for one in tree.named_children if tree is not None else ():
        if one.type in _COMMENTS:
            found = (one, comment_of(one))
            follows = bool(read) and read[-1][0].end_point[0] == one.start_point[0]
            read.insert(len(read) - 1 if follows else len(read), found)
        elif one.type not in ("switch_label",):
            read.extend((one, each) for each in _each(one))
    return (each for _, each in read)


def _each(tree: Tree) -> list[Statement]:
    if tree.type == "local_variable_declaration":
        declared = local_variables(tree)
        comments = tuple(comment_of(one) for one in tree.named_children if one.type in _COMMENTS)
        with_comments = statement(tree).comments or comments
        return [attrs.evolve(declared[0], comments=with_comments), *declared[1:]] if declared else []
    return [statement(tree)]


def local_variables(tree: Tree) -> list[LocalVariable]:
    """Read the variables of a declaration."""
    kind = type_of(child(tree, "type"))
    return [_local_variable(one, kind) for one in children(tree, "declarator")]


def _local_variable(tree: Tree, kind: Type) -> LocalVariable:
    extra = text_of(child(tree, "dimensions")).count("[")
    value = child(tree, "value")
    whole = attrs.evolve(kind, dimensions=kind.dimensions + extra) if kind.name != "var" else Type("?")
    return LocalVariable(
        text_of(child(tree, "name")), whole, expression(value) if value is not None else None, **place(tree)
    )


@reads("local_variable_declaration")
def _declaration(tree: Tree) -> Statement:
    declared = local_variables(tree)
    return declared[0] if len(declared) == 1 else Block(tuple(declared), **place(tree))


@reads("block", "constructor_body")
def _block(tree: Tree) -> Statement:
    return block_of(tree)


@reads("expression_statement")
def _evaluate(tree: Tree) -> Statement:
    inner = named(tree)[0]
    if inner.type == "switch_expression":
        return statement(inner)
    return Evaluate(expression(inner), **place(tree))


@reads("explicit_constructor_invocation")
def _constructor_call(tree: Tree) -> Statement:
    what = child(tree, "constructor")
    is_super = what is not None and what.type == "super"
    call = Call(This(is_super=is_super), "<init>", expressions_of(child(tree, "arguments")), **place(tree))
    return Evaluate(call, **place(tree))


@reads("if_statement")
def _if(tree: Tree) -> Statement:
    otherwise = child(tree, "alternative")
    return If(
        expression(child(tree, "condition")),
        statement(child(tree, "consequence")),
        statement(otherwise) if otherwise is not None else None,
        **place(tree),
    )


@reads("while_statement")
def _while(tree: Tree) -> Statement:
    return While(expression(child(tree, "condition")), statement(child(tree, "body")), **place(tree))


@reads("do_statement")
def _do(tree: Tree) -> Statement:
    return Do(statement(child(tree, "body")), expression(child(tree, "condition")), **place(tree))


@reads("for_statement")
def _for(tree: Tree) -> Statement:
    start: list[Statement] = []
    for one in children(tree, "init"):
        if one.type == "local_variable_declaration":
            start.extend(local_variables(one))
        else:
            start.append(Evaluate(expression(one), **place(one)))
    condition = child(tree, "condition")
    return For(
        tuple(start),
        expression(condition) if condition is not None else None,
        tuple(map(expression, children(tree, "update"))),
        statement(child(tree, "body")),
        **place(tree),
    )


@reads("enhanced_for_statement")
def _for_each(tree: Tree) -> Statement:
    kind = type_of(child(tree, "type"))
    return ForEach(
        text_of(child(tree, "name")),
        kind if kind.name != "var" else Type("?"),
        expression(child(tree, "value")),
        statement(child(tree, "body")),
        **place(tree),
    )


@reads("return_statement")
def _return(tree: Tree) -> Statement:
    values = named(tree)
    return Return(expression(values[0]) if values else None, **place(tree))


@reads("yield_statement")
def _yield(tree: Tree) -> Statement:
    return Yield(expression(named(tree)[0]), **place(tree))


@reads("throw_statement")
def _throw(tree: Tree) -> Statement:
    return Throw(expression(named(tree)[0]), **place(tree))


@reads("break_statement")
def _break(tree: Tree) -> Statement:
    labels = named(tree)
    return Break(text_of(labels[0]) if labels else None, **place(tree))


@reads("continue_statement")
def _continue(tree: Tree) -> Statement:
    labels = named(tree)
    return Continue(text_of(labels[0]) if labels else None, **place(tree))


@reads("synchronized_statement")
def _synchronized(tree: Tree) -> Statement:
    return block_of(child(tree, "body"))


@reads(";", "assert_statement")  # Java checks assertions only when it is started with -ea
def _empty(tree: Tree) -> Statement:
    return Empty(**place(tree))


@reads("try_statement", "try_with_resources_statement")
def _try(tree: Tree) -> Statement:
    finals = [one for one in named(tree) if one.type == "finally_clause"]
    return Try(
        tuple(map(_resource, named(child(tree, "resources")))),
        block_of(child(tree, "body")),
        tuple(_catch(one) for one in named(tree) if one.type == "catch_clause"),
        block_of(named(finals[0])[0]) if finals else None,
        **place(tree),
    )


def _resource(tree: Tree) -> LocalVariable:
    value = child(tree, "value")
    if value is None:
        return LocalVariable("", Type("?"), expression(named(tree)[0]), **place(tree))
    return LocalVariable(text_of(child(tree, "name")), type_of(child(tree, "type")), expression(value), **place(tree))


def _catch(tree: Tree) -> Catch:
    parameter = next(one for one in named(tree) if one.type == "catch_formal_parameter")
    kinds = next(one for one in named(parameter) if one.type == "catch_type")
    name = text_of(child(parameter, "name"))
    return Catch(tuple(map(type_of, named(kinds))), name, block_of(child(tree, "body")), **place(tree))


@reads("switch_expression", "switch_statement")
def _switch(tree: Tree) -> Statement:
    groups = named(child(tree, "body"))
    return Switch(expression(child(tree, "condition")), tuple(map(_case, groups)), **place(tree))


def _case(tree: Tree) -> Case:
    labels = [one for one in named(tree) if one.type == "switch_label"]
    values = tuple(expression(value) for label in labels for value in named(label))
    is_default = any(text_of(label).startswith("default") for label in labels)
    body = tuple(_statements(tree))
    if tree.type == "switch_rule" and len(body) == 1 and isinstance(body[0], Block):
        body = body[0].statements
    plain = tuple(one for one in values if not (isinstance(one, Literal) and one.kind == "default"))
    return Case(plain, body, tree.type == "switch_rule", is_default, **place(tree))
