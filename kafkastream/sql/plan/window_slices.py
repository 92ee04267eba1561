"""Slices of windows: aggregates of TUMBLE, HOP and CUMULATE add each row to one slice, whose parts belong to its windows.

So a row neither carries its bounds to the task that aggregates it, nor is copied for each of its windows, as in Flink's
SliceAssigners.
"""

from __future__ import annotations

import math
from typing import Final, final

import attrs

from kafkastream.sql.plan.branches import Branch
from kafkastream.sql.plan.casts import typed_null
from kafkastream.sql.plan.column_pruning import needed_before
from kafkastream.sql.plan.expression import TRUE, Call, Interval, Literal, TypedExpression
from kafkastream.sql.plan.plan_builder import column_of, references
from kafkastream.sql.plan.relations import Explode, Project

__all__ = ["SlicedBranch", "WindowSlices", "sliced_branch"]

_MS: Final = 1000
"""Microseconds of a millisecond."""


@final
@attrs.frozen
class WindowSlices:
    """Windows of the slices of a time.

    Args:
        slide_us: Time from the start of a window to that of the next, in µs; for CUMULATE, from end to end.
        size_us: Length of a window, in µs; for CUMULATE, of the longest, a multiple of the slide.
        offset_us: Offset of the windows, in µs.
        cumulates: Whether windows share their starts (CUMULATE), not their lengths.
    """

    slide_us: int
    size_us: int
    offset_us: int
    cumulates: bool = False

    @property
    def step_us(self) -> int:
        """Return the length of a slice, in µs.

        Example:
            >>> WindowSlices(slide_us=2, size_us=5, offset_us=0).step_us
            1
        """
        return math.gcd(self.slide_us, self.size_us)


@final
@attrs.frozen
class SlicedBranch:
    """Branch whose rows have their time in the column of window_start, NULL as window_end, and the slices of that time."""

    branch: Branch
    slices: WindowSlices


def sliced_branch(branch: Branch, keys: int) -> SlicedBranch | None:
    """Return the input of a window aggregate with times in the column of window_start.

    Args:
        branch: Branch of the input: the columns of the key, window_start and window_end, and arguments.
        keys: Number of the key's columns.

    Returns:
        The branch; None if something else reads the bounds, or the rows have them from another operation.
    """
    start, end = keys, keys + 1
    needed = frozenset(range(len(branch.fields))) - {start, end}
    for at in range(len(branch.steps) - 1, -1, -1):
        step, after = branch.steps[at], needed
        needed = needed_before(step, needed)
        found = _tumbling(step, start, end, after) if isinstance(step, Project) else _sliding(step, start, end, after)
        if found is not None:
            steps = (*branch.steps[:at], found[0], *branch.steps[at + 1 :])
            return SlicedBranch(attrs.evolve(branch, steps=steps), found[1])
        places = _passed(step, start, end)
        if places is None or not needed.isdisjoint(places):
            return None
        start, end = places
    return None


def _passed(step: Project | Explode, start: int, end: int) -> tuple[int, int] | None:
    """Return the input columns of a step that its columns of the bounds are; None if it computes them."""
    if isinstance(step, Explode):
        return (start, end) if max(start, end) < len(step.input.fields) else None
    places = column_of(step.expressions[start]), column_of(step.expressions[end])
    return None if places[0] is None or places[1] is None else (places[0], places[1])


def _tumbling(step: Project, start: int, end: int, needed: frozenset[int]) -> tuple[Project, WindowSlices] | None:
    begin = step.expressions[start]
    match begin, step.expressions[end]:
        case (
            Call("$WINDOW_START", (clock, *numbers)),
            Call("+", (other, Interval())),
        ) if other == begin:
            size, offset = map(_number, numbers)
            columns = [one if at in needed else typed_null(one.type) for at, one in enumerate(step.expressions)]
            columns[start] = clock
            return attrs.evolve(step, expressions=tuple(columns)), WindowSlices(size, size, offset)
        case _:
            return None


def _sliding(step: Explode, start: int, end: int, needed: frozenset[int]) -> tuple[Project, WindowSlices] | None:
    width = len(step.input.fields)
    added = range(width, len(step.fields))
    if (start, end) != (width, width + 1) or not needed.isdisjoint(added):
        return None
    array, condition = step.array, None
    if isinstance(array, Call) and array.function == "$UNLESS_NULL":
        value, failure, array = array.arguments
        condition = Call("$UNLESS_NULL", (value, failure, TRUE), TRUE.type)
    match array:
        case Call("$HOP" | "$CUMULATE" as name, (clock, *numbers)):
            slide, size, offset = (_number(one) * _MS for one in numbers)
        case _:
            return None
    columns = (*references(step.input), clock, *(typed_null(one.type) for one in step.fields[width + 1 :]))
    project = Project(
        input=step.input, expressions=columns, condition=condition, fields=step.fields, changelog=step.changelog
    )
    return project, WindowSlices(slide, size, offset, cumulates=name == "$CUMULATE")


def _number(argument: TypedExpression) -> int:
    assert isinstance(argument, Literal)
    assert argument.value is not None
    return int(argument.value)
