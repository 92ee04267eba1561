"""Event time: how elements get timestamps, how watermarks follow them."""

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
    """Reads the event time of an element.

    Example:
        >>> class OrderTime(TimestampAssigner[dict[str, int]]):
        ...     def extract_timestamp(self, value: dict[str, int], record_timestamp: int) -> int:
        ...         return value["time"]
        >>> OrderTime().extract_timestamp({"time": 5}, 0)
        5
    """

    @abstractmethod
    def extract_timestamp(self, value: T_contra, record_timestamp: int) -> int:
        """Return the event time of ``value``, in ms since 1970.

        Args:
            value: The element.
            record_timestamp: The time it has so far, in ms: of a Kafka record, Kafka's; negative if none.
        """


@final
@attrs.frozen
class TimestampFunction(TimestampAssigner[T_contra]):
    """A function of (element, timestamp so far) as a ``TimestampAssigner``."""

    function: Callable[[T_contra, int], int]

    def extract_timestamp(self, value: T_contra, record_timestamp: int) -> int:
        """What the function returns."""
        return self.function(value, record_timestamp)


def _assigner(given: TimestampAssigner[S] | Callable[[S, int], int]) -> TimestampAssigner[S]:
    if isinstance(given, TimestampAssigner):
        return given
    return TimestampFunction(given)


@final
@attrs.define
class WatermarkOutput:
    """Where a ``WatermarkGenerator`` leaves its watermarks; they never go back.

    Attributes:
        watermark: The highest watermark so far, in ms.
        idle: Whether the input is marked idle, so that it holds back nobody.
    """

    watermark: int = MIN_WATERMARK
    idle: bool = False

    def emit_watermark(self, watermark: int) -> None:
        """Declare that no element at or before ``watermark`` (ms) will follow; ends idleness.

        Raises:
            DefinitionError: It is no whole number of ms.
        """
        self.idle = False
        self.watermark = max(self.watermark, as_timestamp("a watermark", watermark))

    emitWatermark = emit_watermark

    def mark_idle(self) -> None:
        """Hold back nobody until the next watermark."""
        self.idle = True

    markIdle = mark_idle

    def mark_active(self) -> None:
        """Count again."""
        self.idle = False

    markActive = mark_active


class WatermarkGenerator(ABC, Generic[T_contra]):
    """Makes watermarks in a way of your own; see ``WatermarkStrategy.for_generator``."""

    @abstractmethod
    def on_event(self, event: T_contra, event_timestamp: int, output: WatermarkOutput) -> None:
        """See each element with its timestamp (ms)."""

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emit a watermark, if there is a new one; called at the auto-watermark interval."""


@final
@attrs.frozen
class NoWatermarks:
    """No watermark before the end of the input."""


@final
@attrs.frozen
class BoundedOutOfOrderness:
    """The watermark is the highest timestamp - ``bound`` - 1 ms."""

    bound: Duration

    def __attrs_post_init__(self) -> None:
        if _duration("maxOutOfOrderness", self.bound) < _ZERO:
            raise DefinitionError(f"maxOutOfOrderness cannot be negative: {self.bound}", where=_WHERE)


@final
@attrs.frozen
class CustomWatermarks:
    """Each partition gets a generator of the user's own."""

    supplier: Callable[[], WatermarkGenerator[Any]]


@final
@attrs.frozen(kw_only=True)
class WatermarkAlignment:
    """Who waits for whom: inputs of ``group`` pause when they are ``max_drift`` ahead of the slowest."""

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
    """How a stream's elements get timestamps and watermarks: a value; each ``with_…`` returns another.

    Same as in Flink: watermarks are made per Kafka partition, and the source's watermark is their minimum.
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
        """No watermarks: event-time windows fire at the end of bounded input only."""
        return WatermarkStrategy(generation=NoWatermarks())

    noWatermarks = no_watermarks

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy[Any]:
        """For timestamps that only rise within a partition: the watermark is the highest one - 1 ms."""
        return WatermarkStrategy(generation=BoundedOutOfOrderness(_ZERO))

    forMonotonousTimestamps = for_monotonous_timestamps

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: Duration) -> WatermarkStrategy[Any]:
        """For elements that may be late by ``max_out_of_orderness``; the watermark stays that far behind.

        Raises:
            DefinitionError: The bound is negative.
        """
        return WatermarkStrategy(generation=BoundedOutOfOrderness(max_out_of_orderness))

    forBoundedOutOfOrderness = for_bounded_out_of_orderness

    @staticmethod
    def for_generator(generator_supplier: Callable[[], WatermarkGenerator[S]]) -> WatermarkStrategy[S]:
        """Watermarks by a generator of your own, one for each partition: pass its class, or a function making it.

        Differs from Java: the supplier takes no context.
        """
        return WatermarkStrategy(generation=CustomWatermarks(generator_supplier))

    forGenerator = for_generator

    def with_timestamp_assigner(
        self, timestamp_assigner: TimestampAssigner[S] | Callable[[S, int], int]
    ) -> WatermarkStrategy[S]:
        """Read event times with ``timestamp_assigner`` (ms) instead of keeping the record's own timestamps.

        Args:
            timestamp_assigner: A ``TimestampAssigner``, or a function of the element and its timestamp so far.
        """
        return WatermarkStrategy(
            generation=self.generation,
            timestamp_assigner=_assigner(timestamp_assigner),
            idle_timeout=self.idle_timeout,
            alignment=self.alignment,
        )

    withTimestampAssigner = with_timestamp_assigner

    def with_idleness(self, idle_timeout: Duration) -> WatermarkStrategy[T_contra]:
        """Let a partition without elements for ``idle_timeout`` no longer hold back the watermark.

        Raises:
            DefinitionError: The timeout is not greater than zero.
        """
        return attrs.evolve(self, idle_timeout=idle_timeout)

    withIdleness = with_idleness

    def with_watermark_alignment(
        self,
        watermark_group: str,
        max_allowed_watermark_drift: Duration,
        update_interval: Duration | None = None,
    ) -> WatermarkStrategy[T_contra]:
        """Pause partitions that are ahead of the slowest in ``watermark_group`` by more than the drift.

        Same as in Flink: it is for sources, idle and finished partitions hold back nobody, and results do not change.
        Differs: a partition pauses between micro-batches, and only in jobs with keyed operators, where state would wait.

        Args:
            watermark_group: The name shared by the sources that wait for each other.
            max_allowed_watermark_drift: How far a partition may be ahead.
            update_interval: How often watermarks are compared; 1 s unless given.
        """
        alignment = WatermarkAlignment(
            group=watermark_group,
            max_drift=max_allowed_watermark_drift,
            update_interval=_ONE_SECOND if update_interval is None else update_interval,
        )
        return attrs.evolve(self, alignment=alignment)

    withWatermarkAlignment = with_watermark_alignment
