"""Base of operators on keyed streams, in one subtask, and the operator of process functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, final

from kafkastream.metrics.groups import Counter
from kafkastream.model.common.mutable_values import FIXED, detached
from kafkastream.model.common.output_tag import OutputTag, detached_element
from kafkastream.model.common.stream_functions import Function, iterated
from kafkastream.model.functions.process_functions import TimeDomain
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.operators.state.keyed_context import KeyedContext
from kafkastream.operators.state.timers import Timer

__all__ = [
    "CallError",
    "ChainedCallError",
    "ChainedFunctions",
    "ElementwiseOperator",
    "Emitted",
    "KeyedElements",
    "KeyedOperator",
    "KeyedProcessOperator",
    "Side",
]


class CallError(Exception):
    """Failed call of a user function; ``__cause__`` is the exception.

    Attributes:
        key: Current key.
        element: Element of the call; None for a timer.
        timer: Time of the timer in ms; None for an element.
    """

    def __init__(self, key: Any, element: Any = None, timer: int | None = None) -> None:
        super().__init__(key)
        self.key = key
        self.element = element
        self.timer = timer


class KeyedElements(NamedTuple):
    """Elements for a keyed operator, with the key and the timestamp of each.

    Args:
        side: Number of the input.
    """

    side: int
    keys: list[bytes]
    values: list[Any]
    timestamps: list[int | None]


class ChainedCallError(Exception):
    """Failed call of a function that is chained to the operator; ``__cause__`` is the exception."""


class ChainedFunctions(Protocol):
    """Functions that receive each output element as soon as it is emitted, as chained functions do in PyFlink."""

    def process(self, element: Any, timestamp: int | None, results: list[Any]) -> None:
        """Pass an element through the functions, and append their results.

        Raises:
            ChainedCallError: A function raised.
        """


@final
class Emitted:
    """Output of an operator: elements with their timestamps; a pair of tag and element goes to a side output.

    Mutable elements are copied when they are emitted: the function may change them afterwards, such as a buffer that it
    clears.

    Args:
        chained: Chained functions that receive the output; None if Flink would serialize it.
    """

    __slots__ = ("_chained", "timestamps", "values")

    def __init__(self, chained: ChainedFunctions | None = None) -> None:
        self.values: list[Any] = []
        self.timestamps: list[int | None] = []
        self._chained = chained

    def extend(self, other: Emitted) -> None:
        """Add other output."""
        self.values += other.values
        self.timestamps += other.timestamps

    def take(self, results: Iterable[Any] | None, timestamp: int | None) -> None:
        """Add a function's results, all with one timestamp.

        Raises:
            TypeError: ``results`` is not iterable.
            ChainedCallError: A chained function raised.
        """
        values = self.values
        if self._chained is None:
            for result in iterated(results):
                values.append(result if type(result) in FIXED else detached_element(result))
        else:
            for result in iterated(results):
                self._chained.process(result, timestamp, values)
        self.timestamps += [timestamp] * (len(values) - len(self.timestamps))

    def take_side_output(self, tagged: Iterable[tuple[OutputTag[Any], Any]], timestamp: int | None) -> None:
        """Add elements of side outputs, which were already copied."""
        self.values += tagged
        self.timestamps += [timestamp] * (len(self.values) - len(self.timestamps))


class KeyedOperator(ABC):
    """Operator on the elements of one subtask's keys, with keyed state and timers.

    Attributes:
        keyed_context: Current key, its state and timers, and the watermark.
        chained: Chained functions that receive each output element; None if Flink would serialize it.
    """

    def __init__(self, keyed_context: KeyedContext) -> None:
        self.keyed_context = keyed_context
        self.chained: ChainedFunctions | None = None

    @abstractmethod
    def open(self, context: RuntimeContext) -> None:
        """Open the functions."""

    @property
    @abstractmethod
    def functions(self) -> Sequence[Function]:
        """Functions of the user."""

    @abstractmethod
    def elements(self, arrived: KeyedElements) -> Emitted:
        """Process elements in order, and return the output.

        Raises:
            CallError: A function raised.
        """

    @abstractmethod
    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Handle a timer; its key and namespace are the current ones.

        Raises:
            CallError: A function raised.
        """

    def advance(self, watermark: int, now: int) -> Emitted:
        """Fire the timers that are due at a watermark and a processing time (both in ms), and return the output.

        Event-time timers fire only when the watermark advances, also one that was registered below it, as in Flink
        (InternalTimerServiceImpl.registerEventTimeTimer only adds it to the queue).

        Raises:
            CallError: A function raised.
        """
        out = Emitted(self.chained)
        if watermark > self.keyed_context.watermark:
            self.keyed_context.watermark = watermark
            self._fire_timers(TimeDomain.EVENT_TIME, watermark, out)
        self._fire_timers(TimeDomain.PROCESSING_TIME, now, out)
        return out

    def _fire_timers(self, domain: TimeDomain, up_to: int, out: Emitted) -> None:
        keyed_context = self.keyed_context
        queue = keyed_context.event_timers if domain is TimeDomain.EVENT_TIME else keyed_context.processing_timers
        for timer in queue.fire(up_to, keyed_context.load):
            keyed_context.select_stored(timer.key)
            keyed_context.namespace = timer.namespace
            self.on_timer(timer, domain, out)
        keyed_context.namespace = ()


