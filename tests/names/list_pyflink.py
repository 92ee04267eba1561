"""List the public names of an installed PyFlink: ``path/to/python tests/names/list_pyflink.py > tests/names/pyflink-2.2.txt``.

Needs PyFlink and nothing of kafkastream. Imports each module, and prints one line per name:

- ``pyflink.common:Types``: ``from pyflink.common import Types`` works.
- ``pyflink.common.typeinfo:Types.INT()``: a member of a class, where the class is defined, also if it is inherited.
- ``pyflink.datastream.data_stream:DataStream.map(func, output_type)``: a callable, with the names of its parameters.

A module's names are those of its ``__all__``, those that it defines (a package: all it has of PyFlink's), and those that it
imports of PyFlink's public classes: programs import from there, too.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

PACKAGES = tuple(f"pyflink.{name}" for name in ("common", "datastream", "metrics", "table"))


def modules() -> Iterator[ModuleType]:
    """The packages and all that is below them, without their tests."""
    for package in map(importlib.import_module, PACKAGES):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "tests" not in found.name.split("."):
                yield importlib.import_module(found.name)


def public_api() -> list[Any]:
    """Objects that PyFlink's packages offer."""
    return [getattr(package, name) for package in map(importlib.import_module, PACKAGES) for name in package.__all__]


def lines(module: ModuleType, api: list[Any]) -> Iterator[str]:
    """The names of a module, and the members of the classes that are defined there."""
    for name, value in vars(module).items():
        if not name.startswith("_") and name != "TYPE_CHECKING" and is_exported(module, name, value, api):
            is_defined = getattr(value, "__module__", None) == module.__name__
            yield from named(f"{module.__name__}:{name}", value, has_members=is_defined)


def is_exported(module: ModuleType, name: str, value: Any, api: list[Any]) -> bool:
    """Whether programs can take a name from a module."""
    home = "pyflink" if hasattr(module, "__path__") else module.__name__
    is_ours = f"{getattr(value, '__module__', '')}.".startswith(f"{home}.") or isinstance(value, (int, str))
    return name in getattr(module, "__all__", ()) or is_ours or any(value is known for known in api)


def named(path: str, value: Any, *, has_members: bool) -> Iterator[str]:
    """A name, and what it has."""
    function = getattr(value, "__func__", value)
    if inspect.isclass(value):
        yield path
        for name in {name for owner in owners(value) for name in vars(owner)} if has_members else ():
            if not name.startswith("_"):
                yield from named(f"{path}.{name}", inspect.getattr_static(value, name), has_members=True)
    else:
        yield f"{path}({', '.join(parameters(function))})" if inspect.isfunction(function) else path


def owners(kind: type) -> Iterator[type]:
    """A class and what it inherits from in PyFlink."""
    return (owner for owner in kind.__mro__ if owner.__module__.split(".")[0] == "pyflink")


def parameters(function: Any) -> Iterator[str]:
    """The names of a function's parameters, without itself."""
    for each in inspect.signature(function).parameters.values():
        if each.name not in ("self", "cls"):
            yield str(each.replace(annotation=each.empty, default=each.empty))


if __name__ == "__main__":
    api = public_api()
    sys.stdout.write(
        "".join(f"{line}\n" for line in sorted({line for module in modules() for line in lines(module, api)}))
    )
