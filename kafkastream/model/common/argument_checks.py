"""Checks of arguments of public methods against their annotations, when they are called."""

from __future__ import annotations

import builtins
import enum
import inspect
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from typing import Any, Final, ParamSpec, Protocol, TypeVar, Union, get_args, get_origin

from kafkastream.errors import ArgumentError
from kafkastream.model.common.stream_functions import Function

__all__ = ["checked", "checked_methods"]

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_MAKERS: Final = {
    "OffsetsInitializer": "KafkaOffsetsInitializer.earliest()",
    "TypeInformation": "Types.STRING()",
    "WatermarkStrategy": "WatermarkStrategy.no_watermarks()",
    "WindowAssigner": "TumblingEventTimeWindows.of(Time.minutes(1))",
    "Time": "Time.seconds(5)",
    "Duration": "Duration.of_seconds(5)",
}
"""Advice how to make objects of a type, by the name of the type."""
_SECRETIVE: Final = frozenset({"value", "props", "properties", "producer_config", "config", "configs"})
"""Parameters whose arguments may hold passwords."""
_SHOWN: Final = 80
_OURS: Final = f"{__name__.partition('.')[0]}."
_COLLECTIONS: Final = (Iterable, Collection, Sequence)


def checked_methods(kind: C) -> C:
    """Check the arguments of all public methods of a class, and of its ``__init__`` unless attrs has made that."""
    done: dict[object, object] = {}
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and (name != "__init__" or _has_attrs_init(kind)):
            continue
        wrapper = type(member) if isinstance(member, (staticmethod, classmethod)) else None
        function = member if wrapper is None else member.__func__
        if inspect.isfunction(function) and function.__annotations__.keys() - {"return"}:
            if function not in done:  # the Java spelling stays the same object
                done[function] = checked(function) if wrapper is None else wrapper(checked(function))
            setattr(kind, name, done[function])
    return kind


def _has_attrs_init(kind: type) -> bool:
    return "__attrs_attrs__" in vars(kind) and "__attrs_init__" not in vars(kind)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of each call against the annotations of a function.

    The checked function raises an ``ArgumentError`` for an argument of another type.

    Example:
        >>> @checked
        ... def repeat(word: str, times: int = 2) -> str:
        ...     return word * times
        >>> repeat("a")
        'aa'
        >>> repeat("a", "3")
        Traceback (most recent call last):
        kafkastream.errors.ArgumentError: [invalid-argument] times of repeat must be an int, not '3'
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        _check(function, args, kwargs)
        return function(*args, **kwargs)

    return call


