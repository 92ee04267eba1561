"""``JSON_EXISTS``, paths, and clauses of the functions that Python computes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kafkastream.sql.plan.expression import Call
from kafkastream.sql.plan.functions.built_in import (
    Arguments,
    BuiltInFunction,
    CallError,
    always_nullable,
    forms,
    like,
    returns,
)
from kafkastream.sql.plan.functions.type_rules import widest
from kafkastream.sql.plan.functions.written_values import written_text
from kafkastream.sql.plan.spark_type_names import quoted_text
from kafkastream.sql.type_families import TEXT
from kafkastream.sql.types import DataType, Kind

__all__ = ["JSON_FUNCTIONS", "checked_path"]

_PATH: Final = re.compile(r"\$(\.[A-Za-z_]\w*|\[\d+\]|\['[^']+'\])*")
_MODE: Final = re.compile(r"^(lax|strict)\s+")


def _steps(arguments: Arguments) -> str:
    """The path without its mode; empty where it is computed."""
    return _MODE.sub("", written_text(arguments[1]) or "")


def checked_path(arguments: Arguments) -> str:
    """Return the steps of a path that is written out.

    Raises:
        CallError: The path is computed, or has other steps.
    """
    if not _PATH.fullmatch(_steps(arguments)):
        what = "A JSON path must be a literal of steps '$.name', '$[0]' or \"$['name']\" here."
        raise CallError.unsupported(what, "Write it so.", 1)
    return _steps(arguments)


def _checked(arguments: Arguments) -> Arguments:
    checked_path(arguments)
    return arguments


def _found(call: Call, texts: Sequence[str]) -> str:
    """Return the Spark SQL of the value at a path, as VARIANT; NULL if it is missing, or the text is not JSON."""
    return f"try_variant_get(try_parse_json({texts[0]}), {quoted_text(_steps(call.arguments))}, 'variant')"


def _exists(call: Call, texts: Sequence[str]) -> str:
    found = _found(call, texts)
    return f"if({texts[0]} is null, null, {found} is not null and not is_variant_null({found}))"


def _found_type(arguments: Arguments) -> DataType:
    return widest(arguments[:2]).nullable()


JSON_FUNCTIONS: Final[Mapping[str, BuiltInFunction]] = {
    "JSON_EXISTS": BuiltInFunction(
        returns(DataType.of(Kind.BOOLEAN)), _exists, (2, 2), takes=(TEXT,), prepare=_checked
    ),
    "$OR_DEFAULT": BuiltInFunction(_found_type, forms("if({2} is null, null, coalesce({0}, {1}))"), (3, 3)),
    "$JSON_TOLD": BuiltInFunction(
        lambda arguments: arguments[0].type.nullable(),
        forms(
            "case left({0}, 1) when 'v' then substring({0}, 2) when 'e' then {1} when 'x' then {2} "
            "when '!' then raise_error(concat('JSON_VALUE: RETURNING is not the type of ', substring({0}, 2))) end"
        ),
        (3, 3),
    ),
    "$JSON_FAILS": BuiltInFunction(
        always_nullable(DataType.string()), forms("raise_error(concat({0}, ' finds nothing, or an error'))"), (1, 1)
    ),
    "$TRUE_OR": BuiltInFunction(
        like(0, nullable=True), forms("(nullif({0}, false) or ({0} is not null and {1}))"), (2, 2)
    ),
}
"""Functions by name; Python computes JSON_VALUE, whose RETURNING is a TRY_CAST, and JSON_QUERY."""
