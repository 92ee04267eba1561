"""Packages that few jobs need: each is installed with an extra of kafkastream."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, final

import attrs

from kafkastream.errors import SetupError

__all__ = [
    "AVRO",
    "CRYPTOGRAPHY",
    "PORT",
    "POSTGRES",
    "PROMETHEUS",
    "PROMETHEUS_SERVER",
    "SHELL",
    "UI",
    "UI_SERVER",
    "Extra",
]


@final
@attrs.frozen
class Extra:
    """An extra of kafkastream, and the package that it installs.

    Args:
        name: Name of the extra, as in ``pip install 'kafkastream[avro]'``.
        package: Name of the package.
        module: Module of the package that is imported.
        needed_by: Subject of the error's sentence: what needs the package.
    """

    name: str
    package: str
    module: str
    needed_by: str

    def imported(self, module: str = "") -> Any:
        """Import the module, or another one that the extra installs.

        Raises:
            SetupError: The package is not installed.
        """
        try:
            return import_module(module or self.module)
        except ImportError as error:
            raise self._missing(str(error)) from None

    def check(self) -> None:
        """Check that the package is installed, without importing it.

        Raises:
            SetupError: It is not.
        """
        if find_spec(self.module) is None:
            raise self._missing(f"No module named {self.module!r}")

    def _missing(self, reason: str) -> SetupError:
        return SetupError(
            f"{self.needed_by} needs the package {self.package}",
            where=reason,
            now=f"Install it: pip install 'kafkastream[{self.name}]'.",
        )


AVRO: Final = Extra("avro", "fastavro", "fastavro", "Avro")
CRYPTOGRAPHY: Final = Extra(
    "encryption", "cryptography", "cryptography", "the latency mode, with Spark's RPC encrypted,"
)
PORT: Final = Extra("port", "tree-sitter-java", "tree_sitter", "porting Java programs")
POSTGRES: Final = Extra("postgres", "psycopg", "psycopg", "the PostgreSQL sink")
PROMETHEUS: Final = Extra("prometheus", "prometheus-client", "prometheus_client", "the Prometheus reporter")
PROMETHEUS_SERVER: Final = Extra("prometheus", "uvicorn", "uvicorn", "the Prometheus reporter")
SHELL: Final = Extra("shell", "prompt-toolkit", "prompt_toolkit", "the SQL shell")
UI: Final = Extra("ui", "starlette", "starlette", "the job page")
UI_SERVER: Final = Extra("ui", "uvicorn", "uvicorn", "the job page")
