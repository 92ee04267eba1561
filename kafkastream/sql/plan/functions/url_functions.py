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
_URL: Final = quoted_text(
    r"(?si)^\s*(https?|ftp|file|jar|mailto|jmod|jrt):"
    r"(?:(//((?:([^/?#@]*)@)?(\[[^\]/?#]*\]|[^/?#@:]*)(?::\d*)?(?=[/?#\s]|$)))|(?!//))([^?#]*?)(\?([^#]*?))?(#(.*?))?\s*$"
)
_PART: Final = f"regexp_extract({{0}}, {_URL}, %d)"
_PARTS: Final[Mapping[str, str]] = {
    "PROTOCOL": f"lower({_PART % 1})",
    "HOST": _PART % 5,
    "PATH": _PART % 6,
    "QUERY": f"if({_PART % 7} = '', null, {_PART % 8})",
    "REF": f"if({_PART % 9} = '', null, {_PART % 10})",
    "AUTHORITY": f"if({_PART % 2} = '', null, {_PART % 3})",
    "FILE": f"{_PART % 6} || {_PART % 7}",
    "USERINFO": f"if({_PART % 3} rlike '@', {_PART % 4}, null)",
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
    if len(texts) < 3:
        return bound_text(f"if({{0}} rlike {_URL}, {_PARTS[part]}, null)", texts[:1])
    pattern = "concat('(&|^)', {1}, '=([^&]*)')"
    found = f"if({{2}} rlike {pattern}, regexp_extract({{2}}, {pattern}, 2), null)"
    value = if_valid(call.arguments[2], "{1}", found)
    query = bound_text(f"if({{0}} rlike {_URL}, {_PARTS['QUERY']}, null)", texts[:1])
    return bound_text(value, [texts[0], texts[2], query], "w")


URL_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "PARSE_URL": BuiltInFunction(always_nullable(_STRING), _parsed, (2, 3), (TEXT,), _checked),
    "URL_DECODE": BuiltInFunction(always_nullable(_STRING), forms("try_url_decode({0})"), (1, 1), (TEXT,)),
}
"""Functions by name."""
