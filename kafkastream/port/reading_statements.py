"""Reading of statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import attrs

from kafkastream.port.grammar import (
    child,
    children,
    line_range,
    named_children,
    read_comment,
    read_expression,
    read_statement,
    reads,
    text_of,
)
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
from kafkastream.port.reading_expressions import read_expressions, read_type

if TYPE_CHECKING:
    from tree_sitter import Node as Tree

__all__ = ["read_block", "read_local_variables"]

_COMMENTS: Final = ("line_comment", "block_comment")


def read_block(tree: Tree | None) -> Block:
    """Read the statements in braces, with their comments."""
    return Block(tuple(_read_statements(tree)), **line_range(tree))


def _read_statements(tree: Tree | None) -> Iterator[Statement]:
    read: list[tuple[Tree, Statement]] = []
    for node in tree.named_children if tree is not None else ():
        if node.type in _COMMENTS:
            with_node = (node, read_comment(node))
            follows = bool(read) and read[-1][0].end_point[0] == node.start_point[0]
            read.insert(len(read) - 1 if follows else len(read), with_node)
        elif node.type not in ("switch_label",):
            read.extend((node, statement) for statement in _expand_declaration(node))
    return (statement for _, statement in read)


def _expand_declaration(tree: Tree) -> list[Statement]:
    if tree.type == "local_variable_declaration":
        declared = read_local_variables(tree)
        comments = tuple(
            read_comment(named_child) for named_child in tree.named_children if named_child.type in _COMMENTS
        )
        with_comments = read_statement(tree).comments or comments
        return [attrs.evolve(declared[0], comments=with_comments), *declared[1:]] if declared else []
    return [read_statement(tree)]


def read_local_variables(tree: Tree) -> list[LocalVariable]:
    """Read the variables of a declaration."""
    kind = read_type(child(tree, "type"))
    return [_read_local_variable(declarator, kind) for declarator in children(tree, "declarator")]


def _read_local_variable(tree: Tree, kind: Type) -> LocalVariable:
    extra = text_of(child(tree, "dimensions")).count("[")
    value = child(tree, "value")
    whole = attrs.evolve(kind, dimensions=kind.dimensions + extra) if kind.name != "var" else Type("?")
    return LocalVariable(
        text_of(child(tree, "name")), whole, read_expression(value) if value is not None else None, **line_range(tree)
    )


@reads("local_variable_declaration")
def _read_declaration(tree: Tree) -> Statement:
    declared = read_local_variables(tree)
    return declared[0] if len(declared) == 1 else Block(tuple(declared), **line_range(tree))


@reads("block", "constructor_body")
def _read_block_node(tree: Tree) -> Statement:
    return read_block(tree)


@reads("expression_statement")
def _read_expression_statement(tree: Tree) -> Statement:
    inner = named_children(tree)[0]
    if inner.type == "switch_expression":
        return read_statement(inner)
    return Evaluate(read_expression(inner), **line_range(tree))


@reads("explicit_constructor_invocation")
def _read_constructor_call(tree: Tree) -> Statement:
    keyword = child(tree, "constructor")
    is_super = keyword is not None and keyword.type == "super"
    call = Call(This(is_super=is_super), "<init>", read_expressions(child(tree, "arguments")), **line_range(tree))
    return Evaluate(call, **line_range(tree))


@reads("if_statement")
def _read_if(tree: Tree) -> Statement:
    otherwise = child(tree, "alternative")
    return If(
        read_expression(child(tree, "condition")),
        read_statement(child(tree, "consequence")),
        read_statement(otherwise) if otherwise is not None else None,
        **line_range(tree),
    )


@reads("while_statement")
def _read_while(tree: Tree) -> Statement:
    return While(read_expression(child(tree, "condition")), read_statement(child(tree, "body")), **line_range(tree))


@reads("do_statement")
def _read_do(tree: Tree) -> Statement:
    return Do(read_statement(child(tree, "body")), read_expression(child(tree, "condition")), **line_range(tree))


@reads("for_statement")
def _read_for(tree: Tree) -> Statement:
    start: list[Statement] = []
    for node in children(tree, "init"):
        if node.type == "local_variable_declaration":
            start.extend(read_local_variables(node))
        else:
            start.append(Evaluate(read_expression(node), **line_range(node)))
    condition = child(tree, "condition")
    return For(
        tuple(start),
        read_expression(condition) if condition is not None else None,
        tuple(map(read_expression, children(tree, "update"))),
        read_statement(child(tree, "body")),
        **line_range(tree),
    )


@reads("enhanced_for_statement")
def _read_for_each(tree: Tree) -> Statement:
    kind = read_type(child(tree, "type"))
    return ForEach(
        text_of(child(tree, "name")),
        kind if kind.name != "var" else Type("?"),
        read_expression(child(tree, "value")),
        read_statement(child(tree, "body")),
        **line_range(tree),
    )


@reads("return_statement")
def _read_return(tree: Tree) -> Statement:
    values = named_children(tree)
    return Return(read_expression(values[0]) if values else None, **line_range(tree))


@reads("yield_statement")
def _read_yield(tree: Tree) -> Statement:
    return Yield(read_expression(named_children(tree)[0]), **line_range(tree))


@reads("throw_statement")
def _read_throw(tree: Tree) -> Statement:
    return Throw(read_expression(named_children(tree)[0]), **line_range(tree))


@reads("break_statement")
def _read_break(tree: Tree) -> Statement:
    labels = named_children(tree)
    return Break(text_of(labels[0]) if labels else None, **line_range(tree))


@reads("continue_statement")
def _read_continue(tree: Tree) -> Statement:
    labels = named_children(tree)
    return Continue(text_of(labels[0]) if labels else None, **line_range(tree))


@reads("synchronized_statement")
def _read_synchronized(tree: Tree) -> Statement:
    return read_block(child(tree, "body"))


@reads(";", "assert_statement")  # Java checks assertions only when it is started with -ea
def _read_empty(tree: Tree) -> Statement:
    return Empty(**line_range(tree))


@reads("try_statement", "try_with_resources_statement")
def _read_try(tree: Tree) -> Statement:
    finals = [node for node in named_children(tree) if node.type == "finally_clause"]
    return Try(
        tuple(map(_read_resource, named_children(child(tree, "resources")))),
        read_block(child(tree, "body")),
        tuple(_read_catch(node) for node in named_children(tree) if node.type == "catch_clause"),
        read_block(named_children(finals[0])[0]) if finals else None,
        **line_range(tree),
    )


def _read_resource(tree: Tree) -> LocalVariable:
    value = child(tree, "value")
    if value is None:
        return LocalVariable("", Type("?"), read_expression(named_children(tree)[0]), **line_range(tree))
    return LocalVariable(
        text_of(child(tree, "name")), read_type(child(tree, "type")), read_expression(value), **line_range(tree)
    )


def _read_catch(tree: Tree) -> Catch:
    parameter = next(node for node in named_children(tree) if node.type == "catch_formal_parameter")
    kinds = next(node for node in named_children(parameter) if node.type == "catch_type")
    name = text_of(child(parameter, "name"))
    return Catch(
        tuple(map(read_type, named_children(kinds))), name, read_block(child(tree, "body")), **line_range(tree)
    )


@reads("switch_expression", "switch_statement")
def _read_switch(tree: Tree) -> Statement:
    groups = named_children(child(tree, "body"))
    return Switch(read_expression(child(tree, "condition")), tuple(map(_read_case, groups)), **line_range(tree))


def _read_case(tree: Tree) -> Case:
    labels = [node for node in named_children(tree) if node.type == "switch_label"]
    values = tuple(read_expression(value) for label in labels for value in named_children(label))
    is_default = any(text_of(label).startswith("default") for label in labels)
    body = tuple(_read_statements(tree))
    if tree.type == "switch_rule" and len(body) == 1 and isinstance(body[0], Block):
        body = body[0].statements
    plain = tuple(value for value in values if not (isinstance(value, Literal) and value.kind == "default"))
    return Case(plain, body, tree.type == "switch_rule", is_default, **line_range(tree))
