"""Hints of a query: ``SELECT /*+ STATE_TTL('o' = '1 d'), BROADCAST(p) */ ...``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, final

import attrs
from sqlglot import exp

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.parsers import millis_of_duration
from kafkastream.sql.expressions.column_scope import Scope
from kafkastream.sql.syntax.cursor import Cursor
from kafkastream.sql.syntax.tokens import TokenKind
from kafkastream.sql.table_options import did_you_mean

if TYPE_CHECKING:
    from kafkastream.sql.parser.parsed_query import QueryText
    from kafkastream.sql.planner.query_planner import SelectPlanner

__all__ = ["HINTS", "LOOKUP_KEYS", "Hint", "HintedTtls", "checked_hints", "hinted_ttls", "parsed_hints"]

_JOINS: Final = frozenset({"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"})
HINTS: Final = frozenset({*_JOINS, "STATE_TTL", "LOOKUP", "OPTIONS"})
"""Names of all hints."""
_RETRY: Final = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
_CHOICES: Final[Mapping[str, frozenset[str]]] = {
    "async": frozenset({"true", "false"}),
    "output-mode": frozenset({"ordered", "allow_unordered"}),
    "retry-predicate": frozenset({"lookup_miss"}),
    "retry-strategy": frozenset({"fixed_delay"}),
}
LOOKUP_KEYS: Final = frozenset({"table", *_RETRY, *_CHOICES})
"""Options of the hint LOOKUP that are checked."""


class Hint(NamedTuple):
    """Hint with its arguments.

    Args:
        name: Name, in capitals.
        names: Names in parentheses.
        options: Options in parentheses, of which the last of a key counts.
    """

    name: str
    names: tuple[str, ...]
    options: FrozenMap[str, str]


@final
@attrs.frozen
class HintedTtls:
    """Times to live of state by ``STATE_TTL``, in ms.

    Args:
        by_input: Time of each input, by its alias.
        of_sides: Times of the input of the aggregate, or the sides of the join, that is being planned; None for that of
            the session.
    """

    by_input: Mapping[str, int] = FrozenMap()
    of_sides: tuple[int | None, int | None] = (None, None)

    def _of(self, scope: Scope) -> int | None:
        """Return the time of an input; None if no hint names it, or it is a join itself."""
        return self.by_input.get(scope.sources[0].alias) if len(scope.sources) == 1 else None

    def of_scopes(self, left: Scope, right: Scope | None = None) -> HintedTtls:
        """Return the times for an aggregate, or for a join."""
        return attrs.evolve(self, of_sides=(self._of(left), None if right is None else self._of(right)))

    def sides(self, ttl_ms: int) -> tuple[int, int]:
        """Return the times of the sides, given that of the session."""
        left, right = (ttl_ms if one is None else one for one in self.of_sides)
        return left, right


def parsed_hints(text: QueryText, node: exp.Expr) -> list[Hint]:
    """Parse the hints in a comment.

    Raises:
        DefinitionError: A hint is not known, or has not the form of its kind.
    """
    cursor = Cursor(str(node.this))
    found = []
    try:
        cursor.expect("/*+")
        while not cursor.take("*/"):
            found.append(_hint(cursor))
            cursor.take(",")
    except DefinitionError as error:
        raise text.error(node, error.what, error.now) from None
    for hint in found:
        _check(text, node, hint)
    return found


def _hint(cursor: Cursor) -> Hint:
    name, names, options = cursor.name().upper(), [], {}
    if cursor.take("("):
        while not cursor.take(")"):
            is_text = cursor.token.kind is TokenKind.STRING
            key = cursor.string() if is_text else cursor.path()[-1]
            if cursor.take("="):
                options[key] = cursor.string()
            else:
                names.append(key)
            cursor.take(",")
    return Hint(name, tuple(names), FrozenMap(options))


def _check(text: QueryText, node: exp.Expr, hint: Hint) -> None:
    if hint.name not in HINTS:
        now = did_you_mean(hint.name, HINTS) or f"Take one of {', '.join(sorted(HINTS))}."
        raise text.error(node, f"Hint {hint.name} is not known.", now)
    if hint.name in _JOINS and (not hint.names or hint.options):
        raise text.error(node, f"Hint {hint.name} takes names of tables.", f"Write {hint.name}(t).")
    if hint.name not in _JOINS and (hint.names or not hint.options):
        raise text.error(node, f"Hint {hint.name} takes options.", f"Write {hint.name}('key' = 'value').")
    if hint.name == "STATE_TTL":
        for value in hint.options.values():
            _millis(text, node, value)
    if hint.name == "LOOKUP":
        _check_lookup(text, node, hint.options)


def _check_lookup(text: QueryText, node: exp.Expr, options: Mapping[str, str]) -> None:
    missing = [key for key in _RETRY if key not in options] if any(map(options.get, _RETRY)) else []
    missing += [] if "table" in options else ["table"]
    if missing:
        raise text.error(
            node, f"Hint LOOKUP lacks {', '.join(missing)}.", "'table' is always needed; retries need all."
        )
    for key, choices in _CHOICES.items():
        if key in options and options[key].lower() not in choices:
            what = f"Hint LOOKUP has no {key} {options[key]!r}."
            raise text.error(node, what, f"Take one of {', '.join(sorted(choices))}.")
    if "fixed-delay" in options:
        _millis(text, node, options["fixed-delay"])
    if not options.get("max-attempts", "1").isdecimal():
        raise text.error(node, "max-attempts must be a whole number.", "")


def _millis(text: QueryText, node: exp.Expr, value: str) -> int:
    try:
        return millis_of_duration(value)
    except ValueError:
        raise text.error(node, f"{value!r} is not a duration.", "Write '12 h', '1 d' or '30 s'.") from None


def hinted_ttls(planner: SelectPlanner, node: exp.Select) -> HintedTtls:
    """Return the times to live of the inputs of a SELECT by its hints."""
    hints = _hints(planner, node)
    if any("retry-predicate" in hint.options for hint in hints) and node.find(exp.Version):
        what = "Retries of a lookup join are not supported: its table is kept here, up to date."
        raise planner.text.refused(node.args["hint"], what, "Leave the options of retries out.")
    options = (hint.options for hint in hints if hint.name == "STATE_TTL")
    return HintedTtls(
        FrozenMap((key, _millis(planner.text, node, value)) for one in options for key, value in one.items())
    )


def checked_hints(planner: SelectPlanner, node: exp.Select, scope: Scope, *, has_state: bool, has_joins: bool) -> None:
    """Check that hints name inputs of the query.

    Strategies of joins (``BROADCAST`` and similar) are for batch jobs, and have no effect, as in Flink.

    Args:
        planner: Planner of the query.
        node: The query.
        scope: Scope of FROM.
        has_state: Whether the query joins or aggregates; otherwise hints have no effect.
        has_joins: Whether it joins.
    """
    known = [one.alias for one in scope.sources if one.alias]
    for hint in _hints(planner, node):
        named = hint.names if hint.name in _JOINS else [hint.options["table"]] if hint.name == "LOOKUP" else ()
        named = [*named, *hint.options] if hint.name == "STATE_TTL" and has_state else named if has_joins else ()
        wrong = next((name for name in named if name not in known), None)
        if wrong is not None:
            what = f"The options of hint {hint.name} cannot match the name of input tables or views: {wrong}"
            raise planner.text.error(node.args["hint"], what, did_you_mean(wrong, known))


def _hints(planner: SelectPlanner, node: exp.Select) -> list[Hint]:
    clause = node.args.get("hint")
    return [] if clause is None else [one for part in clause.expressions for one in parsed_hints(planner.text, part)]
