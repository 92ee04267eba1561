"""Random graphs of operators on the streams of a job, made from a seed: the same graph for Spark and for the test driver."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kafkastream.common import Duration, Time, Types, WatermarkStrategy
from kafkastream.datastream import AsyncDataStream, DataStream, OutputTag
from kafkastream.datastream.functions import AsyncRetryStrategy
from kafkastream.datastream.window import (
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    ProcessingTimeSessionWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TimeEvictor,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from tests.differential.replay import functions
from tests.differential.replay.shared_clock import SharedClock

__all__ = ["Builder", "End", "Stream", "random_strategy"]

_DEEPEST: Final = 3
"""Keyed operators on one path at most: each level is a stage of Spark's query."""
_MOST: Final = 12
"""Elements on one path at most that one element gives."""


@dataclass(frozen=True)
class Stream:
    """A stream of a graph.

    Args:
        stream: Stream of the environment.
        level: Keyed operators before it.
        is_timed: Whether its elements have timestamps.
        growth: Roughly the number of its elements for each record.
        is_ordered: Whether the results of asynchronous calls are in order.
        is_mixed: Whether elements of several tasks have met in a union, and no exchange has put them in order since.
        form: Whether elements are rows.
    """

    stream: DataStream[Any]
    level: int = 0
    is_timed: bool = True
    growth: float = 1
    is_ordered: bool = True
    is_mixed: bool = False
    is_row: bool = False


@dataclass(frozen=True)
class End:
    """A stream that nothing else reads, with its path."""

    path: str
    stream: Stream


