"""Registries of the engine: functions that handle a sink or a format, found by its class."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from importlib import import_module
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Protocol, TypeVar, final

from kafkastream.errors import DefinitionError

__all__ = ["HasEngineModule", "Registry", "unregistered"]

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])


class HasEngineModule(Protocol):
    """A value whose class names the engine module that handles it."""

    engine_module: ClassVar[str]


@final
class Registry(Generic[P, R]):
    """Decorator of a function that dispatches on the class of its first argument, as ``functools.singledispatch`` does.

    Before the first look-up it imports the module that the class names as its ``engine_module``, where the handler of
    the class is registered. So a new class needs no entry in any list of modules.

    Args:
        fallback: The decorated function, which handles classes without a handler of their own.
    """

    def __init__(self, fallback: Callable[Concatenate[Any, P], R]) -> None:
        self.__doc__ = fallback.__doc__
        self._dispatch = singledispatch(fallback)

    def __call__(self, value: HasEngineModule, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the handler of the value's class."""
        return self._handler(type(value))(value, *args, **kwargs)

    def register(self, handler: F) -> F:
        """Register a handler for the class that its first parameter is annotated with."""
        self._dispatch.register(handler)
        return handler

    def knows(self, kind: type[HasEngineModule]) -> bool:
        """Return whether a class has a handler of its own, or of a base class."""
        return self._handler(kind) is not self._dispatch.dispatch(object)

    def _handler(self, kind: type[HasEngineModule]) -> Callable[..., R]:
        if kind.engine_module:
            import_module(kind.engine_module)
        return self._dispatch.dispatch(kind)


def unregistered(what: str, kind: type[HasEngineModule], handler: str) -> DefinitionError:
    """Return the error for a class that has no handler.

    Args:
        what: Name of such classes, in the singular.
        kind: The class.
        handler: Handler that its engine module must register, and how.
    """
    name = kind.__name__
    return DefinitionError(
        f"nothing handles {what} {name}",
        now=f"Register {handler} in the module that {name}.engine_module names, which is {kind.engine_module!r}.",
    )
