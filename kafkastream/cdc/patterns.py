r"""Patterns of table ids: a dot separates the parts, and ``\.`` is the dot of a regular expression.

Flink CDC matches transform rules and topic mappings part by part and regardless of case (``Selectors``), and routes against
the whole id (``TableIdRouter``).
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final, final

import attrs

from kafkastream.cdc.tables import TableId
from kafkastream.errors import DefinitionError

__all__ = ["TablePattern", "java_regex"]

_PLAIN: Final = re.compile(r"\w+(?:\.\w+){0,2}")
_ITEM: Final = re.compile(r"\\.|[^\\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_SAME_ESCAPES: Final = frozenset("dDwWsStnrf123456789")
_DIFFERENT: Final = re.compile(
    r"""(?P<possessive>[*+?}]\+) | (?P<group>\(\?(?![:=!]|<[=!]|<[a-zA-Z]|i\)|i:)) | (?P<set>\[[^]]*(?:\[|&&))""",
    re.VERBOSE,
)
_QUANTIFIER: Final = re.compile(r"\{(?!\d+(?:,\d*)?\})")


def java_regex(text: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    r"""Compile a Java regular expression that means the same in Python.

    Args:
        text: Regular expression.
        ignore_case: Ignore case, like ``Pattern.CASE_INSENSITIVE``.

    Raises:
        ValueError: The text is not a regular expression, or Python interprets it differently.

    Example:
        >>> bool(java_regex(r"orders_(?<year>\d{4})").fullmatch("orders_2026"))
        True
    """
    if problem := _difference(text):
        raise ValueError(problem)
    # Without flags, \d, \w, \s and case in Java are ASCII's:
    # https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/util/regex/Pattern.html
    flags = re.ASCII | re.IGNORECASE if ignore_case else re.ASCII
    try:
        return re.compile(re.sub(r"\(\?<(?=[a-zA-Z])", "(?P<", text), flags)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None


def _difference(text: str) -> str | None:
    for found in _ESCAPE.finditer(text):
        character = found[1]
        if character.isalnum() and character not in _SAME_ESCAPES:
            return f"'\\{character}' is not supported in regular expressions here"
    bare = _ESCAPE.sub("_", text)
    if different := _DIFFERENT.search(bare):
        names = {"possessive": "possessive quantifiers", "group": "groups with flags", "set": "sets within sets"}
        return f"{names[different.lastgroup or '']} are not supported in regular expressions here: {different[0]!r}"
    if quantifier := _QUANTIFIER.search(re.sub(r"\[[^]]*\]", "_", bare)):
        return f"a quantifier is {{n}}, {{n,}} or {{n,m}}, and a comma in it is written '\\,': {bare[quantifier.start() :]!r}"
    return None


@final
@attrs.frozen
class TablePattern:
    r"""Patterns of table ids, separated by commas.

    Args:
        text: Patterns, such as ``db\.*.orders_\.*,other.orders``.

    Raises:
        DefinitionError: The text is empty or no pattern, or Python interprets a regular expression differently than
            Java.

    Example:
        >>> orders = TablePattern(r"shop.orders_\.*, other.orders")
        >>> orders.selects(TableId.parse("shop.orders_2026")), orders.selects(TableId.parse("shop.customers"))
        (True, False)
    """

    text: str

    def __attrs_post_init__(self) -> None:
        if not self._alternatives:
            raise DefinitionError("a pattern of tables is empty")
        try:
            self._parts  # noqa: B018 - compiles
            self._whole  # noqa: B018
        except ValueError as reason:
            raise DefinitionError(
                f"the pattern of tables {self.text!r}: {reason}",
                now=r"A dot separates database and table; write '\.' for any character, and '\,' for a comma.",
            ) from None

    def selects(self, table: TableId) -> bool:
        """Return whether a transform rule or topic mapping selects a table, regardless of case.

        A table id with fewer parts than the pattern is compared with the pattern's last parts, as in Flink CDC: a topic
        of plain JSON has no database. A pattern without a separator is compared with the whole id.
        """
        return any(_selects(parts, table) for parts in self._parts)

    def match(self, table: TableId) -> re.Match[str] | None:
        """Match a whole table id, as routes do."""
        return self._whole.fullmatch(str(table))

    @property
    def tables(self) -> list[TableId]:
        """Tables that are named without a regular expression."""
        return [TableId.parse(text) for text in self._alternatives if _PLAIN.fullmatch(text)]

    @cached_property
    def groups(self) -> int:
        """Number of capture groups."""
        return self._whole.groups

    @cached_property
    def _alternatives(self) -> tuple[str, ...]:
        return tuple(part.replace(r"\,", ",").strip() for part in _split(self.text, ",") if part.strip())

    @cached_property
    def _parts(self) -> tuple[tuple[re.Pattern[str], ...], ...]:
        return tuple(
            tuple(java_regex(part.replace(r"\.", "."), ignore_case=True) for part in _split(alternative, "."))
            for alternative in self._alternatives
        )

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return java_regex("|".join(map(_swapped, self._alternatives)))


def _selects(parts: tuple[re.Pattern[str], ...], table: TableId) -> bool:
    names = (str(table),) if len(parts) == 1 else table.parts
    if len(parts) < len(names):
        return False
    return all(part.fullmatch(name) for part, name in zip(parts[-len(names) :], names, strict=True))


def _split(text: str, separator: str) -> list[str]:
    """Split at separators that have no backslash before them."""
    parts = [""]
    for item in _ITEM.findall(text):
        if item == separator:
            parts.append("")
        else:
            parts[-1] += item
    return parts


def _swapped(pattern: str) -> str:
    r"""Exchange ``.`` and ``\.``: the first separates parts, the second matches any character."""
    swapped = {".": r"\.", r"\.": "."}
    return "".join(swapped.get(item, item) for item in _ITEM.findall(pattern))
