"""``StreamHarness``: tests a function, or a few operators, on elements that the test sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from inspect import signature
from typing import Any, Final, Generic, final, overload

from typing_extensions import Never, Self, TypeVar

from kafkastream.datastream import DataStream, OutputTag, StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.model.common.element_types import typed_elements
from kafkastream.model.common.types import TypeInformation, Types
from kafkastream.model.common.watermark_strategy import WatermarkGenerator, WatermarkOutput, WatermarkStrategy
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.formats import ByteArraySchema
from kafkastream.model.graph.job_graph import CollectSink, KeyedNode
from kafkastream.operators.operator_state import OperatorState
from kafkastream.testing.driver.job_snapshot import JobSnapshot
from kafkastream.testing.driver.job_test_driver import JobTestDriver

__all__ = ["StreamHarness"]

__tracebackhide__ = True  # pytest shows no frames of this module between a test and its function

IN = TypeVar("IN")
IN2 = TypeVar("IN2")
OUT = TypeVar("OUT")
# Of the constructor alone: a lambda does not say what it takes, which is then Any.
T = TypeVar("T", default=Any)
T2 = TypeVar("T2", default=Any)
R = TypeVar("R", default=Any)

_OUTPUT: Final = "harness output"


@final
class StreamHarness(Generic[IN, IN2, OUT]):
    """Runs the operators that a test puts on a stream, or on two, in the test's own process, as ``JobTestDriver`` does.

    Watermarks and the processing time move only when the test moves them.

    Args:
        build: Function that puts operators on one or two streams, and returns the stream to observe.
        input_type: Type into which the elements of the first stream are converted; without one they stay Python objects.
        second_type: Type of the elements of the second stream, likewise.
        inputs: Number of streams that ``build`` takes, 1 or 2; by default its number of parameters.
        side_outputs: Tags of the side outputs to observe.
        parallelism: Number of subtasks.
        restored: Snapshot of another harness to continue from.

    Example:
        >>> from kafkastream.common import Types
        >>> from kafkastream.datastream.functions import KeyedProcessFunction
        >>> class Twice(KeyedProcessFunction):
        ...     def process_element(self, value, ctx):
        ...         yield f"{ctx.get_current_key()} {2 * value}"
        >>> with StreamHarness(lambda numbers: numbers.key_by(lambda n: n % 2).process(Twice())) as harness:
        ...     harness.send(3, timestamp=1_000)
        ...     harness.output
        ['1 6']
    """

    @overload
    def __init__(
        self: StreamHarness[T, Never, R],
        build: Callable[[DataStream[T]], DataStream[R]],
        input_type: TypeInformation[T] | None = ...,
        *,
        inputs: int | None = ...,
        side_outputs: Sequence[OutputTag[Any]] = ...,
        parallelism: int = ...,
        restored: JobSnapshot | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self: StreamHarness[T, T2, R],
        build: Callable[[DataStream[T], DataStream[T2]], DataStream[R]],
        input_type: TypeInformation[T] | None = ...,
        second_type: TypeInformation[T2] | None = ...,
        *,
        inputs: int | None = ...,
        side_outputs: Sequence[OutputTag[Any]] = ...,
        parallelism: int = ...,
        restored: JobSnapshot | None = ...,
    ) -> None: ...
    def __init__(
        self,
        build: Callable[..., DataStream[Any]],
        input_type: TypeInformation[Any] | None = None,
        second_type: TypeInformation[Any] | None = None,
        *,
        inputs: int | None = None,
        side_outputs: Sequence[OutputTag[Any]] = (),
        parallelism: int = 1,
        restored: JobSnapshot | None = None,
    ) -> None:
        number = inputs or len(signature(build).parameters)
        if number not in {1, 2}:
            raise DefinitionError(
                f"a harness has one or two inputs, not {number}",
                where="StreamHarness",
                now="Give it a function that takes one stream or two.",
            )
        env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)
        self._inputs = ["input 1", "input 2"][:number]
        self._types = (input_type, second_type)[:number]
        inputs_and_types = zip(self._inputs, self._types, strict=True)
        result = build(*(_input(env, name, type_info) for name, type_info in inputs_and_types))
        if not isinstance(result, DataStream):
            raise DefinitionError(
                f"build returned {result!r}, no DataStream", where="StreamHarness", now="Return the stream to observe."
            )
        result._end(_OUTPUT, CollectSink())
        for tag in side_outputs:
            result.get_side_output(tag)._end(_side_output(tag), CollectSink())
        self._driver = JobTestDriver.of(env, parallelism=parallelism, restored=restored)
        self._keyed = [node for node in self._driver._graph.nodes if isinstance(node, KeyedNode)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, element: IN, *, timestamp: int | None = None) -> None:
        """Send an element to the first stream.

        Args:
            element: The element.
            timestamp: Its event time in ms; by default the processing time.

        Raises:
            UserFunctionError: A function raised.
        """
        self._send(0, element, timestamp)

    def send_second(self, element: IN2, *, timestamp: int | None = None) -> None:
        """Send an element to the second stream.

        Args:
            element: The element.
            timestamp: Its event time in ms; by default the processing time.
        """
        if len(self._inputs) == 1:
            raise DefinitionError(
                "the harness has one input", where="send_second", now="Let its function take two streams."
            )
        self._send(1, element, timestamp)

    def micro_batch(self) -> AbstractContextManager[None]:
        """Take all elements that are sent within a ``with`` block as one micro-batch; otherwise each is one."""
        return self._driver.micro_batch()

    def set_watermark(self, timestamp: int, *, stream: int | None = None) -> None:
        """Set the watermark of the streams: event-time timers and windows fire.

        Args:
            timestamp: Watermark in ms since 1970; a lower one than before changes nothing.
            stream: 1 or 2, to set that of one stream only; operators of both go by the lower one.
        """
        if stream is not None and stream not in range(1, len(self._inputs) + 1):
            raise DefinitionError(f"the harness has no stream {stream}", where="set_watermark")
        for name in self._inputs if stream is None else self._inputs[stream - 1 : stream]:
            self._driver.source(name).set_watermark(timestamp)

    def advance(self, ms: int) -> None:
        """Advance the processing time: its timers fire, and state expires.

        Args:
            ms: Milliseconds.
        """
        self._driver.advance(ms)

    def finish(self) -> None:
        """End the streams: event time ends, and all windows fire."""
        self._driver.finish()

    def snapshot(self) -> JobSnapshot:
        """Return the state of the operators, from which another harness continues with ``restored``."""
        return self._driver.snapshot()

    def close(self) -> None:
        """Close the functions."""
        self._driver.close()

    @property
    def output(self) -> list[OUT]:
        """Elements that have come out, in their order."""
        return self._driver.sink(_OUTPUT)

    @property
    def timestamped_output(self) -> list[tuple[OUT, int | None]]:
        """Elements that have come out, each with its timestamp in ms; None without one."""
        return self._driver.timestamped(_OUTPUT)

    def side_output(self, tag: OutputTag[T]) -> list[T]:
        """Return the elements that were written to a side output.

        Args:
            tag: Tag of the side output, one of those that the harness observes.
        """
        return self._driver.sink(_side_output(tag))

    @property
    def now_ms(self) -> int:
        """Processing time, in ms since 1970."""
        return self._driver.now_ms

    @property
    def metrics(self) -> MetricsSnapshot:
        """Metrics of the operators."""
        return self._driver.metrics

    @property
    def state(self) -> OperatorState:
        """State of the only operator that has some.

        Raises:
            DefinitionError: There is none, or there are several.
        """
        if len(self._keyed) != 1:
            raise DefinitionError(
                f"there are {len(self._keyed)} keyed operators", where="StreamHarness.state", now="Use operator(name)."
            )
        return self.operator(self._keyed[0].uid or self._keyed[0].name)

    def operator(self, name: str) -> OperatorState:
        """Return the state of the operator with a uid or name.

        Raises:
            DefinitionError: There is none, with those that there are.
        """
        return self._driver.operator(name)

    def _send(self, number: int, element: Any, timestamp: int | None) -> None:
        type_info = self._types[number]
        [typed] = (element,) if type_info is None else typed_elements((element,), type_info)
        self._driver.source(self._inputs[number]).send_element(typed, timestamp=timestamp)


class _ByHand(WatermarkGenerator[Any]):
    """Generates no watermark: the test sets them."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Do nothing."""

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Do nothing."""


def _input(env: StreamExecutionEnvironment, name: str, type_info: TypeInformation[Any] | None) -> DataStream[Any]:
    builder = KafkaSource.builder().set_bootstrap_servers("none:9092").set_topics(name.replace(" ", "-"))
    source = builder.set_value_only_deserializer(ByteArraySchema()).build()
    strategy = WatermarkStrategy.for_generator(_ByHand)
    return env.from_source(source, strategy, name, type_info or Types.PICKLED_BYTE_ARRAY())


def _side_output(tag: OutputTag[Any]) -> str:
    return f"side output {tag.tag_id}"
