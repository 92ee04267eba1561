"""``JSON_VALUE``, ``JSON_QUERY`` and ``JSON_EXISTS``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.built_in import Arguments, BuiltInFunction, CallError, always_nullable, never_null
from kafkastream.sql.plan.functions.written_values import written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["JSON_FUNCTIONS"]

_PATH: Final = re.compile(r"\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^']+'\])*")
_MODE: Final = re.compile(r"^(lax|strict)\s+")


def _steps(arguments: Arguments) -> str:
    """The path without its mode; empty where it is computed."""
    return _MODE.sub("", written_text(arguments[1]) or "")


def _checked(arguments: Arguments) -> Arguments:
    if not _PATH.fullmatch(_steps(arguments)):
        what = "A JSON path must be a literal of steps '$.name', '$[0]' or \"$['name']\" here."
        raise CallError.unsupported(what, "Write it so.", 1)
    return arguments


def _found(call: Call, texts: Sequence[str]) -> str:
    """Return the Spark SQL of the value at a path, as VARIANT; NULL if it is missing, or the text is not JSON."""
    return f"try_variant_get(try_parse_json({texts[0]}), {quoted_text(_steps(call.arguments))}, 'variant')"


def _value(call: Call, texts: Sequence[str]) -> str:
    found = _found(call, texts)
    return f"if(schema_of_variant({found}) rlike '^(OBJECT|ARRAY)', null, cast({found} as string))"


def _query(call: Call, texts: Sequence[str]) -> str:
    is_whole = f"schema_of_variant({_found(call, texts)}) rlike '^(OBJECT|ARRAY)'"
    return f"if({is_whole}, get_json_object({texts[0]}, {quoted_text(_steps(call.arguments))}), null)"


def _exists(call: Call, texts: Sequence[str]) -> str:
    return f"({_found(call, texts)} is not null)"


_STRING: Final = always_nullable(DataType.string())
JSON_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "JSON_VALUE": BuiltInFunction(_STRING, _value, (2, 2), takes=(TEXT,), prepare=_checked),
    "JSON_QUERY": BuiltInFunction(_STRING, _query, (2, 2), takes=(TEXT,), prepare=_checked),
    "JSON_EXISTS": BuiltInFunction(
        never_null(DataType.of(Kind.BOOLEAN)), _exists, (2, 2), takes=(TEXT,), prepare=_checked
    ),
}
"""Functions by name; RETURNING is a TRY_CAST of the value, DEFAULT a COALESCE."""
