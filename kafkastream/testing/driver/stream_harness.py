"""``StreamHarness``: tests a function, or a few operators, on elements that the test sends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, TypeVar, final

from typing_extensions import Self

from kafkastream.datastream import DataStream, OutputTag, StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.metrics.snapshot import MetricsSnapshot
from kafkastream.model.common.watermark_strategy import WatermarkGenerator, WatermarkOutput, WatermarkStrategy
from kafkastream.model.connectors.kafka_source import KafkaSource
from kafkastream.model.formats import ByteArraySchema
from kafkastream.model.graph.job_graph import CollectSink, KeyedNode
from kafkastream.operators.operator_state import OperatorState
from kafkastream.testing.driver.job_test_driver import JobTestDriver

__all__ = ["StreamHarness"]

__tracebackhide__ = True  # pytest shows no frames of this module between a test and its function

OUT = TypeVar("OUT")

_OUTPUT: Final = "harness output"


@final
class StreamHarness(Generic[OUT]):
    """Runs the operators that a test puts on a stream, in the test's own process, as ``JobTestDriver`` does.

    Watermarks and the processing time move only when the test moves them.

    Args:
        build: Function that puts operators on one or two streams, and returns the stream to observe.
        inputs: Number of streams that ``build`` takes: 1 or 2.
        side_outputs: Tags of the side outputs to observe.
        parallelism: Number of subtasks.

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

    def __init__(
        self,
        build: Callable[..., DataStream[OUT]],
        *,
        inputs: int = 1,
        side_outputs: Sequence[OutputTag[Any]] = (),
        parallelism: int = 1,
    ) -> None:
        if inputs not in {1, 2}:
            raise DefinitionError(f"a harness has one or two inputs, not {inputs}", where="StreamHarness")
        env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)
        self._inputs = [f"input {number + 1}" for number in range(inputs)]
        result = build(*(_input(env, name) for name in self._inputs))
        if not isinstance(result, DataStream):
            raise DefinitionError(
                f"build returned {result!r}, no DataStream", where="StreamHarness", now="Return the stream to observe."
            )
        result._end(_OUTPUT, CollectSink())
        for tag in side_outputs:
            result.get_side_output(tag)._end(_side_output(tag), CollectSink())
        self._driver = JobTestDriver.of(env, parallelism=parallelism)
        self._keyed = [node for node in self._driver._graph.nodes if isinstance(node, KeyedNode)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, element: Any, *, timestamp: int | None = None) -> None:
        """Send an element to the first stream.

        Args:
            element: The element.
            timestamp: Its event time in ms; by default the processing time.

        Raises:
            UserFunctionError: A function raised.
        """
        self._driver.source(self._inputs[0]).send_element(element, timestamp=timestamp)

    def send_second(self, element: Any, *, timestamp: int | None = None) -> None:
        """Send an element to the second stream.

        Args:
            element: The element.
            timestamp: Its event time in ms; by default the processing time.
        """
        if len(self._inputs) == 1:
            raise DefinitionError("the harness has one input", where="send_second", now="Give it inputs=2.")
        self._driver.source(self._inputs[1]).send_element(element, timestamp=timestamp)

    def set_watermark(self, timestamp: int) -> None:
        """Set the watermark of all streams: event-time timers and windows fire.

        Args:
            timestamp: Watermark in ms since 1970.
        """
        for name in self._inputs:
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

    def close(self) -> None:
        """Close the functions."""
        self._driver.close()

    @property
    def output(self) -> list[OUT]:
        """Elements that have come out, in their order."""
        return self._driver.sink(_OUTPUT)

    def side_output(self, tag: OutputTag[Any]) -> list[Any]:
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
        """Keyed state and timers of the only keyed operator.

        Raises:
            DefinitionError: There is none, or there are several.
        """
        if len(self._keyed) != 1:
            raise DefinitionError(
                f"there are {len(self._keyed)} keyed operators", where="StreamHarness.state", now="Use JobTestDriver."
            )
        return self._driver.operator(self._keyed[0].uid or self._keyed[0].name)


class _ByHand(WatermarkGenerator[Any]):
    """Generates no watermark: the test sets them."""

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Do nothing."""

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Do nothing."""


def _input(env: StreamExecutionEnvironment, name: str) -> DataStream[Any]:
    builder = KafkaSource.builder().set_bootstrap_servers("none:9092").set_topics(name.replace(" ", "-"))
    source = builder.set_value_only_deserializer(ByteArraySchema()).build()
    return env.from_source(source, WatermarkStrategy.for_generator(_ByHand), name)


def _side_output(tag: OutputTag[Any]) -> str:
    return f"side output {tag.tag_id}"
