"""Why cells differ from Flink's, on purpose; ``differences.json`` has the cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

__all__ = ["REASONS", "Cell", "reason_of"]


@attrs.frozen
class Cell:
    """A cell that differs.

    Args:
        family: Name of the family.
        expression: Expression.
        row: Values of the row; the group for an aggregate; none for the type.
        ours: Value here; a type for the type.
        theirs: Value in Flink; ``False`` where its job fails.
    """

    family: str
    expression: str
    row: tuple[Any, ...]
    ours: Any
    theirs: Any

    def says(self, pattern: str) -> bool:
        """Whether the expression, behind its family, has a pattern."""
        return re.search(pattern, f"{self.family}: {self.expression}") is not None

    def has(self, pattern: str) -> bool:
        """Whether a value of the row has a pattern."""
        return any(re.search(pattern, str(one)) is not None for one in self.row)


_ACCEPTED: Final = (
    r"^(bytes: .*|arrays: IF.*|maps: IF.*|rows: IF.*|untyped: (NULL I[NS]|r IN|[+]) .*|approximate: .*%.*|approximate: (MOD|HEX).*"
    r"|stamps: (d < t|CASE WHEN n > 0 THEN d.*)|(chosen|pairs): JSON_.* FILTER .*)$"
)
_DAYS: Final = r"^(stamps|from_times|epochs|written): "
_LENIENT: Final = r"^(written|from_texts): "
_WRONG: Final = (
    r"COLLECT[(](DISTINCT )?r|STDDEV_POP[(]DISTINCT|INTERVAL '2' WEEK|q % 7|b IN [(]x|ARRAY_SORT[(]d|(ROUND|TRUNCATE)[(]m, i"
    r"|r IS DISTINCT FROM NULL|(GREATEST|LEAST)[(]z, t"
)
REASONS: Final[Mapping[str, Callable[[Cell], bool]]] = {
    "Calls that Flink refuses are computed, where nothing else could be meant.": (
        lambda cell: "refused by Flink" in str(cell.ours) and cell.says(_ACCEPTED)
    ),
    "Calls for which Flink's job fails (SIGN of a TINYINT, ROUND of an infinity, GREATEST of two DECIMAL types) are computed.": (
        lambda cell: cell.theirs is False
    ),
    "A time has six digits of a second; Flink keeps nine.": (
        lambda cell: re.search(":[0-9]{2}[.][0-9]{7}", str(cell.theirs)) is not None
    ),
    "Times before 1970 are rounded down, and days before 1582 are those of the Gregorian calendar; Flink rounds some "
    "towards 1970, and counts some by the Julian calendar.": (
        lambda cell: cell.says(_DAYS) and cell.has("^(19[0-6]|1[0-8]|0)[0-9]+-")
    ),
    "A year after 9999 is shown with a sign, or as it is.": (
        lambda cell: cell.says(_DAYS) and cell.has("^9999-|^2534|^1616893199123")
    ),
    "The hour that the clock of the session's zone skips, and the one it repeats: EXTRACT(EPOCH), TIMESTAMPDIFF, FLOOR "
    "and CEIL of a TIMESTAMP_LTZ, formats that are computed, and comparisons of a TIMESTAMP with a TIMESTAMP_LTZ go by the instant.": (
        lambda cell: (
            cell.says(
                "EXTRACT|TIMESTAMPDIFF[(](HOUR|MINUTE|SECOND)|(FLOOR|CEIL)[(]z|(DATE_FORMAT|TO_TIMESTAMP_LTZ)[(]s, p|z > t"
            )
            and cell.has("2021-(03-28|10-31)[T ]0[0-2]|1970-01-01T00")
        )
    ),
    "TIMESTAMPDIFF counts whole months back from the later time; Flink may count one more.": (
        lambda cell: cell.says("TIMESTAMPDIFF[(](MONTH|QUARTER|YEAR)")
    ),
    "A text that has not the form of a time is NULL, or fails the job; Flink also reads 2021-02-30, 12 as a year, or "
    "the beginning of a text, and UNIX_TIMESTAMP counts digits of a fraction as milliseconds.": (
        lambda cell: cell.says(_LENIENT) and (cell.ours in (None, False) or cell.says("UNIX_TIMESTAMP[(]s, p"))
    ),
    "CAST also reads a time with T between the day and the hour.": lambda cell: cell.says(_LENIENT) and cell.has("T"),
    "Spark's date_format has no letters for quarters with days (Q, D, u), and fails the job.": (
        lambda cell: cell.says("QQQ")
    ),
    "The sign of -0.0 is not kept, and -0.0 is 0.0 in comparisons.": (
        lambda cell: (cell.has("-0[.]0") and not cell.says(_WRONG)) or cell.has("^(zeros|below zero)$")
    ),
    "NaN equals NaN, and is greater than all numbers.": (
        lambda cell: (cell.family == "approximate" and cell.has("^NaN$")) or cell.has("^(no number|lost)$")
    ),
    "Sums of FLOAT and DOUBLE may have other last digits, since each micro-batch is summed first; AVG does not overflow as "
    "the SUM does, which Flink divides in queries with STDDEV or VAR_POP; and variances of DECIMAL keep more digits.": (
        lambda cell: (
            (cell.says("^(sums|windows): .*(SUM|AVG)[(].*([fd]|DOUBLE)") and cell.has("^rounded$"))
            or (cell.says("^(sums|spreads): AVG") and cell.has("^(most|least|rounded)$"))
            or cell.says("^spreads: .*(STDDEV|VAR).*[(]q")
        )
    ),
    "The last digit of LOG and POWER is that of Spark's mathematics.": lambda cell: cell.says("(LOG|POWER)[(]d, e"),
    "The square root of a negative infinity is NaN, and TRUNCATE leaves numbers that begin at the 18th digit.": (
        lambda cell: cell.says("(SQRT|TRUNCATE)[(]d")
    ),
    "FLOAT and DOUBLE in IF and CASE give a DOUBLE; in Flink, the first of them.": lambda cell: cell.says("IF[(]d > 0"),
    "CHAR(n), VARCHAR(n) and JSON_UNQUOTE take a letter beyond the BMP as one; Flink may halve it.": (
        lambda cell: cell.says("^texts: JSON_UNQUOTE|^bytes: CAST")
    ),
    "The length of texts is not kept, and a time has no milliseconds.": (
        lambda cell: cell.says("^constants: (TYPEOF|TIME )")
    ),
    "A map has no NULL as a key, which fails the job, and its entries are in the order in which they were given.": (
        lambda cell: cell.says("^(arrays|maps|untyped): .*(MAP|CAST[(]m)")
    ),
    "Flink's result is wrong: INTERVAL '2' WEEK has two hours, 38 nines modulo 7 are 0, bytes are in no list and equal "
    "in no multiset, variances of DISTINCT values count equal squares once, arrays with NaN are not sorted, and a DECIMAL rounded to a computed number of digits before the point loses its scale, a row of NULLs is not distinct from NULL, and GREATEST and LEAST take a TIMESTAMP for UTC where another argument is a TIMESTAMP_LTZ.": lambda cell: (
        cell.says(_WRONG)
    ),
}
"""Whether a cell differs for it, by reason; the first that does counts."""


def reason_of(cell: Cell) -> str | None:
    """The reason for which a cell may differ."""
    return next((reason for reason, holds in REASONS.items() if holds(cell)), None)
