"""``import pyflink`` means this package, once ``kafkastream.as_pyflink`` is imported: the same modules under both names."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from kafkastream.errors import SetupError

__all__ = ["alias_pyflink", "alias_pyflink_unless_installed", "has_pyflink", "is_aliased", "loads_with_alias"]

_PYFLINK: Final = "pyflink"
_OURS: Final = "kafkastream"


class _Alias(MetaPathFinder, Loader):
    """Gives for each module of PyFlink the one of this package at the same path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != _PYFLINK or (rest and find_spec(f"{_OURS}.{rest}") is None):
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes the entry of sys.modules afterwards: https://docs.python.org/3/reference/import.html#loading
        sys.modules[module.__name__] = import_module(_OURS + module.__name__.removeprefix(_PYFLINK))


_ALIAS: Final = _Alias()


def alias_pyflink() -> None:
    """Let ``import pyflink`` mean this package from now on, also where PyFlink is installed.

    Raises:
        SetupError: PyFlink has been imported already.
    """
    if is_aliased():
        return
    if _PYFLINK in sys.modules:
        raise SetupError(
            "pyflink has been imported already, as PyFlink itself",
            now="Import kafkastream.as_pyflink before anything of pyflink.",
        )
    sys.meta_path.insert(0, _ALIAS)


def alias_pyflink_unless_installed() -> None:
    """Let ``import pyflink`` mean this package, unless PyFlink itself is installed."""
    if not has_pyflink():
        alias_pyflink()


def is_aliased() -> bool:
    """Return whether ``import pyflink`` means this package."""
    return _ALIAS in sys.meta_path


def has_pyflink() -> bool:
    """Return whether PyFlink itself is installed; directories of its name that hold no package do not count."""
    found = None if is_aliased() else find_spec(_PYFLINK)
    return found is not None and found.origin is not None


def loads_with_alias(data: bytes) -> Any:
    """Unpickle what may name modules of PyFlink."""
    alias_pyflink()
    return pickle.loads(data)
