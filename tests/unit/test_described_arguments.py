"""Public methods and functions describe their arguments."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from tests.package import MODULES, ROOT

_PYFLINK: Final = ROOT / "tests/names/pyflink-2.2.txt"
_OWN_PATHS: Final = ("kafkastream", "kafkastream.metrics", "kafkastream.pipeline", "kafkastream.testing")
_OWN_PACKAGES: Final = ("kafkastream.datastream.", "kafkastream.util.")
_INERT: Final = re.compile(r"No effect|Not supported|Refused|Accept\b[^.]* without effect|Fail: ")

Function = Callable[..., Any]


def test_public_methods_describe_their_arguments() -> None:
    """The docstring of each public method or function with parameters has ``Args:``.

    What counts is what users reach at PyFlink's paths, in the package and its ``metrics``, ``pipeline`` and
    ``testing``, and in the modules of ``datastream`` and ``util``. Need no ``Args:``:

    - a method that has no effect or is always refused, and says so first;
    - a method that overrides one of a base class, where the arguments are described;
    - a single parameter that the first sentence names, as code (``n``) or in words (``field_name``: the field's name).
    """
    assert sorted(place(one) for one in public_functions() if not is_described(one)) == []


@pytest.mark.parametrize(
    ("doc", "parameter", "expected"),
    [
        ("Set the name of a field.", "field_name", True),
        ("Keep the elements for which ``func`` is true.", "func", True),
        ("Set the names.", "name", True),
        ("Set the label. The name is kept.", "name", False),
        ("Register a counter.", "name", False),
    ],
)
def test_what_a_first_sentence_names(doc: str, parameter: str, expected: bool) -> None:
    assert names(doc, parameter) is expected


def public_functions() -> Iterator[Function]:
    """Functions at public paths, and methods of classes there; those of bases within the package included."""
    paths = {line.partition(":")[0].replace("pyflink", "kafkastream", 1) for line in _PYFLINK.read_text().splitlines()}
    helpers = {name for name in MODULES if name.startswith(_OWN_PACKAGES)}
    seen: set[object] = set()
    for path in sorted({*paths, *helpers, *_OWN_PATHS}):
        module = importlib.import_module(path)
        for offered in (getattr(module, name) for name in getattr(module, "__all__", ())):
            for one in functions_of(offered):
                if one not in seen:
                    seen.add(one)
                    yield one


def functions_of(offered: object) -> Iterator[Function]:
    if inspect.isfunction(offered) and is_ours(offered):
        yield offered
    elif inspect.isclass(offered):
        for kind in filter(is_ours, offered.__mro__):
            for name, member in vars(kind).items():
                plain = getattr(member, "__func__", member)
                if not name.startswith("_") and not overrides(kind, name):
                    yield from functions_of(plain)


def overrides(kind: type, name: str) -> bool:
    return any(name in vars(base) for base in kind.__mro__[1:])


def is_ours(one: Any) -> bool:
    return str(one.__module__).partition(".")[0] == "kafkastream"


def is_described(function: Function) -> bool:
    doc = inspect.cleandoc(function.__doc__ or "")
    parameters = [name for name in inspect.signature(function).parameters if name not in {"self", "cls"}]
    if not parameters or "Args:" in doc or _INERT.match(doc):
        return True
    return len(parameters) == 1 and names(doc, *parameters)


def names(doc: str, parameter: str) -> bool:
    """Whether the first sentence of a docstring names a parameter."""
    sentence = re.split(r"\.\s|\n\n", doc, maxsplit=1)[0]
    words = re.findall(r"[a-z0-9]+", sentence.lower())
    return f"``{parameter}``" in sentence or all({one, f"{one}s"} & set(words) for one in parameter.lower().split("_"))


def place(function: Function) -> str:
    code = inspect.unwrap(function).__code__
    return f"{code.co_filename.removeprefix(f'{ROOT}/')}:{code.co_firstlineno} {function.__qualname__}"
