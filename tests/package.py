"""Modules of the package and their syntax trees, for tests that look at all of them."""

from __future__ import annotations

import ast
import pkgutil
from functools import cache
from pathlib import Path
from typing import Final

import kafkastream

__all__ = ["MODULES", "ROOT", "modules_of", "trees"]

ROOT: Final = Path(kafkastream.__file__).parent.parent


MODULES: Final = tuple(
    sorted(
        module.name
        for module in pkgutil.walk_packages(kafkastream.__path__, "kafkastream.")
        if not module.name.endswith("__main__")
    )
)
"""Names of all modules but those that are run as programs."""


def modules_of(package: str) -> list[str]:
    """Names of the modules below a package."""
    return [name for name in MODULES if name.startswith(f"{package}.")]


@cache
def trees() -> dict[str, ast.Module]:
    """Syntax trees by path from ``ROOT``."""
    files = sorted((ROOT / "kafkastream").rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}