class ElementwiseOperator(KeyedOperator):
    """Base of operators that process elements one by one, with their keys, and may have late elements.

    Args:
        own: Names of entries that the operator uses for content of its own.
    """

    def __init__(self, own: Collection[str] = ()) -> None:
        super().__init__(KeyedContext(own=own))
        self._late = Counter()

    def open(self, context: RuntimeContext) -> None:
        """Open the functions."""
        for function in self.functions:
            function.open(context)
        self._late = context.get_metrics_group().counter("numLateRecordsDropped")

    @abstractmethod
    def element(self, side: int, value: Any, timestamp: int | None, out: Emitted) -> None:
        """Process an element of the current key."""

    @final
    def elements(self, arrived: KeyedElements) -> Emitted:
        """Process elements one by one."""
        out, keyed_context = Emitted(self.chained), self.keyed_context
        value = None
        try:
            for key, value, timestamp in zip(*arrived[1:], strict=True):
                keyed_context.select(key)
                self.element(arrived.side, value, timestamp, out)
        except ChainedCallError:
            raise
        except BaseException as error:
            raise CallError(keyed_context.key, value) from error
        finally:
            keyed_context.namespace = ()
        return out

    @final
    def count_late(self, elements: int = 1) -> None:
        """Count late elements that are dropped."""
        self._late.inc(elements)

    @final
    def emit_late(self, tag: OutputTag[Any] | None, value: Any, timestamp: int, out: Emitted) -> None:
        """Write a late element to a side output, or count it as dropped."""
        if tag is None:
            self.count_late()
        else:
            out.take_side_output([(tag, detached(value))], timestamp)


class Side(NamedTuple):
    """Callback for the elements of one input.

    Args:
        call: Called with an element and the context.
        context: Context of the call.
        has_key: Whether there is a current key.
    """

    call: Callable[[Any, Any], Iterable[Any] | None]
    context: Any
    has_key: bool = True


@final
class KeyedProcessOperator(KeyedOperator):
    """Operator of process functions: one callback for each input, and one for timers.

    Args:
        keyed_context: Current key, its state and timers, and the watermark.
        function: Function to open and close.
        sides: Callbacks, by input.
        on_timer: Callback for timers.
    """

    def __init__(
        self, keyed_context: KeyedContext, function: Function, sides: Sequence[Side], on_timer: Side | None = None
    ) -> None:
        super().__init__(keyed_context)
        self._function = function
        self._sides = sides
        self._on_timer = on_timer

    def open(self, context: RuntimeContext) -> None:
        """Open the function."""
        self._function.open(context)

    @property
    def functions(self) -> Sequence[Function]:
        """Function of the user."""
        return (self._function,)

    def elements(self, arrived: KeyedElements) -> Emitted:
        """Call the function for each element."""
        out = Emitted(self.chained)
        keyed_context, (call, context, has_key) = self.keyed_context, self._sides[arrived.side]
        last = None
        value = None
        try:
            for key, value, timestamp in zip(*arrived[1:], strict=True):
                if key is not last and has_key:
                    keyed_context.select(key)
                    last = key
                context._timestamp = timestamp
                out.take(call(value, context), timestamp)
                if context._aside:
                    out.take_side_output(context._taken_aside(), timestamp)
        except ChainedCallError:
            raise
        except BaseException as error:
            raise CallError(keyed_context.key, value) from error
        return out

    def on_timer(self, timer: Timer, domain: TimeDomain, out: Emitted) -> None:
        """Call the function's ``on_timer``."""
        if self._on_timer is None:
            return
        context = self._on_timer.context
        context._timestamp, context._domain = timer.timestamp, domain
        time = timer.timestamp if domain is TimeDomain.EVENT_TIME else None
        try:
            out.take(self._on_timer.call(timer.timestamp, context), time)
            out.take_side_output(context._taken_aside(), time)
        except ChainedCallError:
            raise
        except BaseException as error:
            raise CallError(self.keyed_context.key, timer=timer.timestamp) from error
