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

__all__ = ["HINTS", "LOOKUP_KEYS", "Hint", "HintedTtls", "check_hints", "hinted_ttls", "parse_hints"]

_JOIN_HINTS: Final = frozenset({"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"})
HINTS: Final = frozenset({*_JOIN_HINTS, "STATE_TTL", "LOOKUP", "OPTIONS"})
"""Names of all hints."""
_RETRY_OPTIONS: Final = ("retry-predicate", "retry-strategy", "fixed-delay", "max-attempts")
_CHOICES: Final[Mapping[str, frozenset[str]]] = {
    "async": frozenset({"true", "false"}),
    "output-mode": frozenset({"ordered", "allow_unordered"}),
    "retry-predicate": frozenset({"lookup_miss"}),
    "retry-strategy": frozenset({"fixed_delay"}),
}
LOOKUP_KEYS: Final = frozenset({"table", *_RETRY_OPTIONS, *_CHOICES})
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
    side_ttls: tuple[int | None, int | None] = (None, None)

    def _ttl_of(self, scope: Scope) -> int | None:
        """Return the time of an input; None if no hint names it, or it is a join itself."""
        return self.by_input.get(scope.sources[0].alias) if len(scope.sources) == 1 else None

    def of_scopes(self, left: Scope, right: Scope | None = None) -> HintedTtls:
        """Return the times for an aggregate, or for a join."""
        return attrs.evolve(self, side_ttls=(self._ttl_of(left), None if right is None else self._ttl_of(right)))

    def sides(self, ttl_ms: int) -> tuple[int, int]:
        """Return the times of the sides, given that of the session."""
        left, right = (ttl_ms if side_ttl is None else side_ttl for side_ttl in self.side_ttls)
        return left, right


def parse_hints(text: QueryText, node: exp.Expr) -> list[Hint]:
    """Parse the hints in a comment.

    Raises:
        DefinitionError: A hint is not known, or has not the form of its kind.
    """
    cursor = Cursor(str(node.this))
    hints = []
    try:
        cursor.expect("/*+")
        while not cursor.take("*/"):
            hints.append(_parse_hint(cursor))
            cursor.take(",")
    except DefinitionError as error:
        raise text.error(node, error.what, error.now) from None
    for hint in hints:
        _check_hint(text, node, hint)
    return hints


def _parse_hint(cursor: Cursor) -> Hint:
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


def _check_hint(text: QueryText, node: exp.Expr, hint: Hint) -> None:
    if hint.name not in HINTS:
        now = did_you_mean(hint.name, HINTS) or f"Take one of {', '.join(sorted(HINTS))}."
        raise text.error(node, f"Hint {hint.name} is not known.", now)
    if hint.name in _JOIN_HINTS and (not hint.names or hint.options):
        raise text.error(node, f"Hint {hint.name} takes names of tables.", f"Write {hint.name}(t).")
    if hint.name not in _JOIN_HINTS and (hint.names or not hint.options):
        raise text.error(node, f"Hint {hint.name} takes options.", f"Write {hint.name}('key' = 'value').")
    if hint.name == "STATE_TTL":
        for value in hint.options.values():
            _parse_millis(text, node, value)
    if hint.name == "LOOKUP":
        _check_lookup(text, node, hint.options)


def _check_lookup(text: QueryText, node: exp.Expr, options: Mapping[str, str]) -> None:
    missing = [key for key in _RETRY_OPTIONS if key not in options] if any(map(options.get, _RETRY_OPTIONS)) else []
    missing += [] if "table" in options else ["table"]
    if missing:
        raise text.error(
            node, f"Hint LOOKUP lacks {', '.join(missing)}.", "'table' is always needed; retries need all."
        )
    for key, choices in _CHOICES.items():
        if key in options and options[key].lower() not in choices:
            message = f"Hint LOOKUP has no {key} {options[key]!r}."
            raise text.error(node, message, f"Take one of {', '.join(sorted(choices))}.")
    if "fixed-delay" in options:
        _parse_millis(text, node, options["fixed-delay"])
    if not options.get("max-attempts", "1").isdecimal():
        raise text.error(node, "max-attempts must be a whole number.", "")


def _parse_millis(text: QueryText, node: exp.Expr, value: str) -> int:
    try:
        return millis_of_duration(value)
    except ValueError:
        raise text.error(node, f"{value!r} is not a duration.", "Write '12 h', '1 d' or '30 s'.") from None


def hinted_ttls(planner: SelectPlanner, node: exp.Select) -> HintedTtls:
    """Return the times to live of the inputs of a SELECT by its hints."""
    hints = _hints_of(planner, node)
    if any("retry-predicate" in hint.options for hint in hints) and node.find(exp.Version):
        message = "Retries of a lookup join are not supported: its table is kept here, up to date."
        raise planner.text.refused(node.args["hint"], message, "Leave the options of retries out.")
    options = (hint.options for hint in hints if hint.name == "STATE_TTL")
    return HintedTtls(
        FrozenMap(
            (key, _parse_millis(planner.text, node, value)) for option in options for key, value in option.items()
        )
    )


def check_hints(planner: SelectPlanner, node: exp.Select, scope: Scope, *, has_state: bool, has_joins: bool) -> None:
    """Check that hints name inputs of the query.

    Strategies of joins (``BROADCAST`` and similar) are for batch jobs, and have no effect, as in Flink.

    Args:
        planner: Planner of the query.
        node: The query.
        scope: Scope of FROM.
        has_state: Whether the query joins or aggregates; otherwise hints have no effect.
        has_joins: Whether it joins.
    """
    aliases = [source.alias for source in scope.sources if source.alias]
    for hint in _hints_of(planner, node):
        named = hint.names if hint.name in _JOIN_HINTS else [hint.options["table"]] if hint.name == "LOOKUP" else ()
        named = [*named, *hint.options] if hint.name == "STATE_TTL" and has_state else named if has_joins else ()
        wrong = next((name for name in named if name not in aliases), None)
        if wrong is not None:
            message = f"The options of hint {hint.name} cannot match the name of input tables or views: {wrong}"
            raise planner.text.error(node.args["hint"], message, did_you_mean(wrong, aliases))


def _hints_of(planner: SelectPlanner, node: exp.Select) -> list[Hint]:
    clause = node.args.get("hint")
    return [] if clause is None else [hint for part in clause.expressions for hint in parse_hints(planner.text, part)]
