"""Declaration of a built-in function: argument types, Flink's result type, and Spark SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from string import Formatter
from typing import Final, final

import attrs

from kafkastream.sql.plan.expression import Call, TypedExpression, is_null
from kafkastream.sql.plan.functions.null_arguments import ILLEGAL_NULL, TYPED_NULL, illegal_null
from kafkastream.sql.plan.functions.signatures import misfit
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
    """Error about arguments that do not fit a function.

    Args:
        what: Reason.
        now: Hint.
        argument: Position of the wrong argument; None for the whole call.
        is_unsupported: Whether Flink accepts the arguments.
    """

    def __init__(self, what: str, now: str = "", *, argument: int | None = None, is_unsupported: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.now = now
        self.argument = argument
        self.is_unsupported = is_unsupported

    @staticmethod
    def unsupported(what: str, now: str, argument: int | None = None) -> CallError:
        """Return the error about arguments that Flink accepts and this package does not."""
        return CallError(what, now, argument=argument, is_unsupported=True)


@final
@attrs.frozen
class BuiltInFunction:
    """Built-in function or operator.

    Args:
        infer: Returns the result type by Flink's rules; raises ``CallError`` for arguments that do not fit.
        write: Returns the Spark SQL of a call, given that of its arguments.
        counts: Minimum and maximum number of arguments.
        takes: Accepted kinds of each argument, the last for all that follow; empty for any.
        prepare: Inserts implicit casts of arguments.
        runs: Returns the Spark SQL that runs, where descriptions of queries keep that of ``write``, since checkpoints
            have it; None for the same.
    """

    infer: Infer
    write: Write
    counts: tuple[int, int]
    takes: tuple[Collection[Kind], ...] = ()
    prepare: Callable[[Arguments], Arguments] = tuple
    runs: Write | None = None

    def checked(self, name: str, arguments: Arguments) -> Call:
        """Return the call with checked arguments.

        Raises:
            CallError: The arguments do not fit.
        """
        if (place := illegal_null(name, arguments)) is not None:
            raise CallError(ILLEGAL_NULL, TYPED_NULL, argument=place)
        if what := misfit(name, arguments):
            raise CallError(what, "CAST the argument.")
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
    """Writer of Spark SQL that does not depend on the types of arguments.

    Args:
        templates: One template per number of arguments: ``{0}`` is the first, ``{*}`` all of them.
    """

    templates: tuple[str, ...]
    _by_count: Mapping[int | None, str] = attrs.field(init=False, repr=False, eq=False)

    @_by_count.default
    def _places_of_templates(self) -> Mapping[int | None, str]:
        return {None if _ALL in one else _places(one): one for one in self.templates}

    def __call__(self, _: Call, texts: Sequence[str]) -> str:
        """Return the Spark SQL of a call."""
        template = self._by_count.get(len(texts))
        return self._by_count[None].replace(_ALL, ", ".join(texts)) if template is None else template.format(*texts)


def _places(template: str) -> int:
    return max((int(name) + 1 for _, name, _, _ in Formatter().parse(template) if name), default=0)


def forms(*templates: str) -> Forms:
    """Return a writer by templates."""
    return Forms(templates)


def _any_null(arguments: Arguments) -> bool:
    return any(one.type.is_nullable for one in arguments)


def returns(type_: DataType) -> Infer:
    """Return an inference of this type, nullable if an argument is."""
    return lambda arguments: type_.nullable() if _any_null(arguments) else type_.not_null()


def always_nullable(type_: DataType) -> Infer:
    """Return an inference of this type, always nullable."""
    return lambda _: type_.nullable()


def never_null(type_: DataType) -> Infer:
    """Return an inference of this type, NOT NULL."""
    return lambda _: type_.not_null()


def like(place: int, *, nullable: bool = False) -> Infer:
    """Return an inference of an argument's type, nullable if any argument is, or always."""

    def inferred(arguments: Arguments) -> DataType:
        type_ = arguments[place].type
        return type_.nullable() if nullable or _any_null(arguments) else type_.not_null()

    return inferred
