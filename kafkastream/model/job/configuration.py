"""Configuration of a job: Flink's keys and values, as a program sets them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, MutableMapping
from typing import Any, TypeAlias, TypeVar, final

from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.value_printing import java_double
from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, floating, integer, list_of, text
from kafkastream.secret_masking import redacted

__all__ = ["Configuration", "Value", "text_of"]

T = TypeVar("T")
Value: TypeAlias = str | int | float | bool | bytearray


@final
@checked_methods
class Configuration:
    """Key and value pairs that a program fills and hands to its environment.

    Same as PyFlink's; setters return the configuration itself.
    Differs: ``get`` and ``set`` take a declared option, its deprecated keys included, and ``str`` hides secrets.

    Example:
        >>> conf = Configuration().set_string("pipeline.name", "orders").set_integer("parallelism.default", 2)
        >>> conf.get_integer("parallelism.default", 1)
        2
        >>> conf.to_dict()
        {'pipeline.name': 'orders', 'parallelism.default': '2'}
    """

    _j_configuration = Refused()

    def __init__(self, other: Configuration | None = None) -> None:
        self._values: dict[str, Value] = {} if other is None else dict(other._values)

    def get(self, option: Option[T]) -> T:
        """Return the value of a declared option: under its key, else under a deprecated key, else its default.

        Raises:
            DefinitionError: The value does not fit the option.
        """
        for key in option.keys:
            if key in self._values:
                return option.read(text_of(self._values[key]))
        return option.default

    def set(self, option: Option[Any], value: Value) -> Configuration:
        """Set a declared option, and remove values under its deprecated keys.

        Args:
            option: Option, whose key is set.
            value: Value; it is checked when the option is read.
        """
        for key in option.deprecated_keys:
            self.remove_config(key)
        return self._with(option.key, value)

    def get_string(self, key: str, default_value: str) -> str:
        """Return the value of a key as a string.

        Args:
            key: Key of the option.
            default_value: Result if the key is not set.
        """
        return self._read(key, text, default_value)

    getString = get_string

    def set_string(self, key: str, value: str) -> Configuration:
        """Set ``key`` to a string.

        Args:
            key: Key of the option.
            value: Text.
        """
        return self._with(key, value)

    setString = set_string

    @staticmethod
    def parse_list_value(value: str | None) -> list[str]:
        """Return the items of a list.

        Args:
            value: Text such as ``a;b`` or ``[a, b]``; None for an empty list.
        """
        return list(list_of(text)(value or ""))

    parseListValue = parse_list_value

    def get_integer(self, key: str, default_value: int) -> int:
        """Return the value of a key as an integer.

        Args:
            key: Key of the option.
            default_value: Result if the key is not set.

        Raises:
            DefinitionError: The value is not an integer.
        """
        return self._read(key, integer, default_value)

    getInteger = get_integer

    def set_integer(self, key: str, value: int) -> Configuration:
        """Set ``key`` to an integer.

        Args:
            key: Key of the option.
            value: Whole number.
        """
        return self._with(key, value)

    setInteger = set_integer

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """Return the value of a key as a boolean.

        Args:
            key: Key of the option.
            default_value: Result if the key is not set.

        Raises:
            DefinitionError: The value is neither ``true`` nor ``false``.
        """
        return self._read(key, boolean, default_value)

    getBoolean = get_boolean

    def set_boolean(self, key: str, value: bool) -> Configuration:
        """Set ``key`` to a boolean.

        Args:
            key: Key of the option.
            value: True or False.
        """
        return self._with(key, value)

    setBoolean = set_boolean

    def get_float(self, key: str, default_value: float) -> float:
        """Return the value of a key as a float.

        Args:
            key: Key of the option.
            default_value: Result if the key is not set.

        Raises:
            DefinitionError: The value is not a number.
        """
        return self._read(key, floating, float(default_value))

    getFloat = get_float

    def set_float(self, key: str, value: float) -> Configuration:
        """Set ``key`` to a float.

        Args:
            key: Key of the option.
            value: Number.
        """
        return self._with(key, float(value))

    setFloat = set_float

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """Return the value of a key as bytes; a value that was set as text is encoded in UTF-8.

        Args:
            key: Key of the option.
            default_value: Result if the key is not set.
        """
        value = self._values.get(key, default_value)
        return bytearray(value if isinstance(value, bytearray) else text_of(value).encode())

    getBytearray = get_bytearray

    def set_bytearray(self, key: str, value: bytearray) -> Configuration:
        """Set ``key`` to bytes.

        Args:
            key: Key of the option.
            value: Bytes, which are copied.
        """
        return self._with(key, bytearray(value))

    setBytearray = set_bytearray

    def key_set(self) -> builtins.set[str]:
        """Return all keys."""
        return builtins.set(self._values)

    keySet = key_set

    def add_all_to_dict(self, target_dict: MutableMapping[str, object]) -> None:
        """Copy all pairs to ``target_dict``, with values of the types that they were set with."""
        target_dict.update(self._values)

    addAllToDict = add_all_to_dict

    def add_all(self, other: Configuration, prefix: str | None = None) -> Configuration:
        """Copy all pairs of ``other`` into this configuration.

        Args:
            other: Configuration to copy from.
            prefix: Prepended to the keys, if given.
        """
        self._values.update({f"{prefix or ''}{key}": value for key, value in other._values.items()})
        return self

    addAll = add_all

    def contains_key(self, key: str) -> bool:
        """Return whether ``key`` is set."""
        return key in self._values

    containsKey = contains_key

    def to_dict(self) -> dict[str, str]:
        """Return all pairs, with values as text."""
        return {key: text_of(value) for key, value in self._values.items()}

    toDict = to_dict

    def remove_config(self, key: str) -> bool:
        """Remove ``key``; return whether it was set."""
        return self._values.pop(key, None) is not None

    removeConfig = remove_config

    def _with(self, key: str, value: Value) -> Configuration:
        self._values[key] = value
        return self

    def _read(self, key: str, parse: Callable[[str], T], default: T) -> T:
        return self.get(Option(key=key, parse=parse, default=default, doc=""))

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Configuration) else NotImplemented

    # PyFlink's configurations hash by their current content.
    def __hash__(self) -> int:
        return hash(frozenset(self.to_dict().items()))

    def __repr__(self) -> str:
        return f"Configuration({redacted(self.to_dict())})"


def text_of(value: Value) -> str:
    """Return the text of a value as Java writes it.

    Example:
        >>> text_of(True), text_of(1e10)
        ('true', '1.0E10')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return java_double(value)
        case bytearray():
            return value.decode()
        case _:
            return str(value)