def _check(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    signature, kinds = _parameters(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return  # Python says so itself when the function is called
    variadic = next((one.name for one in signature.parameters.values() if one.kind is one.VAR_POSITIONAL), None)
    wrong = [
        (name, one)
        for name, given in bound.arguments.items()
        if name in kinds
        for one in (given if name == variadic else (given,))
        if not _fits(one, kinds[name])
    ]
    if wrong:
        called = _called(function, args)
        told = [
            f"{name} of {called} must be {_wanted(kinds[name])}, not {_said(name, one, kinds[name])}"
            for name, one in wrong
        ]
        hints = [_hint(one, kinds[name], is_variadic=name == variadic) for name, one in wrong]
        raise ArgumentError("; ".join(told), now=" ".join(filter(None, hints)))


@cache
def _parameters(function: Callable[..., Any]) -> tuple[inspect.Signature, Mapping[str, Any]]:
    """Return the function's signature, and the types of those parameters that do not take anything."""
    signature = inspect.signature(function)
    names = _Names(getattr(function, "__globals__", {}))
    kinds = {
        name: eval(parameter.annotation, {}, names)  # noqa: S307 - annotations of our own modules
        for name, parameter in signature.parameters.items()
        if isinstance(parameter.annotation, str) and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }
    return signature, {name: kind for name, kind in kinds.items() if not _takes_anything(kind)}


class _Names(dict[str, Any]):
    """The names of a module; one that it imports for type checkers only matches all classes of that name."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, None) or _OfName(name, (), {})


class _OfName(type):
    """A class that is not imported, known by its name."""

    def __instancecheck__(cls, given: object) -> bool:
        return any(base.__name__ == cls.__name__ for base in type(given).__mro__)

    def __getitem__(cls, _: object) -> type:
        return cls


def _takes_anything(kind: Any) -> bool:
    is_protocol = isinstance(kind, type) and Protocol in kind.__bases__
    return kind in (Any, object) or isinstance(kind, TypeVar) or is_protocol


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _fits(given: Any, kind: Any) -> bool:
    if len(_alternatives(kind)) > 1:
        return any(_fits(given, one) for one in _alternatives(kind))
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if _takes_anything(origin):
        return True
    if origin is None:
        return given is None
    if origin is Callable:
        is_function_class = isinstance(given, type) and issubclass(given, Function)
        return callable(given) and not is_function_class and _takes(given, arguments)
    if origin in (int, float):
        return isinstance(given, (int, origin)) and not isinstance(given, bool)
    if origin in _COLLECTIONS:
        return (
            isinstance(given, Iterable)
            and not isinstance(given, (str, bytes))
            and not any(_strangers(given, arguments))
        )
    return isinstance(given, origin) and not any(_strangers(given, arguments)) and not any(_misfits(given))


def _strangers(given: Any, arguments: tuple[Any, ...]) -> Iterator[str]:
    """Name the elements of a collection that do not fit, if it can be gone through without using it up."""
    if isinstance(given, Mapping) and len(arguments) == 2:
        yield from (_said("", key) for key in given if not _fits(key, arguments[0]))
        yield from (f"{_kind_of(value)} for {key!r}" for key, value in given.items() if not _fits(value, arguments[1]))
    elif isinstance(given, (list, tuple, set, frozenset)) and arguments and not _takes_anything(arguments[0]):
        yield from (_said("", one) for one in given if not _fits(one, arguments[0]))


def _takes(function: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether a function accepts the arguments of a ``Callable``, as far as its signature is known."""
    return not arguments or not isinstance(arguments[0], list) or _can_be_called(function, len(arguments[0]))


def _can_be_called(function: Any, number: int) -> bool:
    try:
        inspect.signature(function).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # one of C's, which has no signature
        return True
    return True


def _misfits(given: Any) -> Iterator[str]:
    """The methods that override one of the package's and cannot be called in the same way."""
    if type(given).__module__.startswith(_OURS):
        return
    for base in type(given).__mro__:
        if not base.__module__.startswith(_OURS):
            continue
        for name, method in vars(base).items():
            if name.startswith("_") or not inspect.isfunction(method) or getattr(type(given), name) is method:
                continue
            parameters = inspect.signature(method).parameters.values()
            needed = [
                one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty
            ]
            if not _can_be_called(getattr(given, name), len(needed) - 1):
                yield f"{type(given).__name__}.{name} must take ({', '.join(needed)})"


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Name the called method, with the class of the object rather than the one that defines the method."""
    first = next(iter(inspect.signature(function).parameters), "")
    owner = function.__qualname__.rpartition(".")[0]
    if args and first in ("self", "cls"):
        owner = (args[0] if first == "cls" else type(args[0])).__name__
    return owner if function.__name__ == "__init__" else ".".join(filter(None, (owner, function.__name__)))


def _wanted(kind: Any) -> str:
    """Name a type, with an article."""
    if len(_alternatives(kind)) > 1:
        return " or ".join(map(_wanted, _alternatives(kind)))
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in (None, types.NoneType):
        return "None"
    if origin is Callable:
        number = len(arguments[0]) if arguments and isinstance(arguments[0], list) else None
        return "a function" if number is None else f"a function of {number} argument{'s'[number == 1 :]}"
    named = [getattr(one, "__name__", str(one)) for one in arguments if not _takes_anything(one)]
    if origin in _COLLECTIONS:
        return f"a collection of {named[0]}" if named else "a collection"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a mapping of {' to '.join(named)}" if named else "a mapping"
    return _with_article(origin.__name__)


def _said(name: str, given: object, kind: Any = None) -> str:
    """Describe an argument; text and numbers in full, unless they may be secret."""
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if inspect.isroutine(given):
        return f"the function {given.__qualname__.rpartition('<locals>.')[2]}"
    if given is None or (
        isinstance(given, (str, int, float)) and name not in _SECRETIVE and len(repr(given)) <= _SHOWN
    ):
        return repr(given)
    strangers = (found for one in _alternatives(kind) for found in _strangers(given, get_args(one)))
    return f"{_kind_of(given)} with {stranger}" if (stranger := next(strangers, None)) else _kind_of(given)


def _kind_of(given: object) -> str:
    return _with_article(type(given).__name__)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _hint(given: Any, kind: Any, *, is_variadic: bool) -> str:
    """Return advice on how to make the expected argument."""
    kinds = [
        get_origin(one) or one for one in (get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,))
    ]
    classes = [one for one in kinds if isinstance(one, type)]
    if is_variadic and isinstance(given, (list, tuple)):
        return "Give them one by one, or with a * before."
    if isinstance(given, type) and issubclass(given, (*classes, Function)):
        return f"Make an object of it: {given.__name__}()."
    if inspect.isfunction(given) and given.__qualname__.startswith("Types."):
        return f"Call it: {given.__qualname__}()."
    if isinstance(given, tuple(classes)) and (misfit := next(_misfits(given), None)):
        return f"{misfit}."
    if callable(getattr(given, "build", None)) and not isinstance(given, type):
        return "Call its build()."
    return next(filter(None, map(_maker, classes)), "")


def _maker(kind: type) -> str:
    """Return advice on how to make objects of a type."""
    if kind.__name__ in _MAKERS:
        return f"{_MAKERS[kind.__name__]} makes one."
    if issubclass(kind, enum.Enum):
        return f"It is one of {', '.join(map(str, kind))}."
    is_ours = inspect.isabstract(kind) and kind.__module__.startswith(_OURS)
    return f"Write a class that extends {kind.__name__}." if is_ours else ""
