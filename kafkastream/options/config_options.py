"""``ConfigOptions``: options that programs declare themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar, final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, floating, integer, text

__all__ = ["ConfigOptionBuilder", "ConfigOptions", "TypedConfigOptionBuilder"]

T = TypeVar("T")


@final
class ConfigOptions:
    """Factory of options, as in PyFlink; which ``Configuration`` takes.

    Example:
        >>> ConfigOptions.key("rows-per-second").int_type().default_value(10).read("25")
        25
    """

    OptionBuilder: ClassVar[type[ConfigOptionBuilder]]
    TypedConfigOptionBuilder: ClassVar[type[TypedConfigOptionBuilder[object]]]

    @staticmethod
    def key(key: str) -> ConfigOptionBuilder:
        """Create a builder of an option with this key."""
        return ConfigOptionBuilder(key)


@final
class ConfigOptionBuilder:
    """Builder that sets the type of an option."""

    def __init__(self, key: str) -> None:
        self._key = key

    def boolean_type(self) -> TypedConfigOptionBuilder[bool]:
        """Declare a boolean option."""
        return TypedConfigOptionBuilder(self._key, boolean)

    booleanType = boolean_type

    def int_type(self) -> TypedConfigOptionBuilder[int]:
        """Declare an integer option."""
        return TypedConfigOptionBuilder(self._key, integer)

    intType = int_type

    def long_type(self) -> TypedConfigOptionBuilder[int]:
        """Declare an integer option."""
        return TypedConfigOptionBuilder(self._key, integer)

    longType = long_type

    def float_type(self) -> TypedConfigOptionBuilder[float]:
        """Declare a floating-point option."""
        return TypedConfigOptionBuilder(self._key, floating)

    floatType = float_type

    def double_type(self) -> TypedConfigOptionBuilder[float]:
        """Declare a floating-point option."""
        return TypedConfigOptionBuilder(self._key, floating)

    doubleType = double_type

    def string_type(self) -> TypedConfigOptionBuilder[str]:
        """Declare a text option."""
        return TypedConfigOptionBuilder(self._key, text)

    stringType = string_type


@final
class TypedConfigOptionBuilder(Generic[T]):
    """Builder that sets the default of an option."""

    def __init__(self, key: str, parse: Callable[[str], T]) -> None:
        self._key = key
        self._parse = parse

    def default_value(self, value: T) -> Option[T]:
        """Return the option with ``value`` as its default."""
        return Option(key=self._key, parse=self._parse, default=value, doc="")

    defaultValue = default_value

    def no_default_value(self) -> Option[T | None]:
        """Return the option without a default; its value is None if it is not set."""
        return Option(key=self._key, parse=self._parse, default=None, doc="")

    noDefaultValue = no_default_value


ConfigOptions.OptionBuilder = ConfigOptionBuilder
ConfigOptions.TypedConfigOptionBuilder = TypedConfigOptionBuilder
