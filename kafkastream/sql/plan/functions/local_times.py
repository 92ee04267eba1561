"""Spark SQL of times without a zone, whose texts name hours that the clock of the session's zone skips, too."""

from __future__ import annotations

import re
from typing import Final

from kafkastream.sql.plan.spark_type_names import quoted_text

__all__ = ["IN_UTC", "JDBC_TIME", "local_instant", "local_shown", "local_text", "parsed_local", "tells_zone"]

_EPOCH: Final = "timestamp_ntz'1970-01-01 00:00:00'"
IN_UTC: Final = f"timestampadd(MICROSECOND, unix_micros({{0}}), {_EPOCH})"
"""Spark SQL of the TIMESTAMP that an instant is in UTC."""
JDBC_TIME: Final = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}([.][0-9]*)?)?$"
"""Regular expression of the texts that Flink reads as a time whatever the format is."""
_QUOTED: Final = re.compile(r"'[^']*'")
_PIECE: Final = re.compile(r"'([^']*)'|(y{4}|u{4}|M{2}|d{2}|H{2}|m{2}|s{2}|S{1,6})(?![A-Za-z])|([^A-Za-z'\[\]{}#]+)")
_PLACES: Final = {
    "yyyy": (1, 4),
    "uuuu": (1, 4),
    "MM": (6, 2),
    "dd": (9, 2),
    "HH": (12, 2),
    "mm": (15, 2),
    "ss": (18, 2),
}
_FRACTION: Final = 21
"""Position of the digits of a fraction in a text."""


def local_text(value: str, digits: int) -> str:
    """Return the Spark SQL of a TIMESTAMP's text with so many digits of a second, as CAST gives it.

    Spark's ``date_format`` goes through an instant, which the times that a zone skips do not have.
    """
    if not digits:
        return f"regexp_replace(cast({value} as string), '[.][0-9]*$', '')"
    shape = f"':([0-9]{{2}})[.]?([0-9]{{{digits}}})[0-9]*$'"
    return f"regexp_replace(concat(cast({value} as string), '{'0' * digits}'), {shape}, ':$1.$2')"


def local_shown(value: str, pattern: str) -> str | None:
    """Return the Spark SQL of a TIMESTAMP's text in a format; None for a format with other letters than digits have.

    Args:
        value: Spark SQL of the TIMESTAMP, which is repeated.
        pattern: Format of Java.
    """
    parts, at = [], 0
    while at < len(pattern):
        found = _PIECE.match(pattern, at)
        if found is None:
            return None
        quoted, letters, signs = found.groups()
        parts.append(_digits(value, letters) if letters else quoted_text(signs or quoted or "'"))
        at = found.end()
    return f"concat({', '.join(parts)})" if parts else None


def _digits(value: str, letters: str) -> str:
    start, length = _PLACES.get(letters, (_FRACTION, len(letters)))
    return f"substring({local_text(value, 6)}, {start}, {length})"


def local_instant(local: str) -> str:
    """Return the Spark SQL of the instant that a TIMESTAMP is in UTC, with milliseconds."""
    return f"timestamp_millis(unix_millis(cast(concat(cast({local} as string), 'Z') as timestamp)))"


def tells_zone(pattern: str | None) -> bool:
    """Return whether a format has, or may have, a zone."""
    return pattern is None or bool(re.search("[XxZzVOv]", _QUOTED.sub("", pattern)))


def parsed_local(text: str, pattern: str) -> str:
    """Return the Spark SQL of the TIMESTAMP that a text is by a format without a zone; NULL if it does not fit.

    Args:
        text: Spark SQL of the text.
        pattern: Spark SQL of the format.
    """
    return IN_UTC.format(f"try_to_timestamp(concat({text}, ' +0000'), concat({pattern}, ' Z'))")
