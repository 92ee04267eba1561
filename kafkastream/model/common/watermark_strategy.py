"""Watermark strategies: how elements get timestamps and streams get watermarks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Generic, final

import attrs
from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods
from kafkastream.model.common.stand_ins import Refused
from kafkastream.model.common.time import Duration, as_timestamp

__all__ = [
    "MAX_WATERMARK",
    "MIN_WATERMARK",
    "BoundedOutOfOrderness",
    "CustomWatermarks",
    "NoWatermarks",
    "TimestampAssigner",
    "TimestampFunction",
    "WatermarkAlignment",
    "WatermarkGenerator",
    "WatermarkOutput",
    "WatermarkStrategy",
]

MIN_WATERMARK: Final = -(2**63)
MAX_WATERMARK: Final = 2**63 - 1

S = TypeVar("S", bound=Any, default=Any)
T_contra = TypeVar("T_contra", contravariant=True, default=Any)


class TimestampAssigner(ABC, Generic[T_contra]):
    """Extracts the timestamp of an element.

    Example:
        >>> class OrderTime(TimestampAssigner[dict[str, int]]):
        ...     def extract_timestamp(self, value: dict[str, int], record_timestamp: int) -> int:
        ...         return value["time"]
        >>> OrderTime().extract_timestamp({"time": 5}, 0)
        5
    """

    @abstractmethod
    def extract_timestamp(self, value: T_contra, record_timestamp: int) -> int:
        """Return the timestamp of ``value``, in ms since the epoch.

        Args:
            value: The element.
            record_timestamp: Timestamp so far, in ms: that of the Kafka record; negative if there is none.
        """


@final
@attrs.frozen
class TimestampFunction(TimestampAssigner[T_contra]):
    """``TimestampAssigner`` that calls a function of the element and its timestamp so far."""

    function: Callable[[T_contra, int], int]

    def extract_timestamp(self, value: T_contra, record_timestamp: int) -> int:
        """Return the function's result."""
        return self.function(value, record_timestamp)


def _assigner(given: TimestampAssigner[S] | Callable[[S, int], int]) -> TimestampAssigner[S]:
    if isinstance(given, TimestampAssigner):
        return given
    return TimestampFunction(given)


@final
@attrs.define
class WatermarkOutput:
    """Output of a ``WatermarkGenerator``; watermarks never go back.

    Attributes:
        watermark: Highest watermark so far, in ms.
        idle: Whether the input is idle and so does not hold back the watermark.
    """

    watermark: int = MIN_WATERMARK
    idle: bool = False

    def emit_watermark(self, watermark: int) -> None:
        """Declare that no element at or before ``watermark`` (ms since the epoch) will follow; ends idleness.

        Raises:
            DefinitionError: ``watermark`` is not an integer.
        """
        self.idle = False
        self.watermark = max(self.watermark, as_timestamp("a watermark", watermark))

    emitWatermark = emit_watermark

    def mark_idle(self) -> None:
        """Mark the input as idle: it does not hold back the watermark until it emits the next one."""
        self.idle = True

    markIdle = mark_idle

    def mark_active(self) -> None:
        """Mark the input as active again."""
        self.idle = False

    markActive = mark_active


