"""Methods of ``Expression`` on times, and intervals."""

from __future__ import annotations

from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.table.api.expression_tree import ExpressionNode, Form, Text
from kafkastream.table.api.json_clauses import TimeIntervalUnit
from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["TimeMethods"]

_USUAL_DIGITS = 2
"""Digits that an interval may have without a precision."""


class TimeMethods(TreeMethods):
    """Methods on times and intervals; results are NULL for NULL."""

    @property
    def to_date(self) -> Self:
        """Cast to DATE."""
        return self._cast("DATE")

    toDate = to_date

    @property
    def to_time(self) -> Self:
        """Cast to TIME(0)."""
        return self._cast("TIME(0)")

    toTime = to_time

    @property
    def to_timestamp(self) -> Self:
        """Cast to TIMESTAMP(3)."""
        return self._cast("TIMESTAMP(3)")

    toTimestamp = to_timestamp

    def extract(self, time_interval_unit: TimeIntervalUnit) -> Self:
        """Return a part of a time, such as its hour.

        Args:
            time_interval_unit: The part, such as ``TimeIntervalUnit.HOUR``.
        """
        return self._form(f"EXTRACT({time_interval_unit.name} FROM {{0}})")

    def floor(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Round down to a whole number, or a time to a unit.

        Args:
            time_interval_unit: Unit of a time; None for a number.
        """
        return self._rounded("FLOOR", time_interval_unit)

    def ceil(self, time_interval_unit: TimeIntervalUnit | None = None) -> Self:
        """Round up to a whole number, or a time to a unit.

        Args:
            time_interval_unit: Unit of a time; None for a number.
        """
        return self._rounded("CEIL", time_interval_unit)

    @property
    def year(self) -> Self:
        """Make an interval of so many years."""
        return self._interval("YEAR", 1)

    @property
    def years(self) -> Self:
        """Make an interval of so many years."""
        return self._interval("YEAR", 1)

    @property
    def quarter(self) -> Self:
        """Make an interval of so many quarters."""
        return self._interval("MONTH", 3)

    @property
    def quarters(self) -> Self:
        """Make an interval of so many quarters."""
        return self._interval("MONTH", 3)

    @property
    def month(self) -> Self:
        """Make an interval of so many months."""
        return self._interval("MONTH", 1)

    @property
    def months(self) -> Self:
        """Make an interval of so many months."""
        return self._interval("MONTH", 1)

    @property
    def week(self) -> Self:
        """Make an interval of so many weeks."""
        return self._interval("DAY", 7)

    @property
    def weeks(self) -> Self:
        """Make an interval of so many weeks."""
        return self._interval("DAY", 7)

    @property
    def day(self) -> Self:
        """Make an interval of so many days."""
        return self._interval("DAY", 1)

    @property
    def days(self) -> Self:
        """Make an interval of so many days."""
        return self._interval("DAY", 1)

    @property
    def hour(self) -> Self:
        """Make an interval of so many hours."""
        return self._interval("HOUR", 1)

    @property
    def hours(self) -> Self:
        """Make an interval of so many hours."""
        return self._interval("HOUR", 1)

    @property
    def minute(self) -> Self:
        """Make an interval of so many minutes."""
        return self._interval("MINUTE", 1)

    @property
    def minutes(self) -> Self:
        """Make an interval of so many minutes."""
        return self._interval("MINUTE", 1)

    @property
    def second(self) -> Self:
        """Make an interval of so many seconds."""
        return self._interval("SECOND", 1)

    @property
    def seconds(self) -> Self:
        """Make an interval of so many seconds."""
        return self._interval("SECOND", 1)

    @property
    def milli(self) -> Self:
        """Make an interval of so many milliseconds."""
        return self._interval("MILLISECOND", 1)

    @property
    def millis(self) -> Self:
        """Make an interval of so many milliseconds."""
        return self._interval("MILLISECOND", 1)

    def _cast(self, to: str) -> Self:
        return self._of(Form(f"CAST({{0}} AS {to})", (self._node,), keeps_name=to))

    def _rounded(self, name: str, unit: TimeIntervalUnit | None) -> Self:
        return self._form(f"{name}({{0}})" if unit is None else f"{name}({{0}} TO {unit.name})")

    def _interval(self, unit: str, times: int) -> Self:
        count = _count(self._node, times, unit)
        digits = len(count.lstrip("-").partition(".")[0])
        precision = f"({digits})" if digits > _USUAL_DIGITS else ""
        return self._of(Text(f"INTERVAL '{count}' {unit.removeprefix('MILLI')}{precision}"))


def _count(node: ExpressionNode, times: int, unit: str) -> str:
    """Return the number of an interval."""
    count = node.value if isinstance(node, Text) else None
    if not isinstance(count, int) or isinstance(count, bool):
        shown = node.text if isinstance(node, Text) else type(node).__name__.lower()
        raise DefinitionError(
            f"Invalid constant for an interval: {shown}",
            where=f"the interval of {unit.lower()}s",
            now="Write lit(5).minutes; for a number in a column, multiply: col('n') * lit(1).minute.",
        )
    if unit != "MILLISECOND":
        return str(count * times)
    return f"{'-' if count < 0 else ''}{abs(count) // 1000}.{abs(count) % 1000:03d}"
