"""Parsers of option values; a parser raises ``ValueError`` with the reason if a text is invalid."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from typing import Final, Generic, TypeVar, final

__all__ = [
    "Choice",
    "ListOf",
    "boolean",
    "bytes_of_memory",
    "choice",
    "enum_member",
    "floating",
    "integer",
    "list_of",
    "map_of",
    "millis_of_duration",
    "millis_or_never",
    "port_list",
    "positive",
    "text",
    "text_of_map",
]

T = TypeVar("T")
E = TypeVar("E", bound=enum.Enum)

_NUMBER_AND_UNIT: Final = re.compile(r"(\d+)\s*(\D*)")
_NANOS_PER: Final = {
    "d day days": 86_400_000_000_000,
    "h hour hours": 3_600_000_000_000,
    "m min minute minutes": 60_000_000_000,
    "s sec secs second seconds": 1_000_000_000,
    "ms milli millis millisecond milliseconds": 1_000_000,
    "µs micro micros microsecond microseconds": 1_000,
    "ns nano nanos nanosecond nanoseconds": 1,
}
_BYTES_PER: Final = {
    "b bytes": 1,
    "k kb kibibytes": 2**10,
    "m mb mebibytes": 2**20,
    "g gb gibibytes": 2**30,
    "t tb tebibytes": 2**40,
}
_NO_ALIASES: Final[Mapping[str, str]] = {}


def text(value: str) -> str:
    """Return the text unchanged."""
    return value


def boolean(value: str) -> bool:
    """Parse ``true`` or ``false``, in any case."""
    truths = {"true": True, "false": False}
    if (truth := truths.get(value.strip().lower())) is None:
        raise ValueError("expected true or false")
    return truth


def integer(value: str) -> int:
    """Parse a whole number."""
    try:
        return int(value)
    except ValueError:
        raise ValueError("expected a whole number") from None


def positive(value: str) -> int:
    """Parse a whole number greater than zero."""
    if (number := integer(value)) <= 0:
        raise ValueError("expected a whole number greater than zero")
    return number


def floating(value: str) -> float:
    """Parse a floating-point number."""
    try:
        return float(value)
    except ValueError:
        raise ValueError("expected a number") from None


def millis_of_duration(value: str) -> int:
    """Parse a duration in Flink's notation (``10 s``, ``1 min``) into ms; without a unit the number is in ms.

    Example:
        >>> millis_of_duration("1 min"), millis_of_duration("500ms"), millis_of_duration("20")
        (60000, 500, 20)
    """
    return _amount(value, _NANOS_PER, default_unit="ms") // 1_000_000


def millis_or_never(value: str) -> int:
    """Parse an interval in ms; 0 or less, as in ``0``, ``-1`` and ``-1 ms``, means never."""
    return -millis_of_duration(value.strip()[1:]) if value.strip().startswith("-") else millis_of_duration(value)


def bytes_of_memory(value: str) -> int:
    """Parse a memory size in Flink's notation (``64 mb``, ``1g``) into bytes; without a unit the number is in bytes.

    Example:
        >>> bytes_of_memory("64 kb")
        65536
    """
    return _amount(value, _BYTES_PER, default_unit="b")


def _amount(value: str, units: Mapping[str, int], *, default_unit: str) -> int:
    match = _NUMBER_AND_UNIT.fullmatch(value.strip())
    if match is None:
        raise ValueError("expected a number, then a unit")
    number, unit = match.groups()
    for names, factor in units.items():
        if (unit.strip().lower() or default_unit) in names.split():
            return int(number) * factor
    raise ValueError(f"unknown unit {unit!r}; expected one of {', '.join(' '.join(units).split())}")


@final
class Choice(Generic[T]):
    """Parser of one of several texts, in any case, with ``-`` or ``_``.

    Args:
        values: Values by text.
        aliases: Texts by their other spellings.
    """

    def __init__(self, values: Mapping[str, T], aliases: Mapping[str, str] = _NO_ALIASES) -> None:
        self.texts = tuple(values)
        self._values = {_normal(text): value for text, value in values.items()}
        self._values.update({_normal(alias): values[text] for alias, text in aliases.items()})

    def __call__(self, value: str) -> T:
        """Parse a text; raises ``ValueError`` if it is not one of the choices."""
        key = _normal(value)
        if key not in self._values:
            raise ValueError(f"expected one of {', '.join(self.texts)}")
        return self._values[key]


def choice(*options: str, aliases: Mapping[str, str] = _NO_ALIASES) -> Choice[str]:
    """Return a parser of one of several texts, in any case, with ``-`` or ``_``.

    Args:
        options: Texts, in the spelling that the parser returns.
        aliases: Texts by their other spellings.

    Example:
        >>> choice("EXACTLY_ONCE", "AT_LEAST_ONCE")("at-least-once")
        'AT_LEAST_ONCE'
    """
    return Choice({option: option for option in options}, aliases)


def enum_member(members: type[E]) -> Choice[E]:
    """Return a parser of a member's value or name, in any case, with ``-`` or ``_``.

    Example:
        >>> enum_member(enum.Enum("Mode", {"AT_LEAST_ONCE": "at-least-once"}))("AT_LEAST_ONCE").value
        'at-least-once'
    """
    return Choice(
        {str(member.value): member for member in members}, {member.name: str(member.value) for member in members}
    )


def _normal(spelling: str) -> str:
    return spelling.strip().replace("-", "_").upper()


@final
class ListOf(Generic[T]):
    """Parser of lists.

    Args:
        item: Parser of an item.
        separator: Separator of items.
    """

    def __init__(self, item: Callable[[str], T], separator: str) -> None:
        self.item = item
        self.separator = separator

    def __call__(self, value: str) -> tuple[T, ...]:
        """Parse a list; raises ``ValueError`` if an item is invalid."""
        parts = (part.strip().strip("'\"") for part in _parts(value.strip(), self.separator))
        return tuple(self.item(part) for part in parts if part)


def list_of(item: Callable[[str], T], separator: str = ";") -> ListOf[T]:
    """Return a parser of lists: ``a;b``, or in YAML's notation ``[a, b]`` or lines with ``- a``.

    Args:
        item: Parser of an item.
        separator: Separator of items.

    Example:
        >>> list_of(text)("file:///a.jar;file:///b.jar")
        ('file:///a.jar', 'file:///b.jar')
        >>> list_of(integer)("[1, 2]")
        (1, 2)
    """
    return ListOf(item, separator)


_QUOTED: Final = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_PAIR: Final = rf"""\s*(?P<key>{_QUOTED}|[^:,'"]+?)\s*:\s*(?P<value>{_QUOTED}|[^,'"]*?)\s*(?:,|$)"""


def map_of(value: str) -> dict[str, str]:
    """Parse a map in Flink's notation, ``a:1,b:2``, or YAML's, ``{a: 1, b: 2}``; quotes protect ``,`` and ``:``.

    Example:
        >>> map_of("topic:orders, 'a:b':'it''s 1,5'")
        {'topic': 'orders', 'a:b': "it's 1,5"}
    """
    inner = value.strip().removeprefix("{").removesuffix("}")
    found: dict[str, str] = {}
    while inner.strip():
        pair = re.match(_PAIR, inner)
        if pair is None:
            raise ValueError("expected pairs like key:value, separated by commas")
        found[_unquoted(pair["key"])] = _unquoted(pair["value"])
        inner = inner[pair.end() :]
    return found


def text_of_map(pairs: Mapping[str, str]) -> str:
    """Format a map so that ``map_of`` can parse it.

    Example:
        >>> text_of_map({"topic": "orders", "rate": "1,5"})
        "topic:orders,rate:'1,5'"
    """
    return ",".join(f"{_quoted(key)}:{_quoted(value)}" for key, value in pairs.items())


def _quoted(part: str) -> str:
    plain = part and part == part.strip() and not re.search(r"""[:,'"{}]""", part)
    return part if plain else "'" + part.replace("'", "''") + "'"


def _unquoted(part: str) -> str:
    quote = part[:1]
    return part[1:-1].replace(quote * 2, quote) if quote and quote in "'\"" else part


def port_list(value: str) -> tuple[int, ...]:
    """Parse ports and ranges of ports, separated by ``,``.

    Example:
        >>> port_list("9249, 9252-9254")
        (9249, 9252, 9253, 9254)
    """
    ports = [port for part in value.split(",") for port in _port_range(part)]
    if not ports or not all(0 <= port <= 65535 for port in ports):
        raise ValueError("expected ports between 0 and 65535, as 9249 or 9250-9260")
    return tuple(ports)


def _port_range(value: str) -> range:
    first, _, last = value.partition("-")
    return range(integer(first), integer(last or first) + 1)


def _parts(value: str, separator: str) -> list[str]:
    if value.startswith("[") and value.endswith("]"):
        return value[1:-1].split(",")
    if value.startswith("- "):
        return [line.strip().removeprefix("- ") for line in value.splitlines()]
    return value.split(separator)
