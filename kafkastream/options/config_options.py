"""Options that a program declares itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar, final

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, floating, integer, text

__all__ = ["ConfigOptionBuilder", "ConfigOptions", "TypedConfigOptionBuilder"]

T = TypeVar("T")


@final
class ConfigOptions:
    """Declares an option by its key and type.

    Same as PyFlink's; what is built is an :class:`~kafkastream.options.option.Option`.

    Example:
        >>> ConfigOptions.key("rows-per-second").int_type().default_value(10).read("25")
        25
    """

    OptionBuilder: ClassVar[type[ConfigOptionBuilder]]
    TypedConfigOptionBuilder: ClassVar[type[TypedConfigOptionBuilder[object]]]

    @staticmethod
    def key(key: str) -> ConfigOptionBuilder:
        """Begin to declare an option."""
        return ConfigOptionBuilder(key)


@final
class ConfigOptionBuilder:
    """Says which type an option has."""

    def __init__(self, key: str) -> None:
        self._key = key

    def boolean_type(self) -> TypedConfigOptionBuilder[bool]:
        """True or false."""
        return TypedConfigOptionBuilder(self._key, boolean)

    booleanType = boolean_type

    def int_type(self) -> TypedConfigOptionBuilder[int]:
        """A whole number."""
        return TypedConfigOptionBuilder(self._key, integer)

    intType = int_type

    def long_type(self) -> TypedConfigOptionBuilder[int]:
        """A whole number."""
        return TypedConfigOptionBuilder(self._key, integer)

    longType = long_type

    def float_type(self) -> TypedConfigOptionBuilder[float]:
        """A number."""
        return TypedConfigOptionBuilder(self._key, floating)

    floatType = float_type

    def double_type(self) -> TypedConfigOptionBuilder[float]:
        """A number."""
        return TypedConfigOptionBuilder(self._key, floating)

    doubleType = double_type

    def string_type(self) -> TypedConfigOptionBuilder[str]:
        """Text."""
        return TypedConfigOptionBuilder(self._key, text)

    stringType = string_type


@final
class TypedConfigOptionBuilder(Generic[T]):
    """Says what holds when an option is not given."""

    def __init__(self, key: str, parse: Callable[[str], T]) -> None:
        self._key = key
        self._parse = parse

    def default_value(self, value: T) -> Option[T]:
        """The option, with this default."""
        return Option(key=self._key, parse=self._parse, default=value, doc="")

    defaultValue = default_value

    def no_default_value(self) -> Option[T | None]:
        """The option; None when it is not given."""
        return Option(key=self._key, parse=self._parse, default=None, doc="")

    noDefaultValue = no_default_value


ConfigOptions.OptionBuilder = ConfigOptionBuilder
ConfigOptions.TypedConfigOptionBuilder = TypedConfigOptionBuilder
