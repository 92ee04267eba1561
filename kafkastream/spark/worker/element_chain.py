"""Operators that Flink runs as one chain: each element goes through all of them before the next one.

PyFlink's chained functions hand objects to each other, and serialize what leaves the chain at once. A batch of objects
between two functions would differ: a function may change an object after it has emitted it, and a later function one
that an earlier one still holds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, TypeAlias, final

from kafkastream.errors import JobError
from kafkastream.model.common.mutable_values import FIXED
from kafkastream.model.common.output_tag import detached_element, is_tagged
from kafkastream.operators.stream.keyed_operators import ChainedCallError
from kafkastream.spark.crash_notes import NOTE
from kafkastream.spark.worker.batches import Batch, ElementError, repeat_each
from kafkastream.spark.worker.chained_operators import Operator, UserOperator

__all__ = ["ChainedFunctionError", "ElementChain", "ElementClock", "ElementOperator", "Emit"]

Emit: TypeAlias = Callable[[Any], None]
"""Takes an element."""


@final
class ElementClock:
    """Event time of the element that passes through a chain, in ms; None if it has none."""

    __slots__ = ("timestamp",)

    def __init__(self) -> None:
        self.timestamp: int | None = None


class ChainedFunctionError(ChainedCallError):
    """The function of an operator raised on an element; ``__cause__`` is what it raised."""

    def __init__(self, operator: Operator, element: Any) -> None:
        super().__init__(operator, element)
        self._operator = operator
        self._element = element

    def failure(self, position: str) -> JobError:
        """Return the user's error, given the position of the source record."""
        return self._operator.failure(self._element, position, self.__cause__)


class ElementOperator(UserOperator):
    """Operator that processes elements one by one, so that others can be chained to it."""

    is_one_to_one: ClassVar[bool] = False
    """Whether it gives one element for each."""

    @abstractmethod
    def link(self, clock: ElementClock, emit: Emit) -> Emit:
        """Return a callable that processes an element, and passes each result to ``emit`` at once.

        Args:
            clock: Has the timestamp of the element.
            emit: Takes the results.

        The callable raises ``ChainedFunctionError`` if the function fails.
        """

    def apply(self, batch: Batch) -> Batch:
        """Call the function on each element."""
        return ElementChain((self,)).apply(batch)


@final
class ElementChain:
    """Chain of operators; later changes do not reach what has left it.

    Args:
        operators: The operators, in order.
        drops_side_outputs: Whether the operator before the chain has side outputs, which nobody takes.
    """

    def __init__(self, operators: Sequence[ElementOperator], *, drops_side_outputs: bool = False) -> None:
        self._operators = operators
        self._drops_side_outputs = drops_side_outputs
        self._clock = ElementClock()
        self._taken = [0] * len(operators)
        self._results: list[Any] = []
        self._linked: dict[bool, Emit] = {}

    @property
    def name(self) -> str:
        """Names of the operators."""
        return ", ".join(operator.name for operator in self._operators)

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the user's error if the chain fails on an element."""
        return self._operators[0].failure(element, position, error)

    def process(self, element: Any, timestamp: int | None, results: list[Any]) -> None:
        """Pass an element through the operators, and append their results.

        Raises:
            ChainedFunctionError: A function raised.
        """
        if self._drops_side_outputs and type(element) is tuple and is_tagged(element):
            return
        self._clock.timestamp = timestamp
        self._results = results
        self._taken[0] += 1
        self._first()(element)

    def apply(self, batch: Batch) -> Batch:
        """Process a batch, and return the output.

        Raises:
            ElementError: An element failed; ``__cause__`` is a ``ChainedFunctionError``.
        """
        results: list[Any] = []
        counts: list[int] = []
        before, clock, process = 0, self._clock, self._first()
        self._results = results
        self._taken[0] += len(batch.values)
        for element, clock.timestamp in zip(NOTE.watched(batch.values), batch.timestamps, strict=True):
            try:
                process(element)
            except ChainedFunctionError as error:
                raise ElementError(len(counts)) from error
            counts.append(len(results) - before)
            before = len(results)
        return Batch(results, repeat_each(batch.timestamps, counts), repeat_each(batch.origin, counts))

    def drain_counts(self) -> Iterator[tuple[Operator, int]]:
        """Return how many elements each operator has taken since the last call."""
        taken = 0
        for index, operator in enumerate(self._operators):
            taken = taken if self._is_counted_before(index) else self._taken[index]
            yield operator, taken
            self._taken[index] = 0

    def _is_counted_before(self, index: int) -> bool:
        """Return whether an operator takes as many elements as the one before it."""
        return index > 0 and self._operators[index - 1].is_one_to_one

    def _first(self) -> Emit:
        """Return the callable of the first operator, which calls the others; in a repeated task they write notes."""
        is_noted = NOTE.is_repeated
        if is_noted not in self._linked:
            process: Emit = self._emit
            for index, operator in reversed(list(enumerate(self._operators))):
                process = operator.link(self._clock, process)
                if is_noted:
                    process = NOTE.noted(f"operator {operator.name!r}", process)
                if index and not self._is_counted_before(index):
                    process = self._counting(index, process, drops=self._operators[index - 1].has_side_outputs)
            self._linked[is_noted] = process
        return self._linked[is_noted]

    def _counting(self, index: int, process: Emit, *, drops: bool) -> Emit:
        """Return a callable that counts elements and passes them on, but not those of an unused side output."""
        taken = self._taken

        def count(element: Any) -> None:
            if drops and type(element) is tuple and is_tagged(element):
                return
            taken[index] += 1
            process(element)

        return count

    def _emit(self, element: Any) -> None:
        try:
            self._results.append(element if type(element) in FIXED else detached_element(element))
        except Exception as error:
            raise ChainedFunctionError(self._operators[-1], element) from error
