"""Filter of a table's records by their headers: Alibaba Cloud's ``scan.header-filter``."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import Final, final

import attrs

from kafkastream.model.connectors.record_deserialization import Headers

__all__ = ["HeaderCondition", "HeaderFilter", "HeaderOperator", "header_filter"]

_OPERATOR: Final = re.compile(r"([&|])")
_EXAMPLE: Final = "'depart:toy|depart:book&!env:test'"


class HeaderOperator(enum.Enum):
    """Logical operator between a condition and those before it."""

    AND = "&"
    OR = "|"


@final
@attrs.frozen
class HeaderCondition:
    """Condition that a header has a value; of several headers of the same name, one suffices.

    Args:
        key: Name of the header.
        value: Its value, encoded in UTF-8.
        is_negated: Whether the condition is negated.
    """

    key: str
    value: str
    is_negated: bool = False

    def holds(self, headers: Headers) -> bool:
        """Return whether a record with these headers meets the condition."""
        return ((self.key, self.value.encode()) in headers) is not self.is_negated

    def __str__(self) -> str:
        return f"{'!' * self.is_negated}{self.key}:{self.value}"


@final
@attrs.frozen
class HeaderFilter:
    """Conditions, evaluated from left to right: ``a|b&c`` is ``(a|b)&c``.

    Args:
        first: The first condition.
        others: The other conditions, each with the operator before it.

    Example:
        >>> keeps = header_filter("depart:toy|depart:book&!env:test")
        >>> keeps.matches((("depart", b"toy"),)), keeps.matches((("depart", b"toy"), ("env", b"test")))
        (True, False)
    """

    first: HeaderCondition
    others: tuple[tuple[HeaderOperator, HeaderCondition], ...] = ()

    def matches(self, headers: Headers) -> bool:
        """Return whether a record with these headers is kept."""
        kept = self.first.holds(headers)
        for operator, condition in self.others:
            holds = condition.holds(headers)
            kept = kept and holds if operator is HeaderOperator.AND else kept or holds
        return kept

    def __str__(self) -> str:
        return f"{self.first}{''.join(f'{operator.value}{condition}' for operator, condition in self.others)}"


def header_filter(text: str) -> HeaderFilter:
    """Parse a filter; blanks around its parts are ignored.

    Raises:
        ValueError: The text is not a filter, or has parentheses, which are not supported.
    """
    if set(text) & set("()"):
        raise ValueError("parentheses are not supported; conditions are taken from left to right")
    first, *rest = _OPERATOR.split(text)
    operators: Iterable[HeaderOperator] = map(HeaderOperator, rest[::2])
    return HeaderFilter(_condition(first), tuple(zip(operators, map(_condition, rest[1::2]), strict=True)))


def _condition(text: str) -> HeaderCondition:
    stripped = text.strip()
    key, colon, value = stripped.removeprefix("!").partition(":")
    if not colon or not key.strip() or key.startswith("!"):
        raise ValueError(f"expected key:value between & and |, as in {_EXAMPLE}")
    return HeaderCondition(key.strip(), value.strip(), stripped.startswith("!"))
