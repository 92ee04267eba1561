"""The functions of Flink SQL that queries may call, each as the Spark SQL that gives the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, final

import attrs

__all__ = ["FUNCTIONS", "Function"]


@final
@attrs.frozen
class Function:
    """A function as Spark SQL, where ``{0}`` is the first argument and ``{*}`` are all.

    Args:
        forms: One for each number of arguments that it takes.
        rewrite: The name of the rewrite that looks at the arguments' types and values, when that is needed.
    """

    forms: tuple[str, ...] = ()
    rewrite: str = ""

    def form(self, arguments: int) -> str | None:
        """The form for so many arguments."""
        return next((form for form in self.forms if "{*}" in form or _places(form) == arguments), None)


def _places(form: str) -> int:
    return max((int(place) + 1 for place in re.findall(r"\{(\d)", form)), default=0)


def _same(*names: str) -> dict[str, Function]:
    return {name: Function((f"{name.lower()}({{0}})",)) for name in names}


def _binary(text: str) -> str:
    return f"cast({text} as binary)"


_NOW: Final = "date_trunc('MILLISECOND', current_timestamp())"
_STRINGS = {
    **_same("UPPER", "LOWER", "LTRIM", "RTRIM", "CHAR_LENGTH", "CHARACTER_LENGTH", "REVERSE", "URL_ENCODE"),
    "UCASE": Function(("upper({0})",)),
    "LCASE": Function(("lower({0})",)),
    "BTRIM": Function(("trim({0})", "trim(BOTH {1} FROM {0})")),
    "CONCAT": Function(("concat({*})",)),
    "CONCAT_WS": Function(("concat_ws({*})",)),
    "REPEAT": Function(("repeat({0}, {1})",)),
    "REPLACE": Function(rewrite="replace"),
    "LEFT": Function(("left({0}, {1})",)),
    "RIGHT": Function(("right({0}, {1})",)),
    "LPAD": Function(rewrite="pad"),
    "RPAD": Function(rewrite="pad"),
    "SUBSTR": Function(rewrite="substring"),
    "SUBSTRING": Function(rewrite="substring"),
    "INSTR": Function(("instr({0}, {1})",)),
    "LOCATE": Function(("locate({0}, {1})",)),
    "TRANSLATE": Function(("translate({0}, {1}, {2})",)),
    "STARTSWITH": Function(("startswith({0}, {1})",)),
    "ENDSWITH": Function(("endswith({0}, {1})",)),
    "SPLIT_INDEX": Function(rewrite="split_index"),
    "REGEXP": Function(("if({1} = '', false, {0} rlike {1})",)),
    "REGEXP_EXTRACT": Function(
        (
            "if({0} rlike {1}, regexp_extract({0}, {1}, 0), null)",
            "if({0} rlike {1}, regexp_extract({0}, {1}, {2}), null)",
        )
    ),
    "REGEXP_REPLACE": Function(("regexp_replace({0}, {1}, {2})",)),
    "TO_BASE64": Function((f"base64({_binary('{0}')})",)),
    "FROM_BASE64": Function(("decode(unbase64({0}), 'UTF-8')",)),
    "MD5": Function((f"md5({_binary('{0}')})",)),
    "SHA1": Function((f"sha1({_binary('{0}')})",)),
    **{f"SHA{bits}": Function((f"sha2({_binary('{0}')}, {bits})",)) for bits in (224, 256, 384, 512)},
    "SHA2": Function((f"sha2({_binary('{0}')}, {{1}})",)),
    "HEX": Function(("hex({0})",)),
    "BIN": Function(("bin({0})",)),
    "ENCODE": Function(("encode({0}, {1})",)),
    "DECODE": Function(("decode({0}, {1})",)),
    "UUID": Function(("uuid()",)),
    "JSON_VALUE": Function(rewrite="json_value"),
    "JSON_QUERY": Function(rewrite="json_query"),
    "JSON_EXISTS": Function(rewrite="json_exists"),
}
_NUMBERS = {
    **_same("ABS", "SQRT", "EXP", "SIN", "COS", "TAN", "COT", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH"),
    **_same("DEGREES", "RADIANS"),
    "ATAN2": Function(("atan2({0}, {1})",)),
    "POWER": Function(("power({0}, {1})",)),
    "LN": Function(rewrite="logarithm"),
    "LOG10": Function(rewrite="logarithm"),
    "LOG2": Function(rewrite="logarithm"),
    "MOD": Function(rewrite="mod"),
    "ROUND": Function(("round({0}, 0)", "round({0}, {1})")),
    "TRUNCATE": Function(rewrite="truncate"),
    "SIGN": Function(rewrite="sign"),
    "PI": Function(("pi()",)),
    "E": Function(("e()",)),
    "RAND": Function(("rand()", "rand({0})")),
    "RAND_INTEGER": Function(("cast(floor(rand() * {0}) as int)",)),
}
_CHOICES = {
    "COALESCE": Function(rewrite="coalesce"),
    "IFNULL": Function(rewrite="coalesce"),
    "NULLIF": Function(rewrite="nullif"),
    "IF": Function(rewrite="if"),
    "GREATEST": Function(rewrite="extreme"),
    "LEAST": Function(rewrite="extreme"),
}
_TIMES = {
    "CURRENT_TIMESTAMP": Function((_NOW,)),
    "NOW": Function((_NOW,)),
    "LOCALTIMESTAMP": Function((f"cast({_NOW} as timestamp_ntz)",)),
    "CURRENT_DATE": Function(("current_date()",)),
    "PROCTIME": Function((_NOW,)),
    **{
        name: Function((f"cast({name.lower()}({{0}}) as bigint)",))
        for name in ("YEAR", "QUARTER", "MONTH", "DAYOFMONTH", "DAYOFYEAR", "DAYOFWEEK", "HOUR", "MINUTE", "SECOND")
    },
    "WEEK": Function(("cast(weekofyear({0}) as bigint)",)),
    "DATE_FORMAT": Function(rewrite="date_format"),
    "TO_TIMESTAMP": Function(rewrite="to_timestamp"),
    "TO_TIMESTAMP_LTZ": Function(rewrite="to_timestamp_ltz"),
    "TO_DATE": Function(("try_cast({0} as date)", "cast(try_to_timestamp({0}, {1}) as date)")),
    "UNIX_TIMESTAMP": Function(
        ("unix_timestamp()", "unix_timestamp({0}, 'yyyy-MM-dd HH:mm:ss')", "unix_timestamp({0}, {1})")
    ),
    "FROM_UNIXTIME": Function(("from_unixtime({0}, 'yyyy-MM-dd HH:mm:ss')", "from_unixtime({0}, {1})")),
    "TIMESTAMPADD": Function(rewrite="timestampadd"),
    "TIMESTAMPDIFF": Function(rewrite="timestampdiff"),
}
_COLLECTIONS = {
    "CARDINALITY": Function(("cast(if({0} is null, null, size({0})) as int)",)),
    "ELEMENT": Function(
        ("if(size({0}) > 1, raise_error('ELEMENT takes an array with one element at most.'), get({0}, 0))",)
    ),
    "ROW": Function(rewrite="row"),
    "ARRAY_CONTAINS": Function(("exists({0}, e -> e <=> {1})",)),
    "ARRAY_DISTINCT": Function(("array_distinct({0})",)),
    "ARRAY_REVERSE": Function(("reverse({0})",)),
    "ARRAY_JOIN": Function(("array_join({0}, {1})", "array_join({0}, {1}, {2})")),
    "MAP_KEYS": Function(("map_keys({0})",)),
    "MAP_VALUES": Function(("map_values({0})",)),
}
FUNCTIONS: Final[Mapping[str, Function]] = {**_STRINGS, **_NUMBERS, **_CHOICES, **_TIMES, **_COLLECTIONS}
"""Every function by its name; CAST, CASE, EXTRACT, TRIM, POSITION and the like have a grammar of their own."""
