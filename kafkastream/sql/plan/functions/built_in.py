"""A built-in function: the arguments that it takes, Flink's type of its result, and its Spark SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from string import Formatter
from typing import Final, final

import attrs

from kafkastream.sql.plan.expression import Call, TypedExpression, is_null
from kafkastream.sql.type_families import COLLECTIONS
from kafkastream.sql.types import DataType, Kind

__all__ = [
    "Arguments",
    "BuiltInFunction",
    "CallError",
    "Forms",
    "Infer",
    "always_nullable",
    "forms",
    "like",
    "never_null",
    "returns",
]

Arguments = Sequence[TypedExpression]
Infer = Callable[[Arguments], DataType]
Write = Callable[[Call, Sequence[str]], str]
_ALL: Final = "{*}"
"""Stands for all arguments in a template."""


class CallError(Exception):
    """Arguments that a function does not take.

    Args:
        what: Reason.
        now: Hint.
        argument: Position of the argument that is wrong; None for the whole call.
        is_unsupported: Whether Flink takes them.
    """

    def __init__(self, what: str, now: str = "", *, argument: int | None = None, is_unsupported: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.now = now
        self.argument = argument
        self.is_unsupported = is_unsupported

    @staticmethod
    def unsupported(what: str, now: str, argument: int | None = None) -> CallError:
        """Arguments that Flink takes, and this package does not."""
        return CallError(what, now, argument=argument, is_unsupported=True)


@final
@attrs.frozen
class BuiltInFunction:
    """Built-in function or operator.

    Args:
        infer: Type of the result, by Flink's rules; raises ``CallError`` for arguments that do not fit.
        write: Spark SQL of a call, of the Spark SQL of its arguments.
        counts: Fewest and most arguments.
        takes: Kinds of each argument, the last for all that follow; no entries for any.
        prepare: Casts of arguments that nobody has written.
    """

    infer: Infer
    write: Write
    counts: tuple[int, int]
    takes: tuple[Collection[Kind], ...] = ()
    prepare: Callable[[Arguments], Arguments] = tuple

    def checked(self, name: str, arguments: Arguments) -> Call:
        """Call with arguments that fit.

        Raises:
            CallError: They do not.
        """
        low, high = self.counts
        if not low <= len(arguments) <= high:
            raise CallError(f"Invalid number of arguments to function '{name}': {len(arguments)}.")
        for place, argument in enumerate(arguments):
            if not self._takes(place, argument):
                types = ", ".join(f"<{one.type}>" for one in arguments)
                raise CallError(f"Cannot apply '{name}' to arguments of type '{name}({types})'", "CAST the argument.")
        prepared = tuple(self.prepare(arguments))
        return Call(name, prepared, self.infer(prepared))

    def _takes(self, place: int, argument: TypedExpression) -> bool:
        if not self.takes:
            return True
        kinds = self.takes[min(place, len(self.takes) - 1)]
        return argument.type.kind in kinds or (is_null(argument) and not set(kinds) <= COLLECTIONS)


@final
@attrs.frozen
class Forms:
    """Writer of Spark SQL that is the same whatever the types of the arguments are.

    Args:
        templates: One for each number of arguments, with ``{0}`` for the first; ``{*}`` stands for all of them.
    """

    templates: tuple[str, ...]
    _by_count: Mapping[int | None, str] = attrs.field(init=False, repr=False, eq=False)

    @_by_count.default
    def _places_of_templates(self) -> Mapping[int | None, str]:
        return {None if _ALL in one else _places(one): one for one in self.templates}

    def __call__(self, _: Call, texts: Sequence[str]) -> str:
        """Spark SQL of a call."""
        template = self._by_count.get(len(texts))
        return self._by_count[None].replace(_ALL, ", ".join(texts)) if template is None else template.format(*texts)


def _places(template: str) -> int:
    return max((int(name) + 1 for _, name, _, _ in Formatter().parse(template) if name), default=0)


def forms(*templates: str) -> Forms:
    """Writer by templates."""
    return Forms(templates)


def _any_null(arguments: Arguments) -> bool:
    return any(one.type.is_nullable for one in arguments)


def returns(type_: DataType) -> Infer:
    """A type that is nullable where an argument is."""
    return lambda arguments: type_.nullable() if _any_null(arguments) else type_.not_null()


def always_nullable(type_: DataType) -> Infer:
    """A type with NULL, whatever the arguments are."""
    return lambda _: type_.nullable()


def never_null(type_: DataType) -> Infer:
    """A type without NULL."""
    return lambda _: type_.not_null()


def like(place: int, *, nullable: bool = False) -> Infer:
    """The type of an argument, nullable where an argument is, or always."""

    def inferred(arguments: Arguments) -> DataType:
        type_ = arguments[place].type
        return type_.nullable() if nullable or _any_null(arguments) else type_.not_null()

    return inferred
