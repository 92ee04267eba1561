"""Parameters of a job: ``ParameterTool`` and ``MultipleParameterTool``, which Java has and PyFlink lacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, overload

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.util.java_values import java_properties

__all__ = ["MultipleParameterTool", "ParameterTool"]

Default = TypeVar("Default")

_NO_VALUE: Final = "__NO_VALUE_KEY"  # Flink's, of AbstractParameterTool


@attrs.frozen
class ParameterTool:
    """Parameters by name, from the command line, a properties file or the environment.

    Example:
        >>> parameters = ParameterTool.from_args(["--topic", "orders", "-retries", "3", "--dry-run"])
        >>> parameters.get("topic"), parameters.get_int("retries"), parameters.has("dry-run")
        ('orders', 3, True)
    """

    values: Mapping[str, Sequence[str]]

    @classmethod
    def from_args(cls, args: Sequence[str]) -> ParameterTool:
        """Read parameters such as ``--topic orders`` or ``-topic orders``; one without a value is a flag.

        Args:
            args: Arguments of the program, such as ``sys.argv[1:]``.

        Raises:
            DefinitionError: A name is expected, and a text found.
        """
        return ParameterTool({key: values[-1:] for key, values in _parsed(args).items()})

    fromArgs = from_args

    @classmethod
    def from_map(cls, map: Mapping[str, str]) -> ParameterTool:  # noqa: A002 - Flink's name
        """Take parameters from ``map``, values by their names."""
        return ParameterTool({key: (value,) for key, value in map.items()})

    fromMap = from_map

    @classmethod
    def from_properties_file(cls, path: str | Path) -> ParameterTool:
        """Read the properties file at ``path``, in UTF-8.

        Raises:
            DefinitionError: There is no such file.
        """
        file = Path(path)
        if not file.is_file():
            raise DefinitionError(f"Properties file {file.absolute()} does not exist")
        return cls.from_map(java_properties(file.read_text(encoding="utf-8").splitlines()))

    fromPropertiesFile = from_properties_file

    @classmethod
    def from_system_properties(cls) -> ParameterTool:
        """Take parameters from the environment's variables, since Python has no system properties."""
        return cls.from_map(dict(os.environ))

    fromSystemProperties = from_system_properties

    def has(self, value: str) -> bool:
        """Return whether there is a parameter of this name.

        Args:
            value: Name without dashes.
        """
        return value in self.values

    @overload
    def get(self, key: str) -> str | None: ...

    @overload
    def get(self, key: str, default_value: str) -> str: ...

    def get(self, key: str, default_value: str | None = None) -> str | None:
        """Return a parameter, the last value of several.

        Args:
            key: Name without dashes.
            default_value: Result if the parameter is missing.
        """
        found = self.values.get(key)
        return found[-1] if found else default_value

    def get_required(self, key: str) -> str:
        """Return the parameter with the name ``key``, the last value of several.

        Raises:
            DefinitionError: It is missing.
        """
        found = self.get(key)
        if found is None:
            raise DefinitionError(f"No data for required key '{key}'", now=f"Pass --{key} VALUE.")
        return found

    getRequired = get_required

    def get_int(self, key: str, default_value: int | None = None) -> int:
        """Return a parameter as a whole number.

        Args:
            key: Name without dashes.
            default_value: Value if the parameter is missing; without one it is required.

        Raises:
            DefinitionError: The parameter is missing and there is no default, or its value is not a number.
        """
        return self._number(key, default_value, int)

    getInt = get_int
    get_long = get_int
    getLong = get_int
    getShort = get_int
    get_short = get_int

    def get_double(self, key: str, default_value: float | None = None) -> float:
        """Return a parameter as a number.

        Args:
            key: Name without dashes.
            default_value: Value if the parameter is missing; without one it is required.

        Raises:
            DefinitionError: The parameter is missing and there is no default, or its value is not a number.
        """
        return self._number(key, default_value, float)

    getDouble = get_double
    getFloat = get_double
    get_float = get_double

    def get_boolean(self, key: str, default_value: bool | None = None) -> bool:
        """Return whether a parameter is ``true``, in any case.

        Args:
            key: Name without dashes.
            default_value: Result if the parameter is missing; without one it is required.

        Raises:
            DefinitionError: The parameter is missing, and there is no default.
        """
        if default_value is not None and not self.has(key):
            return default_value
        return self.get_required(key).lower() == "true"

    getBoolean = get_boolean

    def get_number_of_parameters(self) -> int:
        """Return the number of parameters."""
        return len(self.values)

    getNumberOfParameters = get_number_of_parameters

    def to_map(self) -> dict[str, str]:
        """Return all parameters, for ``set_global_job_parameters``."""
        return {key: values[-1] for key, values in self.values.items()}

    toMap = to_map

    def get_properties(self) -> dict[str, str]:
        """Return all parameters, as properties of a Kafka client for example."""
        return self.to_map()

    getProperties = get_properties

    def merge_with(self, other: ParameterTool) -> ParameterTool:
        """Return these parameters and those of ``other``, which win."""
        return ParameterTool({**self.values, **other.values})

    mergeWith = merge_with

    def _number(self, key: str, default: Default | None, kind: type[Default]) -> Default:
        if default is not None and not self.has(key):
            return default
        text = self.get_required(key)
        try:
            return kind(text)  # type: ignore[call-arg]  # int or float
        except ValueError:
            raise DefinitionError(f"parameter {key!r} is not a number: {text!r}") from None


class MultipleParameterTool(ParameterTool):
    """Parameters that may be given several times.

    Example:
        >>> MultipleParameterTool.from_args(["--input", "a", "--input", "b"]).get_multi_parameter("input")
        ['a', 'b']
    """

    @classmethod
    def from_args(cls, args: Sequence[str]) -> MultipleParameterTool:
        """Read parameters such as ``--input a --input b``.

        Raises:
            DefinitionError: A name is expected, and a text found.
        """
        return MultipleParameterTool(_parsed(args))

    fromArgs = from_args

    def get_multi_parameter(self, key: str) -> list[str] | None:
        """Return all values of the parameter ``key``; None if it is missing."""
        found = self.values.get(key)
        return list(found) if found is not None else None

    getMultiParameter = get_multi_parameter

    def get_multi_parameter_required(self, key: str) -> list[str]:
        """Return all values of the parameter ``key``.

        Raises:
            DefinitionError: It is missing.
        """
        found = self.get_multi_parameter(key)
        if found is None:
            raise DefinitionError(f"No data for required key '{key}'", now=f"Pass --{key} VALUE.")
        return found

    getMultiParameterRequired = get_multi_parameter_required


def _parsed(args: Iterable[Any]) -> dict[str, list[str]]:
    texts = list(map(str, args))
    found: dict[str, list[str]] = {}
    while texts:
        key = _key(texts.pop(0))
        is_flag = not texts or (texts[0].startswith("-") and not _is_number(texts[0]))
        found.setdefault(key, []).append(_NO_VALUE if is_flag else texts.pop(0))
    return found


def _key(text: str) -> str:
    key = text.removeprefix("--") if text.startswith("--") else text.removeprefix("-")
    if key == text or not key:
        raise DefinitionError(
            f"Error parsing arguments on {text!r}: please prefix keys with -- or -", where=" ".join(sys.argv[1:])
        )
    return key


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
