"""Lets ``import pyflink…`` mean this package for a while, for the programs of the suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kafkastream.alias import alias_pyflink


@contextmanager
def pyflink_alias() -> Iterator[None]:
    """Within, the programs can be imported; other tests do not see that."""
    finders, modules = list(sys.meta_path), set(sys.modules)
    alias_pyflink()
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - modules:
            if name.startswith(("pyflink", "tests.differential.assembly", "tests.differential.programs")):
                del sys.modules[name]