@dataclass
class Builder:
    """Builds one graph.

    Args:
        seed: Seed of the graph.
        sources: Streams that it reads.
        clock: Clock that its functions bring to the workers.
        shows_watermark: Whether functions show the watermark.
        operators: Names of its operators, as they are added.
    """

    seed: int
    sources: Sequence[Stream]
    clock: SharedClock
    shows_watermark: bool = True
    operators: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def build(self) -> list[End]:
        """Add the operators of the graph, and return its ends."""
        streams = self.chance.sample(list(self.sources), self.chance.randint(1, 3))
        unread = dict.fromkeys(range(len(streams)))
        for _ in range(self.chance.randint(2, 6)):
            taken = self.chance.choice(list(unread) or range(len(streams)))
            given = self._added(streams, taken)
            for number, stream in enumerate(streams):
                if number in unread and stream in self._read:
                    del unread[number]
            unread.update(dict.fromkeys(range(len(streams), len(streams) + len(given))))
            streams += given
        return [End(f"{self.seed}.{number}", streams[number]) for number in unread]

    def _added(self, streams: list[Stream], number: int) -> list[Stream]:
        """Add an operator on a stream, and return its output, and its side outputs."""
        stream = streams[number]
        self._read = [stream]
        kinds: list[Callable[[Stream], list[Stream]]] = [self._mapped, self._spread, self._sorted, self._broken]
        if stream.growth > _MOST or not stream.is_ordered:
            kinds = [self._mapped]
        else:
            kinds += [self._async, self._timestamps, self._united]
            if stream.level < _DEEPEST:
                kinds += [self._states] * 5 + [self._rolling, self._simple_keyed, self._count_windows]
                kinds += [self._connected, self._keyed_connected, self._broadcast, self._processing_windows]
                if stream.is_timed:
                    kinds += [self._windows] * 5 + [self._all_windows, self._interval_join, self._window_join]
        self._streams = streams
        kind = self.chance.choice(kinds)
        self.operators.append(kind.__name__.strip("_"))
        return kind(stream)

    def _of(self, function: Any) -> Any:
        """Return a function with the clock and a mark."""
        function.clock, function.mark = self.clock, self.chance.randrange(10)
        return function

    def _other(self, stream: Stream, *, timed: bool = False) -> Stream:
        """Choose a second input."""
        able = [
            other
            for other in self._streams
            if other.level < _DEEPEST and other.is_ordered and other.growth <= _MOST and (other.is_timed or not timed)
        ]
        other = self.chance.choice(able or [stream])
        self._read.append(other)
        return other

    def _type(self, stream: Stream) -> Any:
        """Choose a declared type for elements of the form of a stream."""
        fields: list[Any] = [Types.STRING(), Types.LONG(), Types.STRING(), Types.LONG(), functions.ANY]
        if stream.is_row:
            return self.chance.choice((functions.ANY, Types.ROW_NAMED(["o", "n", "k", "t", "p"], fields)))
        return self.chance.choice((functions.ANY, None, Types.TUPLE(fields)))

    def _tag(self, name: str) -> OutputTag[Any]:
        return OutputTag(f"{name}-{len(self.operators)}", functions.ANY)

    def _after(self, stream: DataStream[Any], *before: Stream, growth: float = 1, **changes: Any) -> Stream:
        """Return the stream after an operator without keys."""
        values = {
            "level": max(one.level for one in before),
            "is_timed": all(one.is_timed for one in before),
            "is_ordered": all(one.is_ordered for one in before),
            "is_mixed": len(before) > 1 or before[0].is_mixed,
            "is_row": before[0].is_row,
        }
        return Stream(stream, growth=growth * sum(one.growth for one in before), **{**values, **changes})

    def _behind(self, stream: DataStream[Any], *before: Stream, growth: float = 1, **changes: Any) -> Stream:
        """Return the stream after an operator with keys, or with two inputs."""
        level = max(one.level for one in before) + 1
        return self._after(stream, *before, growth=growth, level=level, is_mixed=False, **changes)

    def _key(self, stream: Stream, kind: int | None = None) -> Any:
        selector = self._of(functions.ByKey(self.chance.randrange(5) if kind is None else kind))
        return stream.stream.key_by(selector)

    def _mapped(self, stream: Stream) -> list[Stream]:
        match self.chance.randrange(3):
            case 0:
                result = stream.stream.filter(self._of(functions.Drop()))
                return [self._after(result, stream)]
            case 1:
                is_row = self.chance.random() < 0.5
                form = self._after(stream.stream, stream, is_row=is_row)
                return [self._after(stream.stream.map(self._of(functions.ToForm(is_row)), self._type(form)), form)]
            case _:
                return [self._after(stream.stream.map(self._of(functions.Mark()), self._type(stream)), stream)]

    def _spread(self, stream: Stream) -> list[Stream]:
        result = stream.stream.flat_map(self._of(functions.Spread()), self._type(stream))
        return [self._after(result, stream, growth=1.3)]

    def _sorted(self, stream: Stream) -> list[Stream]:
        tag = self._tag("sorted")
        result = stream.stream.process(self._of(functions.Sorted(tag)), self._type(stream))
        return [self._after(result, stream), self._after(result.get_side_output(tag), stream)]

    def _broken(self, stream: Stream) -> list[Stream]:
        """Break the chain, or run the next operator with another parallelism."""
        mapped = stream.stream.map(self._of(functions.Mark()), self._type(stream))
        match self.chance.randrange(5):
            case 0:
                mapped.disable_chaining()
            case 1:
                mapped.start_new_chain()
            case 2:
                mapped = mapped.rebalance()
            case 3:
                mapped = mapped.rescale()
            case _:
                mapped = mapped.shuffle()
        return [self._after(mapped, stream)]

    def _async(self, stream: Stream) -> list[Stream]:
        function, length = self._of(functions.Delayed()), Time.milliseconds(300)
        call = self.chance.randrange(3)
        if call == 0:
            result = AsyncDataStream.ordered_wait(stream.stream, function, length, 20, self._type(stream))
        elif call == 1:
            again = AsyncRetryStrategy.fixed_delay(2, 1, lambda results: not results, None)
            result = AsyncDataStream.ordered_wait_with_retry(
                stream.stream, function, length, again, 20, self._type(stream)
            )
        else:
            result = AsyncDataStream.unordered_wait(stream.stream, function, length, 20, self._type(stream))
        return [self._after(result, stream, is_ordered=stream.is_ordered and call != 2)]

    def _timestamps(self, stream: Stream) -> list[Stream]:
        strategy = random_strategy(self.chance).with_timestamp_assigner(functions.EventTime())
        return [self._after(stream.stream.assign_timestamps_and_watermarks(strategy), stream, is_timed=True)]

    def _united(self, stream: Stream) -> list[Stream]:
        others = [self._other(stream) for _ in range(self.chance.randint(1, 2))]
        return [self._after(stream.stream.union(*(other.stream for other in others)), stream, *others)]

    def _states(self, stream: Stream) -> list[Stream]:
        tag = self._tag("states")
        timers = self.chance.randrange(8)
        function = functions.States(
            self.chance.choice(functions.States.KINDS),
            self.chance.choice((0, 0, 2_000, 10_000)),
            timers,
            tag,
            shows_watermark=self.shows_watermark,
        )
        result = self._key(stream).process(self._of(function), None)
        is_timed = stream.is_timed and not timers & 2
        return [
            self._behind(result, stream, growth=2, is_timed=is_timed),
            self._behind(result.get_side_output(tag), stream, is_timed=is_timed),
        ]

    def _rolling(self, stream: Stream) -> list[Stream]:
        keyed = self._key(stream)
        match self.chance.randrange(4):
            case 0:
                result = keyed.reduce(self._of(functions.Join()))
            case 1:
                result = keyed.sum(1)
            case 2:
                result = keyed.max(3)
            case _:
                result = keyed.min_by(3)
        return [self._behind(result, stream)]

    def _simple_keyed(self, stream: Stream) -> list[Stream]:
        keyed = self._key(stream)
        match self.chance.randrange(3):
            case 0:
                return [self._behind(keyed.map(self._of(functions.Mark()), self._type(stream)), stream)]
            case 1:
                return [self._behind(keyed.filter(self._of(functions.Drop())), stream)]
            case _:
                return [self._behind(keyed.flat_map(self._of(functions.Spread())), stream, growth=1.3)]

    def _count_windows(self, stream: Stream) -> list[Stream]:
        keyed = self._key(stream)
        windowed = keyed.count_window(2) if self.chance.random() < 0.5 else keyed.count_window(3, 1)
        return [self._in_windows(windowed, stream, merges=False, is_timed=False)]

    def _windows(self, stream: Stream) -> list[Stream]:
        chance, kind = self.chance, self.chance.randrange(5)
        assigner: Any
        match kind:
            case 0:
                assigner = TumblingEventTimeWindows.of(Time.seconds(4), Time.milliseconds(chance.choice((0, 700))))
            case 1:
                assigner = SlidingEventTimeWindows.of(Time.seconds(6), Time.seconds(chance.choice((2, 4, 9))))
            case 2:
                assigner = EventTimeSessionWindows.with_gap(Time.seconds(2))
            case 3:
                assigner = EventTimeSessionWindows.with_dynamic_gap(functions.Gap())
            case _:
                assigner = GlobalWindows.create()
        is_global, tag = kind == 4, self._tag("late")
        windowed = self._key(stream).window(assigner)
        triggers: list[Any] = [
            CountTrigger.of(2),
            PurgingTrigger.of(CountTrigger.of(3)),
            self._of(functions.OwnTrigger(purges=chance.random() < 0.5, is_event_time=True)),
            ContinuousEventTimeTrigger.of(Time.seconds(3)),
        ]
        if is_global or chance.random() < 0.4:
            windowed = windowed.trigger(chance.choice(triggers))
        if not is_global and chance.random() < 0.5:
            windowed = windowed.allowed_lateness(chance.choice((1_000, 12_000)))
        has_late = chance.random() < 0.5
        if has_late:
            windowed = windowed.side_output_late_data(tag)
        windowed = self._with_evictor(windowed)
        result = self._in_windows(windowed, stream, merges=kind in (2, 3), is_timed=not is_global)
        late = [self._behind(result.stream.get_side_output(tag), stream)] if has_late else []
        return [result, *late]

    def _with_evictor(self, windowed: Any) -> Any:
        chance = self.chance
        if chance.random() > 0.3:
            return windowed
        evictors: list[Any] = [
            CountEvictor.of(2, chance.random() < 0.5),
            TimeEvictor.of(Time.seconds(2), chance.random() < 0.5),
            self._of(functions.DropEven()),
        ]
        return windowed.evictor(chance.choice(evictors))

    def _processing_windows(self, stream: Stream) -> list[Stream]:
        chance = self.chance
        assigners: list[tuple[Any, bool]] = [
            (TumblingProcessingTimeWindows.of(Time.seconds(2)), False),
            (SlidingProcessingTimeWindows.of(Time.seconds(6), Time.seconds(3)), False),
            (ProcessingTimeSessionWindows.with_gap(Time.seconds(3)), True),
        ]
        assigner, merges = chance.choice(assigners)
        windowed = self._key(stream).window(assigner)
        triggers: list[Any] = [
            CountTrigger.of(2),
            self._of(functions.OwnTrigger(purges=chance.random() < 0.5, is_event_time=False)),
            ContinuousProcessingTimeTrigger.of(Time.seconds(1)),
        ]
        if chance.random() < 0.4:
            windowed = windowed.trigger(chance.choice(triggers))
        windowed = self._with_evictor(windowed) if stream.is_timed else windowed
        return [self._in_windows(windowed, stream, merges=merges, is_timed=True)]

    def _in_windows(self, windowed: Any, stream: Stream, *, merges: bool, is_timed: bool) -> Stream:
        function = self._of(functions.Windowed(has_window_state=not merges, shows_watermark=self.shows_watermark))
        reduce, aggregate = self._of(functions.Join()), self._of(functions.Sum())
        match self.chance.randrange(5):
            case 0:
                result = windowed.reduce(reduce)
            case 1:
                result = windowed.aggregate(aggregate)
            case 2:
                result = windowed.reduce(reduce, function)
            case 3:
                result = windowed.aggregate(aggregate, function)
            case _:
                result = windowed.process(function)
        return self._behind(result, stream, growth=1.5, is_timed=is_timed)

    def _all_windows(self, stream: Stream) -> list[Stream]:
        windowed = stream.stream.window_all(TumblingEventTimeWindows.of(Time.seconds(4)))
        if self.chance.random() < 0.5:
            return [self._behind(windowed.reduce(self._of(functions.Join())), stream)]
        return [self._behind(windowed.process(self._of(functions.WindowedAll())), stream)]

    def _connected(self, stream: Stream) -> list[Stream]:
        other = self._other(stream)
        pair = stream.stream.connect(other.stream)
        match self.chance.randrange(3):
            case 0:
                result = pair.map(self._of(functions.CoMap()))
            case 1:
                result = pair.flat_map(self._of(functions.CoSpread()))
            case _:
                result = pair.process(self._of(functions.CoSeen()))
        return [self._behind(result, stream, other, growth=1.3)]

    def _keyed_connected(self, stream: Stream) -> list[Stream]:
        other, kind = self._other(stream), self.chance.randrange(5)
        pair = self._key(stream, kind).connect(self._key(other, kind))
        return [self._behind(pair.process(self._of(functions.Matched())), stream, other)]

    def _broadcast(self, stream: Stream) -> list[Stream]:
        rules = self._other(stream)
        broadcast = rules.stream.broadcast(functions.RULES)
        if self.chance.random() < 0.5:
            result = stream.stream.connect(broadcast).process(self._of(functions.Ruled()))
        else:
            result = self._key(stream).connect(broadcast).process(self._of(functions.RuledByKey()))
        return [self._behind(result, stream, rules)]

    def _interval_join(self, stream: Stream) -> list[Stream]:
        other, kind = self._other(stream, timed=True), self.chance.randrange(5)
        tags = self._tag("left"), self._tag("right")
        join = self._key(stream, kind).interval_join(self._key(other, kind))
        join = join.between(Time.seconds(self.chance.choice((-3, 0))), Time.seconds(self.chance.choice((0, 2))))
        if self.chance.random() < 0.5:
            join = join.upper_bound_exclusive() if self.chance.random() < 0.5 else join
        has_late = self.chance.random() < 0.5
        if has_late:
            join = join.side_output_left_late_data(tags[0]).side_output_right_late_data(tags[1])
        result = join.process(self._of(functions.Paired()))
        late = [self._behind(result.get_side_output(tag), stream) for tag in tags] if has_late else []
        return [self._behind(result, stream, other, growth=2), *late]

    def _window_join(self, stream: Stream) -> list[Stream]:
        other, kind = self._other(stream, timed=True), self.chance.randrange(5)
        keys = [self._of(functions.ByKey(kind)) for _ in range(2)]
        is_join = self.chance.random() < 0.5
        both: Any = stream.stream.join(other.stream) if is_join else stream.stream.co_group(other.stream)
        assigner: Any = (
            TumblingEventTimeWindows.of(Time.seconds(4))
            if self.chance.random() < 0.6
            else EventTimeSessionWindows.with_gap(Time.seconds(2))
        )
        both = both.where(keys[0]).equal_to(keys[1]).window(assigner)
        if self.chance.random() < 0.4:
            both = both.allowed_lateness(5_000)
        result = both.apply(functions.joined) if is_join else both.apply(self._of(functions.Grouped()))
        return [self._behind(result, stream, other, growth=2)]


def random_strategy(chance: random.Random) -> WatermarkStrategy[Any]:
    """Return a strategy that generates watermarks."""
    match chance.randrange(3):
        case 0:
            return WatermarkStrategy.for_monotonous_timestamps()
        case 1:
            return WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(chance.choice((0, 2_500))))
        case _:
            return WatermarkStrategy.for_generator(functions.EveryThird)
