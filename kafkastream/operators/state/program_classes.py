"""Classes of the program's main script, pickled by name in keys and state, which outlive a run.

A worker cannot import the main script, so cloudpickle pickles its classes by value. Unpickled in another run, that
would create a second class, whose objects are not instances of the program's class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import ModuleType
from typing import Any, Final

from kafkastream.errors import DefinitionError

__all__ = ["MAIN_MODULE", "classes_defined_in", "named_member", "program_class", "reduced_by_name", "use_classes"]

MAIN_MODULE: Final = "__main__"

_classes: Mapping[str, type] = {}
"""Classes of the program whose task this worker runs, by qualified name."""

_ByName = tuple[Callable[..., Any], tuple[Any, ...]]


def use_classes(classes: Mapping[str, type]) -> None:
    """Set the classes of the program whose task this worker runs, by qualified name."""
    global _classes  # noqa: PLW0603 - pickle calls functions of modules, without a context
    _classes = classes


def reduced_by_name(thing: object) -> _ByName | None:
    """Return how pickle writes a class of the program, or a member of its enumerations, by name; None for all others.

    For ``Pickler.reducer_override``, https://docs.python.org/3/library/pickle.html#pickle.Pickler.reducer_override.
    """
    if isinstance(thing, type):
        return (program_class, (thing.__qualname__,)) if _is_known(thing) else None
    if isinstance(thing, Enum) and _is_known(type(thing)) and type(thing).__members__.get(thing.name) is thing:
        return named_member, (type(thing), thing.name)  # its value may be unhashable, or change
    return None


def _is_known(kind: type) -> bool:
    return kind.__module__ == MAIN_MODULE and _classes.get(kind.__qualname__) is kind


def program_class(name: str) -> type:
    """Return the program's class of a qualified name.

    Raises:
        DefinitionError: The program has no such class.
    """
    if name not in _classes:
        raise DefinitionError(
            f"state or a key is an object of class {name!r} of the program, which defines no such class",
            now="Define the class in the main script again, under the same name and outside of functions.",
        )
    return _classes[name]


def named_member(kind: type[Enum], name: str) -> Enum:
    """Return the member of an enumeration.

    Raises:
        DefinitionError: It has no such member.
    """
    if name not in kind.__members__:
        raise DefinitionError(
            f"state or a key is {kind.__qualname__}.{name}, and the enumeration has no such member",
            where=f"its members are {', '.join(kind.__members__)}",
            now="Add the member again.",
        )
    return kind.__members__[name]


def classes_defined_in(module: ModuleType) -> Mapping[str, type]:
    """Return the classes that a module keeps in its variables or in those of its classes, by qualified name.

    A name that two classes have means neither. Subclasses of the package's own classes, such as functions and sources,
    are left out, since no data is of them.
    """
    classes: dict[str, type] = {}
    ambiguous: set[str] = set()
    values = list(vars(module).values())
    while values:
        value = values.pop()
        if not isinstance(value, type) or value.__module__ != module.__name__ or _is_derived(value):
            continue
        if value.__qualname__ not in classes:
            classes[value.__qualname__] = value
            values.extend(vars(value).values())
        elif classes[value.__qualname__] is not value:
            ambiguous.add(value.__qualname__)
    return {name: kind for name, kind in classes.items() if name not in ambiguous}


def _is_derived(kind: type) -> bool:
    return any(base.__module__.startswith("kafkastream.") for base in kind.__mro__)
