"""Functions of URLs, whose parts are those of Java's ``java.net.URL``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.bound_arguments import bound_text
from kafkastream.sql.plan.functions.built_in import Arguments, BuiltInFunction, CallError, always_nullable, forms
from kafkastream.sql.plan.functions.pattern_functions import if_valid
from kafkastream.sql.plan.functions.written_values import written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType

__all__ = ["URL_FUNCTIONS"]

_STRING: Final = DataType.string()
# Repetitions are possessive: a URL of 1 MB takes linear time. Java takes no part of a text with two "@" as its host, and
# "////" is a path: https://github.com/openjdk/jdk17u/blob/jdk-17.0.15-ga/src/java.base/share/classes/java/net/URLStreamHandler.java
_URL: Final = quoted_text(
    r"(?si)^(?:url:)?(https?|ftp|file|jar(?=:(?:https?|ftp|file|jar):[^#]*!/)|mailto(?=:.)|jmod|jrt):"
    r"(?:(//(?!//)("
    r"(?:([^/?#@]*+)@)?(\[[0-9a-f:.]++(?:%[^\]/?#]*+)?\]|(?!\[)[^/?#@:\x00-\x1f\x7f]*+)(?::(?:-1|\d{0,9}+))?(?=[/?#]|\z)"
    r"|[^/?#@]*+@[^/?#@]*+@[^/?#]*+"
    r"))|(?=////)|(?!//))([^?#]*+)(\?([^#]*+))?(#(.*+))?\z"
)
_AROUND: Final = "".join(f"\\u{code:04x}" for code in range(ord(" ") + 1))
"""Characters that Java removes around a URL, as Spark's parser reads them."""


def _group(number: int) -> str:
    return f"regexp_extract({{0}}, {_URL}, {number})"


_PARTS: Final[Mapping[str, str]] = {
    "PROTOCOL": f"lower({_group(1)})",
    "HOST": _group(5),
    "PATH": _group(6),
    "QUERY": f"if({_group(7)} = '', null, {_group(8)})",
    "REF": f"if({_group(9)} = '', null, {_group(10)})",
    "AUTHORITY": f"if({_group(2)} = '', null, {_group(3)})",
    "FILE": f"{_group(6)} || {_group(7)}",
    "USERINFO": f"if({_group(3)} rlike '^[^@]*@[^@]*$', {_group(4)}, null)",
}


def _checked(arguments: Arguments) -> Arguments:
    part = written_text(arguments[1])
    if part is None:
        what = "PARSE_URL takes the name of a part that is written out here."
        raise CallError.unsupported(what, f"Write one of {', '.join(_PARTS)}.", 1)
    return arguments


def _parsed(call: Call, texts: Sequence[str]) -> str:
    """Return a part of a URL; NULL for a text that Java does not take as one, and for other parts."""
    part = written_text(call.arguments[1]) or ""
    if part not in _PARTS or (len(texts) > 2 and part != "QUERY"):
        return "cast(null as string)"
    url = f"trim(both '{_AROUND}' from {texts[0]})"
    if len(texts) < 3:
        return bound_text(f"if({{0}} rlike {_URL}, {_PARTS[part]}, null)", [url])
    pattern = "concat('(&|^)', {1}, '=([^&]*)')"
    found = f"if({{2}} rlike {pattern}, regexp_extract({{2}}, {pattern}, 2), null)"
    value = if_valid(call.arguments[2], "{1}", found)
    query = bound_text(f"if({{0}} rlike {_URL}, {_PARTS['QUERY']}, null)", [url])
    return bound_text(value, [texts[0], texts[2], query], "w")


URL_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "PARSE_URL": BuiltInFunction(always_nullable(_STRING), _parsed, (2, 3), (TEXT,), _checked),
    "URL_DECODE": BuiltInFunction(always_nullable(_STRING), forms("try_url_decode({0})"), (1, 1), (TEXT,)),
}
"""Functions by name."""
