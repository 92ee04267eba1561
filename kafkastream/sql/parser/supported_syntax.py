"""Supported nodes of a tree, and the supported parts of each; everything else that the parser accepts is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sqlglot import exp

__all__ = ["unread"]

_USUAL = frozenset({"this", "expression", "expressions", "alias"})
_REFUSED_LATER = (
    *(
        exp.Hint,
        exp.Lateral,
        exp.Limit,
        exp.Offset,
        exp.Fetch,
        exp.LimitOptions,
        exp.WindowSpec,
    ),
    *(exp.GroupingSets, exp.Cube, exp.Rollup, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup),
)
"""Nodes with a specific error."""
_PARTS: Final[Mapping[type[exp.Expr], frozenset[str]]] = {
    **dict.fromkeys(_REFUSED_LATER, frozenset({"*"})),
    **dict.fromkeys(
        (
            *(
                exp.Add,
                exp.Alias,
                exp.All,
                exp.Any,
                exp.And,
                exp.Anonymous,
                exp.Array,
                exp.Boolean,
                exp.Bracket,
                exp.Ceil,
                exp.Column,
                exp.CTE,
            ),
            *(
                exp.CurrentDate,
                exp.CurrentTime,
                exp.CurrentTimestamp,
                exp.Distinct,
                exp.Dot,
                exp.EQ,
                exp.Escape,
                exp.Exists,
            ),
            *(
                exp.Extract,
                exp.Filter,
                exp.Floor,
                exp.From,
                exp.GT,
                exp.GTE,
                exp.Having,
                exp.Interval,
                exp.IntervalSpan,
            ),
            *(exp.Kwarg, exp.LT, exp.LTE, exp.Mod, exp.Mul, exp.NEQ, exp.Neg, exp.Not, exp.Null, exp.NullSafeEQ),
            *(
                exp.NullSafeNEQ,
                exp.Or,
                exp.Order,
                exp.Overlaps,
                exp.Paren,
                exp.Qualify,
                exp.SimilarTo,
                exp.Star,
                exp.Sub,
                exp.Tuple,
                exp.Values,
                exp.Var,
            ),
            *(exp.Where, exp.Localtime, exp.Localtimestamp),
        ),
        frozenset[str](),
    ),
    exp.Anonymous: frozenset({"returning"}),
    exp.Between: frozenset({"low", "high", "symmetric"}),
    exp.Case: frozenset({"ifs", "default"}),
    exp.Cast: frozenset({"to"}),
    exp.TryCast: frozenset({"to"}),
    exp.Ceil: frozenset({"to"}),
    exp.Floor: frozenset({"to"}),
    exp.Column: frozenset({"table", "db", "catalog"}),
    exp.DataType: frozenset({"nested"}),
    exp.Div: frozenset({"typed"}),
    exp.DPipe: frozenset({"safe"}),
    exp.Group: frozenset({"grouping_sets", "cube", "rollup", "totals", "all"}),
    exp.Identifier: frozenset({"quoted"}),
    exp.Interval: frozenset({"unit"}),
    exp.If: frozenset({"true"}),
    exp.In: frozenset({"query"}),
    exp.Is: frozenset({"negate"}),
    exp.JSON: frozenset({"this"}),
    exp.Join: frozenset({"on", "side", "kind", "using", "method"}),
    exp.Like: frozenset({"negate"}),
    exp.Literal: frozenset({"is_string"}),
    exp.MatchRecognize: frozenset(
        {"partition_by", "order", "measures", "after", "pattern", "within", "define", "words"}
    ),
    exp.Ordered: frozenset({"desc", "nulls_first"}),
    exp.Overlay: frozenset({"from_", "for_"}),
    exp.Select: frozenset(
        {
            "from_",
            "joins",
            "where",
            "group",
            "having",
            "distinct",
            "with_",
            "order",
            "limit",
            "offset",
            "windows",
            "qualify",
            "hint",
        }
    ),
    exp.StrPosition: frozenset({"substr"}),
    exp.Subquery: frozenset({"with_", "joins", "order", "limit", "offset", "partition", "match"}),
    exp.Substring: frozenset({"start", "length"}),
    exp.Table: frozenset({"db", "catalog", "hints", "joins", "partition", "version", "match"}),
    exp.TableAlias: frozenset({"columns"}),
    exp.Trim: frozenset({"position"}),
    exp.HexString: frozenset(),
    exp.National: frozenset(),
    exp.UnicodeString: frozenset({"escape"}),
    **dict.fromkeys(
        (exp.Union, exp.Intersect, exp.Except), frozenset({"distinct", "with_", "order", "limit", "offset"})
    ),
    exp.Unnest: frozenset({"offset"}),
    exp.Values: frozenset({"with_", "order", "limit", "offset"}),
    exp.Version: frozenset({"kind"}),
    exp.With: frozenset({"recursive"}),
    exp.Window: frozenset({"partition_by", "order", "over", "spec"}),
}


def unread(nodes: Iterable[exp.Expr]) -> Iterator[tuple[exp.Expr, str]]:
    """Yield the unsupported ones among nodes, each with the name of the unsupported part; empty for the whole node."""
    for node in nodes:
        known = _PARTS.get(type(node))
        if known is None:
            yield node, ""
        elif "*" not in known:
            yield from ((node, name) for name, value in node.args.items() if value and name not in known | _USUAL)
