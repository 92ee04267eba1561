"""Decimals as text, by the rules of Java's BigDecimal."""

from __future__ import annotations

from pyspark.sql import Column, functions

__all__ = ["decimal_text"]


def decimal_text(value: Column) -> Column:
    """Return decimals as Java's ``BigDecimal.stripTrailingZeros().toString()``: ``1E+2`` for 100, ``1.2E-7``.

    Args:
        value: Column of decimals.
    """
    text = value.cast("string")
    plain = functions.regexp_replace(functions.regexp_replace(text, r"(\.\d*?)0+$", "$1"), r"\.$", "")
    sign = functions.regexp_substr(plain, functions.lit("^-"))
    whole, small = r"^-?([1-9])(\d*?)(0+)$", r"^-?0\.(0{6,})([1-9])(\d*)$"
    return (
        functions.when(plain.rlike(whole), _scientific(plain, sign, (whole, 1, 2), functions.lit("E+"), (2, 3)))
        .when(plain.rlike(small), _scientific(plain, sign, (small, 2, 3), functions.lit("E-"), (1, 2)))
        .otherwise(plain)
    )


def _scientific(
    plain: Column, sign: Column, digits: tuple[str, int, int], exponent: Column, counted: tuple[int, int]
) -> Column:
    pattern, first, rest = digits
    others = functions.regexp_extract(plain, pattern, rest)
    lengths = [functions.length(functions.regexp_extract(plain, pattern, group)) for group in counted]
    return functions.concat(
        functions.coalesce(sign, functions.lit("")),
        functions.regexp_extract(plain, pattern, first),
        functions.when(others == "", "").otherwise(functions.concat(functions.lit("."), others)),
        exponent,
        (lengths[0] + lengths[1]).cast("string"),
    )
