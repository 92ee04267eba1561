"""Parses ``MATCH_RECOGNIZE (...)`` behind a table."""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp
from sqlglot.tokens import TokenType

__all__ = ["LEAST", "MOST", "RELUCTANT", "match_recognize"]

LEAST: Final = "least"
MOST: Final = "most"
RELUCTANT: Final = "reluctant"
"""Keys of a pattern variable's ``meta``: the bounds of its quantifier, and whether that is reluctant."""

_WORDS: Final = "MATCH_RECOGNIZE MEASURES MATCH PER AFTER SKIP PAST ONE PATTERN DEFINE FINAL RUNNING".split()  # noqa: SIM905
_UNKNOWN: Final = {
    "|": "Alternatives of patterns ('A | B') are not part of Flink SQL",
    "(": "Group patterns are not supported yet, as in Flink: put quantifiers behind single variables",
    "PERMUTE": "PERMUTE patterns are not part of Flink SQL",
    "{": "Exclusions of patterns ('{- A -}') are not part of Flink SQL",
    "^": "Flink ignores the anchors of a pattern: leave them out",
    "$": "Flink ignores the anchors of a pattern: leave them out",
}


_ONCE: Final = {LEAST: 1, MOST: 1, RELUCTANT: False}


def match_recognize(parser: Any) -> exp.MatchRecognize | None:
    """Parse the clause, which begins at the current token; return None if there is none."""
    start = parser._curr
    if not parser._match(TokenType.MATCH_RECOGNIZE):
        return None
    parser._match_l_paren()
    match = exp.MatchRecognize(
        partition_by=parser._parse_partition_by(),
        order=parser._parse_order(),
        measures=_named(parser, is_measure=True) if parser._match_text_seq("MEASURES") else None,
        rows=_rows(parser),
        after=_after(parser),
        pattern=_pattern(parser),
    ).update_positions(start)
    match.set("within", parser._parse_interval() if parser._match_text_seq("WITHIN") else None)
    if parser._match_text_seq("SUBSET"):
        parser.refuse("SUBSET is not supported: name the variables themselves", parser._prev)
    match.set("define", _named(parser, is_measure=False) if parser._match_text_seq("DEFINE") else None)
    parser._match_r_paren()
    match.set("alias", parser._parse_table_alias())
    words = exp.Var(this="MATCH_RECOGNIZE")
    words.meta["words"] = _WORDS
    match.set("words", words)
    return match


def _named(parser: Any, *, is_measure: bool) -> list[exp.Expr]:
    """Parse ``value AS name, ...`` of MEASURES, or ``name AS condition, ...`` of DEFINE."""

    def measure() -> exp.Expr:
        if parser._match_text_seq("RUNNING"):
            parser.refuse("RUNNING is not part of Flink SQL", parser._prev)
        parser._match_text_seq("FINAL")
        value = parser._parse_disjunction()
        if not parser._match(TokenType.ALIAS):
            parser.refuse("Expected AS and the name of the measure")
        return exp.Alias(this=value, alias=_name(parser))

    def definition() -> exp.Expr:
        name = _name(parser)
        if not parser._match(TokenType.ALIAS):
            parser.refuse("Expected AS and the condition of the variable")
        return exp.Alias(this=parser._parse_disjunction(), alias=name)

    found: list[exp.Expr] = parser._parse_csv(measure if is_measure else definition)
    return found


def _name(parser: Any) -> exp.Identifier:
    name = parser._parse_id_var(any_token=False)
    if name is None:
        parser.refuse("Expected a name")
    found: exp.Identifier = name
    return found


def _rows(parser: Any) -> exp.Expr | None:
    if parser._match_text_seq("ONE", "ROW", "PER", "MATCH"):
        return None
    if parser._match_text_seq("ALL", "ROWS", "PER", "MATCH"):
        parser.refuse("All rows per match mode is not supported yet, as in Flink: write ONE ROW PER MATCH")
    return None


def _after(parser: Any) -> exp.Expr | None:
    """Parse ``AFTER MATCH SKIP ...``: a Kwarg of where to skip and the variable."""
    if not parser._match_text_seq("AFTER", "MATCH", "SKIP"):
        return None
    if parser._match_text_seq("PAST", "LAST", "ROW"):
        return exp.Kwarg(this=exp.var("PAST"), expression=exp.Null())
    if not parser._match_text_seq("TO"):
        parser.refuse("Expected PAST LAST ROW or TO after SKIP")
    if parser._match_text_seq("NEXT", "ROW"):
        return exp.Kwarg(this=exp.var("NEXT"), expression=exp.Null())
    for side in ("FIRST", "LAST"):
        if parser._match_text_seq(side):
            return exp.Kwarg(this=exp.var(side), expression=_name(parser))
    return exp.Kwarg(this=exp.var("LAST"), expression=_name(parser))


def _pattern(parser: Any) -> exp.Tuple:
    """Parse ``PATTERN (A B+ ...)``: one Identifier for each variable, with its quantifier in ``meta``."""
    if not parser._match_text_seq("PATTERN"):
        parser.refuse("Expected PATTERN (...)")
    parser._match_l_paren()
    return exp.Tuple(expressions=_variables(parser))


def _variables(parser: Any) -> list[exp.Expr]:
    """Parse variables up to the closing parenthesis; those in inner parentheses, too."""
    variables: list[exp.Expr] = []
    while not parser._match(TokenType.R_PAREN):
        if parser._match(TokenType.L_PAREN):
            variables += _variables(parser)
            if _quantifier(parser) != _ONCE:
                parser.refuse(_UNKNOWN["("], parser._prev)
            continue
        if parser._curr is None or (parser._curr.text.upper() in _UNKNOWN):
            parser.refuse(_UNKNOWN[parser._curr.text.upper()] if parser._curr else "Expected )", parser._curr)
        name = _name(parser)
        name.meta.update(_quantifier(parser))
        variables.append(name)
    if not variables:
        parser.refuse("Expected the variables of the pattern")
    return variables


def _quantifier(parser: Any) -> dict[str, Any]:
    least: int | None = 1
    most: int | None = 1
    has_bounds = True
    if parser._match(TokenType.STAR):
        least, most = 0, None
    elif parser._match(TokenType.PLUS):
        most = None
    elif parser._match(TokenType.PLACEHOLDER):
        least = 0
    elif parser._match(TokenType.DQMARK):
        return {LEAST: 0, MOST: 1, RELUCTANT: True}
    elif parser._curr and parser._curr.token_type is TokenType.L_BRACE:
        least, most = _bounds(parser)
    else:
        has_bounds = False
    return {LEAST: least, MOST: most, RELUCTANT: has_bounds and bool(parser._match(TokenType.PLACEHOLDER))}


def _bounds(parser: Any) -> tuple[int | None, int | None]:
    """Parse ``{n}``, ``{n,}``, ``{n,m}`` or ``{,m}``, which has no minimum."""
    if parser._next and parser._next.token_type is TokenType.DASH:
        parser.refuse(_UNKNOWN["{"], parser._curr)
    parser._match(TokenType.L_BRACE)
    least = _number(parser)
    most = least
    if parser._match(TokenType.COMMA):
        most = _number(parser)
        if least is None and most is None:
            parser.refuse("Expected a number of rows in {}")
    elif least is None:
        parser.refuse("Expected a number of rows in {}")
    if not parser._match(TokenType.R_BRACE):
        parser.refuse("Expected }")
    return least, most


def _number(parser: Any) -> int | None:
    return int(parser._prev.text) if parser._match(TokenType.NUMBER) else None
