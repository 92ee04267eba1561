"""Signatures of functions as Flink's errors show them, by which calls are checked before Spark sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

import attrs

from kafkastream.sql.plan.expression import TypedExpression, is_null
from kafkastream.sql.type_families import BYTES, NUMERIC, STAMPS, TEXT, TIMES, WHOLE
from kafkastream.sql.types import Kind

__all__ = ["SIGNATURES", "Signature", "misfit"]

_FAMILIES: Final[Mapping[str, frozenset[Kind]]] = {
    "ANY": frozenset(Kind),
    "BINARY": BYTES,
    "CHARACTER": TEXT,
    "DATETIME": TIMES,
    "EXACT_NUMERIC": WHOLE | {Kind.DECIMAL},
    "INTEGER": WHOLE,
    "NUMERIC": NUMERIC,
    "STRING": TEXT | BYTES,
    "TIMESTAMP": STAMPS,
}
"""Kinds of arguments by their names in signatures."""
_OF_ONE: Final[Mapping[str, str]] = {
    "NUMERIC": "ABS ACOS ASIN ATAN COS COSH COT DEGREES EXP LN LOG LOG10 LOG2 RADIANS SIGN SIN SINH SQRT TAN TANH ROUND "
    "TRUNCATE FLOOR CEIL",
    "INTEGER": "BIN CHR HEX FROM_UNIXTIME",
    "CHARACTER": "ASCII CHAR_LENGTH CHARACTER_LENGTH HEX INITCAP LCASE LOWER LTRIM RTRIM BTRIM REVERSE UCASE UPPER URL_ENCODE "
    "URL_DECODE UNHEX TO_DATE TO_TIMESTAMP UNIX_TIMESTAMP",
    "STRING": "FROM_BASE64 TO_BASE64 MD5 SHA1 SHA224 SHA256 SHA384 SHA512",
    "DATETIME": "YEAR QUARTER MONTH WEEK DAYOFMONTH DAYOFWEEK DAYOFYEAR HOUR MINUTE SECOND",
}
_OF_MORE: Final = """
ATAN2(<NUMERIC>, <NUMERIC>)
BTRIM(<CHARACTER>, <CHARACTER>)
CONCAT(<CHARACTER>, <CHARACTER>...)
CONCAT_WS(<CHARACTER>, <CHARACTER>...)
DATE_FORMAT(<TIMESTAMP>, <CHARACTER>)
DATE_FORMAT(<CHARACTER>, <CHARACTER>)
DECODE(<BINARY>, <CHARACTER>)
ENCODE(<CHARACTER>, <CHARACTER>)
ENDSWITH(<CHARACTER>, <CHARACTER>)
ENDSWITH(<BINARY>, <BINARY>)
FROM_UNIXTIME(<INTEGER>, <CHARACTER>)
INSTR(<CHARACTER>, <CHARACTER>)
INSTR(<CHARACTER>, <CHARACTER>, <INTEGER>)
INSTR(<CHARACTER>, <CHARACTER>, <INTEGER>, <INTEGER>)
LEFT(<CHARACTER>, <INTEGER>)
LOCATE(<CHARACTER>, <CHARACTER>)
LOCATE(<CHARACTER>, <CHARACTER>, <INTEGER>)
LOG(<NUMERIC>, <NUMERIC>)
LPAD(<CHARACTER>, <INTEGER>, <CHARACTER>)
LTRIM(<CHARACTER>, <CHARACTER>)
MOD(<EXACT_NUMERIC>, <EXACT_NUMERIC>)
POSITION(<CHARACTER>, <CHARACTER>)
POSITION(<BINARY>, <BINARY>)
POWER(<NUMERIC>, <NUMERIC>)
REGEXP(<CHARACTER>, <CHARACTER>)
REGEXP_EXTRACT(<CHARACTER>, <CHARACTER>)
REGEXP_EXTRACT(<CHARACTER>, <CHARACTER>, <INTEGER>)
REGEXP_REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)
REPEAT(<CHARACTER>, <INTEGER>)
REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)
RIGHT(<CHARACTER>, <INTEGER>)
ROUND(<NUMERIC>, <INTEGER>)
RPAD(<CHARACTER>, <INTEGER>, <CHARACTER>)
RTRIM(<CHARACTER>, <CHARACTER>)
SHA2(<STRING>, <INTEGER>)
STARTSWITH(<CHARACTER>, <CHARACTER>)
STARTSWITH(<BINARY>, <BINARY>)
SUBSTR(<CHARACTER>, <INTEGER>)
SUBSTR(<CHARACTER>, <INTEGER>, <INTEGER>)
SUBSTRING(<CHARACTER>, <INTEGER>)
SUBSTRING(<CHARACTER>, <INTEGER>, <INTEGER>)
TO_DATE(<CHARACTER>, <CHARACTER>)
TO_TIMESTAMP(<CHARACTER>, <CHARACTER>)
TRANSLATE(<CHARACTER>, <CHARACTER>, <CHARACTER>)
TRUNCATE(<NUMERIC>, <INTEGER>)
UNIX_TIMESTAMP(<CHARACTER>, <CHARACTER>)
"""
_OF_UNITS: Final = """
TIMESTAMPADD {}(<INTEGER>, <DATETIME>)
TIMESTAMPDIFF {}(<DATETIME>, <DATETIME>)
"""
_UNITS: Final = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_PATTERNS: Final = """
{}(<CHARACTER>, <CHARACTER>)
{}(<CHARACTER>, <CHARACTER>, <CHARACTER>)
"""
_TRIMS: Final = """
TRIM {}(<CHARACTER>, <CHARACTER>)
"""
_NO_ARGUMENTS: Final = ("CURRENT_DATABASE", "UNIX_TIMESTAMP")


@final
@attrs.frozen
class Signature:
    """Arguments that a function takes.

    Args:
        text: Signature as Flink's errors show it.
        families: Names of the families of the arguments.
        repeats: Whether any number of arguments of the last family may follow.
    """

    text: str
    families: tuple[str, ...]
    repeats: bool = False

    @classmethod
    def of(cls, text: str) -> Signature:
        """Read a signature such as ``LOG(<NUMERIC>, <NUMERIC>)``."""
        families = tuple(re.findall(r"<(\w+)>", text))
        return cls(text, families[:-1] if text.endswith("...)") else families, text.endswith("...)"))

    def counts(self, count: int) -> bool:
        """Return whether the function has a form with ``count`` arguments."""
        return count >= len(self.families) if self.repeats else count == len(self.families)

    def takes(self, arguments: Sequence[TypedExpression]) -> bool:
        """Return whether the arguments fit in number and type; an untyped NULL fits everywhere."""
        return self.counts(len(arguments)) and all(
            is_null(one) or one.type.kind in _FAMILIES[self.families[min(place, len(self.families) - 1)]]
            for place, one in enumerate(arguments)
        )


def _read() -> Mapping[str, tuple[Signature, ...]]:
    texts = [f"{name}(<{family}>)" for family, names in _OF_ONE.items() for name in names.split()]
    texts += [*(f"{name}()" for name in _NO_ARGUMENTS), *_OF_MORE.split("\n")[1:-1]]
    for forms, words in (
        (_OF_UNITS, _UNITS),
        (_PATTERNS, ("LIKE", "NOT LIKE", "SIMILAR TO")),
        (_TRIMS, ("BOTH", "LEADING", "TRAILING")),
    ):
        texts += [form.format(word) for form in forms.split("\n")[1:-1] for word in words]
    found: dict[str, tuple[Signature, ...]] = {}
    for text in texts:
        name = text.partition("(")[0]
        found[name] = (*found.get(name, ()), Signature.of(text))
    return found


SIGNATURES: Final = _read()
"""Signatures by function; what other functions take is a matter of their entries in the tables."""


def misfit(name: str, arguments: Sequence[TypedExpression]) -> str:
    """Return why arguments fit no signature of a function; empty if they fit, or if it has none here.

    Example:
        >>> from kafkastream.sql.plan.expression import Literal
        >>> misfit("LN", [Literal.text("a")])
        "Cannot apply 'LN' to arguments of type 'LN(<CHAR(1) NOT NULL>)'. Supported form(s): 'LN(<NUMERIC>)'"
    """
    signatures = SIGNATURES.get(name, ())
    if not signatures or any(one.takes(arguments) for one in signatures):
        return ""
    forms = " ".join(f"'{one.text}'" for one in signatures)
    if not any(one.counts(len(arguments)) for one in signatures):
        return f"Invalid number of arguments to function '{name}': {len(arguments)}. Supported form(s): {forms}"
    types = ", ".join(f"<{one.type}>" for one in arguments)
    return f"Cannot apply '{name}' to arguments of type '{name}({types})'. Supported form(s): {forms}"