class WatermarkGenerator(ABC, Generic[T_contra]):
    """User-defined generator of watermarks; see ``WatermarkStrategy.for_generator``."""

    @abstractmethod
    def on_event(self, event: T_contra, event_timestamp: int, output: WatermarkOutput) -> None:
        """Handle an element; a watermark may be emitted.

        Args:
            event: The element.
            event_timestamp: Timestamp of the element, in ms.
            output: Takes watermarks.
        """

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit a watermark, if there is a new one; called at the auto-watermark interval.

        Args:
            output: Takes watermarks.
        """


@final
@attrs.frozen
class NoWatermarks:
    """Generator of no watermarks before the end of the input."""


@final
@attrs.frozen
class BoundedOutOfOrderness:
    """Generator of watermarks at the highest timestamp - ``bound`` - 1 ms."""

    bound: Duration

    def __attrs_post_init__(self) -> None:
        if _duration("maxOutOfOrderness", self.bound) < _ZERO:
            raise DefinitionError(f"maxOutOfOrderness cannot be negative: {self.bound}", where=_WHERE)


@final
@attrs.frozen
class CustomWatermarks:
    """User-defined generators, one for each partition."""

    supplier: Callable[[], WatermarkGenerator[Any]]


@final
@attrs.frozen(kw_only=True)
class WatermarkAlignment:
    """Watermark alignment: inputs of ``group`` pause when they are more than ``max_drift`` ahead of the slowest."""

    group: str
    max_drift: Duration
    update_interval: Duration

    def __attrs_post_init__(self) -> None:
        if _duration("maxAllowedWatermarkDrift", self.max_drift) < _ZERO:
            raise DefinitionError(f"maxAllowedWatermarkDrift cannot be negative: {self.max_drift}", where=_WHERE)
        if _duration("updateInterval", self.update_interval) <= _ZERO:
            raise DefinitionError(f"updateInterval must be greater than zero: {self.update_interval}", where=_WHERE)


_WHERE: Final = "WatermarkStrategy"
_ZERO: Final = Duration(0)
_ONE_SECOND: Final = Duration.of_seconds(1)


def _duration(what: str, value: Duration) -> Duration:
    if not isinstance(value, Duration):
        raise DefinitionError(
            f"{what} must be a Duration, not {value!r}", where=_WHERE, now="Write Duration.of_seconds(…) or the like."
        )
    return value


@final
@checked_methods
@attrs.frozen(kw_only=True)
class WatermarkStrategy(Generic[T_contra]):
    """Timestamps and watermarks of a stream: an immutable value; each ``with_…`` method returns another.

    Same as in Flink: watermarks are generated per Kafka partition, and the source's watermark is their minimum.
    Differs from PyFlink: the strategy is never changed in place, the parts can be given in any order, none is lost,
    and ``from_source`` honours the timestamp assigner.

    Example:
        >>> strategy = (
        ...     WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
        ...     .with_timestamp_assigner(lambda order, record_timestamp: order["time"])
        ...     .with_idleness(Duration.of_minutes(1))
        ... )
        >>> strategy.idle_timeout
        Duration.of_millis(60000)
    """

    _j_watermark_strategy = Refused()

    generation: NoWatermarks | BoundedOutOfOrderness | CustomWatermarks
    timestamp_assigner: TimestampAssigner[T_contra] | None = None
    idle_timeout: Duration | None = None
    alignment: WatermarkAlignment | None = None

    def __attrs_post_init__(self) -> None:
        if self.idle_timeout is not None and _duration("idleTimeout", self.idle_timeout) <= _ZERO:
            raise DefinitionError(f"idleTimeout must be greater than zero: {self.idle_timeout}", where=_WHERE)

    @staticmethod
    def no_watermarks() -> WatermarkStrategy[Any]:
        """Return a strategy without watermarks: event-time windows fire at the end of bounded input only."""
        return WatermarkStrategy(generation=NoWatermarks())

    noWatermarks = no_watermarks

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy[Any]:
        """Return a strategy for timestamps that never decrease within a partition: the watermark is the highest one - 1
        ms.
        """
        return WatermarkStrategy(generation=BoundedOutOfOrderness(_ZERO))

    forMonotonousTimestamps = for_monotonous_timestamps

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Duration) -> WatermarkStrategy[Any]:
        """Return a strategy for elements out of order, whose watermark stays behind the highest timestamp.

        Args:
            max_out_of_orderness: Time by which an element may be behind the highest timestamp without being late.

        Raises:
            DefinitionError: ``max_out_of_orderness`` is negative.
        """
        return WatermarkStrategy(generation=BoundedOutOfOrderness(max_out_of_orderness))

    forBoundedOutOfOrderness = for_bounded_out_of_orderness

    @staticmethod
    def for_generator(generator_supplier: Callable[[], WatermarkGenerator[S]]) -> WatermarkStrategy[S]:
        """Return a strategy with a user-defined generator for each partition.

        Differs from Java: the supplier takes no context.

        Args:
            generator_supplier: A subclass of ``WatermarkGenerator``, or a function that returns a generator.
        """
        return WatermarkStrategy(generation=CustomWatermarks(generator_supplier))

    forGenerator = for_generator

    def with_timestamp_assigner(
        self, timestamp_assigner: TimestampAssigner[S] | Callable[[S, int], int]
    ) -> WatermarkStrategy[S]:
        """Return a strategy that takes timestamps from ``timestamp_assigner`` instead of the Kafka records.

        Args:
            timestamp_assigner: A ``TimestampAssigner``, or a function of the element and its timestamp so far; returns
                ms since the epoch.
        """
        return WatermarkStrategy(
            generation=self.generation,
            timestamp_assigner=_assigner(timestamp_assigner),
            idle_timeout=self.idle_timeout,
            alignment=self.alignment,
        )

    withTimestampAssigner = with_timestamp_assigner

    def with_idleness(self, idle_timeout: Duration) -> WatermarkStrategy[T_contra]:
        """Return a strategy in which a partition without elements for ``idle_timeout`` no longer holds back the
        watermark.

        Without it, a partition that gets no records stops event time for the whole job.

        Raises:
            DefinitionError: ``idle_timeout`` is not positive.
        """
        return attrs.evolve(self, idle_timeout=idle_timeout)

    withIdleness = with_idleness

    def with_watermark_alignment(
        self,
        watermark_group: str,
        max_allowed_watermark_drift: Duration,
        update_interval: Duration | None = None,
    ) -> WatermarkStrategy[T_contra]:
        """Return a strategy that pauses partitions which are too far ahead of the slowest in ``watermark_group``.

        Same as in Flink: only sources can be aligned, idle and finished partitions do not hold back the others, and results do not
        change.
        Differs: a partition pauses between micro-batches, and only in jobs with keyed operators, where elements would
        pile up in
        state.

        Args:
            watermark_group: Name shared by the sources that wait for each other.
            max_allowed_watermark_drift: Time by which a partition may be ahead.
            update_interval: Interval at which watermarks are compared; 1 s by default.
        """
        alignment = WatermarkAlignment(
            group=watermark_group,
            max_drift=max_allowed_watermark_drift,
            update_interval=_ONE_SECOND if update_interval is None else update_interval,
        )
        return attrs.evolve(self, alignment=alignment)

    withWatermarkAlignment = with_watermark_alignment
