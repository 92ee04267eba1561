# mypy: ignore-errors
"""Programs that show where an element is serialized: ``1.1`` under FLOAT is ``1.100000023841858`` behind a serializer.

Each is built on an environment of either engine, in words that both have, and gives lines of text.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from typing import Any

__all__ = ["SHAPES", "Engine"]


class Engine:
    """The classes of one engine: ``pyflink`` or ``kafkastream``."""

    def __init__(self, name: str) -> None:  # noqa: C901 - its classes are those of an engine that is only known here
        common, datastream = import_module(f"{name}.common"), import_module(f"{name}.datastream")
        strategies = import_module(f"{name}.common.watermark_strategy")
        self.Types, self.Row, self.WatermarkStrategy = common.Types, common.Row, common.WatermarkStrategy
        self.environment = datastream.StreamExecutionEnvironment.get_execution_environment
        self.float, self.text = common.Types.FLOAT(), common.Types.STRING()
        self.side = datastream.OutputTag("side", common.Types.FLOAT())
        self.count = import_module(f"{name}.datastream.window").CountTumblingWindowAssigner
        self.descriptor = import_module(f"{name}.datastream.state").ValueStateDescriptor
        side, descriptor, integer = self.side, self.descriptor, common.Types.INT()

        class Same(datastream.ProcessFunction):
            def process_element(self, value, ctx):
                yield value

        class Timed(datastream.ProcessFunction):
            def process_element(self, value, ctx):
                yield f"{value!r} at {ctx.timestamp()}"

        class Aside(datastream.ProcessFunction):
            def process_element(self, value, ctx):
                yield 1.1
                yield side, 2.2

        class Keyed(datastream.KeyedProcessFunction):
            def process_element(self, value, ctx):
                yield 1.1

        class KeyAndValue(datastream.KeyedProcessFunction):
            def process_element(self, value, ctx):
                yield f"{ctx.get_current_key()!r} has {value!r}"

        class Counting(datastream.KeyedProcessFunction):
            def open(self, runtime_context):
                self.count = runtime_context.get_state(descriptor("count", integer))

            def process_element(self, value, ctx):
                self.count.update((self.count.value() or 0) + 1)
                yield f"{ctx.get_current_key()!r} for the {self.count.value()}."

        class Shown(datastream.CoMapFunction):
            def map1(self, value):
                return repr(value)

            map2 = map1

        class Given(datastream.CoMapFunction):
            def map1(self, value):
                return 1.1

            map2 = map1

        class Windowed(datastream.ProcessWindowFunction):
            def process(self, key, context, elements):
                return [1.1]

            def clear(self, context):
                pass

        class Async(datastream.AsyncFunction):
            async def async_invoke(self, value):
                return [value]

        class Assigner(strategies.TimestampAssigner):
            def extract_timestamp(self, value, record_timestamp):
                return 1 if value == 1.1 else 2

        self.same, self.timed, self.aside, self.keyed = Same, Timed, Aside, Keyed
        self.key_and_value, self.counting, self.shown, self.given = KeyAndValue, Counting, Shown, Given
        self.windowed, self.waits, self.time = Windowed, datastream.AsyncDataStream, common.Time
        self.asynchronous = Async
        monotonous = common.WatermarkStrategy.for_monotonous_timestamps
        self.assigning = monotonous().with_timestamp_assigner(Assigner())
        self.plain_strategy = monotonous()

    def base(self, env: Any) -> Any:
        """One element."""
        return env.from_collection([0])

    def typed(self, env: Any) -> Any:
        """One element that a map has made, under FLOAT."""
        return self.base(env).map(lambda _: 1.1, self.float)

    def lines(self, stream: Any) -> Any:
        """A stream as text."""
        return stream.map(repr, self.text)

    def awaited(self, stream: Any) -> Any:
        """A stream behind an asynchronous function, under FLOAT."""
        return self.waits.ordered_wait(stream, self.asynchronous(), self.time.seconds(10), 2, self.float)

    def keys(self, env: Any, key_type: Any, keys: list[Any]) -> Any:
        """How often each key has come."""
        return (
            env.from_collection(list(range(len(keys))))
            .key_by(lambda number: keys[number], key_type)
            .process(self.counting(), self.text)
        )


def _with_side_output(engine: Engine, env: Any) -> Any:
    main = engine.base(env).process(engine.aside(), engine.float)
    return engine.lines(main).union(engine.lines(main.get_side_output(engine.side)))


def _forked(engine: Engine, env: Any) -> Any:
    typed = engine.typed(env)
    return typed.filter(lambda _: False).map(repr, engine.text).union(engine.lines(typed))


def _forked_keys(engine: Engine, env: Any) -> Any:
    typed = engine.typed(env)
    keyed = typed.key_by(repr, engine.text).process(engine.key_and_value(), engine.text)
    return typed.filter(lambda _: False).map(repr, engine.text).union(keyed)


def _row_keys(engine: Engine, env: Any) -> Any:
    named = engine.Types.ROW_NAMED(["w", "n"], [engine.text, engine.Types.INT()])
    return engine.keys(env, named, [engine.Row("a", 1), engine.Row(n=1, w="a"), engine.Row("a", 1.0)])


def _tuple_under_row(engine: Engine, env: Any) -> Any:
    row = engine.Types.ROW([engine.Types.INT(), engine.text])
    return engine.lines(engine.base(env).map(lambda _: (1, "a"), row).map(lambda pair: (*pair, 3)))


def _projected(engine: Engine, env: Any) -> Any:
    pair = engine.Types.TUPLE([engine.float, engine.Types.INT()])
    return engine.lines(engine.base(env).map(lambda _: (1.1, 2), pair).project(0))


def _summed(engine: Engine, env: Any) -> Any:
    pair = engine.Types.TUPLE([engine.text, engine.float])
    pairs = env.from_collection([0, 1]).map(lambda number: ("a", 1.1 + number), pair)
    return pairs.key_by(lambda pair: pair[0], engine.text).sum(1).map(repr, engine.text)


Shape = Callable[[Engine, Any], Any]

SHAPES: dict[str, Shape] = {
    "map, map": lambda e, env: e.lines(e.typed(env)),
    "map, map without a type, map": lambda e, env: e.lines(e.typed(env).map(lambda value: value)),
    "map, filter, map": lambda e, env: e.lines(e.typed(env).filter(lambda value: value == 1.1)),
    "map, filter, rebalance, map": lambda e, env: e.lines(e.typed(env).filter(lambda value: value == 1.1).rebalance()),
    "map, flat_map": lambda e, env: e.typed(env).flat_map(lambda value: [repr(value)], e.text),
    "map, process": lambda e, env: e.lines(e.typed(env).process(e.same())),
    "map, forward, map": lambda e, env: e.lines(e.typed(env).forward()),
    "map, rescale, map": lambda e, env: e.lines(e.typed(env).rescale()),
    "map, map with parallelism 2": lambda e, env: e.lines(e.typed(env)).set_parallelism(2),
    "map, map in another slot": lambda e, env: e.lines(e.typed(env)).slot_sharing_group("other"),
    "map, map with another maximum": lambda e, env: e.lines(e.typed(env)).set_max_parallelism(64),
    "map, map in a new chain": lambda e, env: e.lines(e.typed(env)).start_new_chain(),
    "map in a new chain, map": lambda e, env: e.lines(e.typed(env).start_new_chain()),
    "map, map without chaining": lambda e, env: e.lines(e.typed(env)).disable_chaining(),
    "map without chaining, map": lambda e, env: e.lines(e.typed(env).disable_chaining()),
    "map, union, map": lambda e, env: e.lines(e.typed(env).union(e.typed(env))),
    "map, map, union": lambda e, env: e.lines(e.typed(env)).union(e.lines(e.typed(env))),
    "map, map, union with a map": lambda e, env: e.lines(e.typed(env)).union(e.base(env).map(repr, e.text)),
    "map, map, union, map, map": lambda e, env: e.lines(
        e.typed(env)
        .map(lambda value: value == 1.1)
        .union(e.typed(env).map(lambda value: value == 1.1))
        .map(lambda value: 1.1 if value else 0.1, e.float)
    ),
    "map, key_by, process, map, union": lambda e, env: e.lines(
        e.typed(env)
        .filter(lambda value: value == 1.1)
        .key_by(lambda value: 1)
        .process(e.keyed(), e.float)
        .filter(lambda value: value == 1.1)
    ).union(e.base(env).map(repr, e.text)),
    "map, map, key_by, process, union": lambda e, env: (
        e.typed(env)
        .filter(lambda value: value == 1.1)
        .key_by(repr, e.text)
        .process(e.key_and_value(), e.text)
        .union(e.base(env).map(repr, e.text))
    ),
    "map, filter, co-map": lambda e, env: (
        e.typed(env).filter(lambda value: value == 1.1).connect(e.base(env)).map(e.shown(), e.text)
    ),
    "map, filter, co-map, map, union": lambda e, env: e.lines(
        e.typed(env).connect(e.base(env)).map(e.given(), e.float)
    ).union(e.base(env).map(repr, e.text)),
    "map, two maps": _forked,
    "map, key_by": lambda e, env: e.typed(env).key_by(repr, e.text).process(e.key_and_value(), e.text),
    "map, map and key_by": _forked_keys,
    "keyed process, map": lambda e, env: e.lines(e.base(env).key_by(lambda v: v).process(e.keyed(), e.float)),
    "keyed map, map": lambda e, env: e.lines(e.base(env).key_by(lambda v: v).map(lambda _: 1.1, e.float)),
    "count window, map": lambda e, env: e.lines(
        e.base(env).key_by(lambda v: v).window(e.count(1)).process(e.windowed(), e.float)
    ),
    "map, async": lambda e, env: e.lines(e.awaited(e.typed(env))),
    "map without a type, async, map": lambda e, env: e.lines(e.awaited(e.base(env).map(lambda _: 1.1))),
    "map without a type, async": lambda e, env: e.lines(
        e.awaited(e.base(env).map(lambda _: 1.1)).start_new_chain().disable_chaining()
    ),
    "async, async": lambda e, env: e.lines(e.awaited(e.awaited(e.base(env).map(lambda _: 1.1)))),
    "async, key_by": lambda e, env: (
        e.awaited(e.base(env).map(lambda _: 1.1)).key_by(repr, e.text).process(e.key_and_value(), e.text)
    ),
    "map, co-map": lambda e, env: e.typed(env).connect(e.base(env)).map(e.shown(), e.text),
    "co-map, map": lambda e, env: e.lines(e.base(env).connect(e.base(env)).map(e.given(), e.float)),
    "map, timestamps by an assigner": lambda e, env: (
        e.typed(env).assign_timestamps_and_watermarks(e.assigning).process(e.timed(), e.text)
    ),
    "map, watermarks without an assigner": lambda e, env: e.lines(
        e.typed(env).assign_timestamps_and_watermarks(e.plain_strategy)
    ),
    "process with a side output that nobody takes": lambda e, env: e.lines(e.base(env).process(e.aside(), e.float)),
    "process with a side output": _with_side_output,
    "tuple under ROW, map": _tuple_under_row,
    "map, project": _projected,
    "map, sum": _summed,
    "None under STRING, filter": lambda e, env: (
        env.from_collection([1, 2])
        .map(lambda number: None if number == 1 else "x", e.text)
        .filter(lambda value: value is not None)
    ),
    "keys under DOUBLE": lambda e, env: e.keys(env, e.Types.DOUBLE(), [1, 1.0, True, 2, Decimal(1)]),
    "keys under FLOAT": lambda e, env: e.keys(env, e.float, [1.1, 1.100000023841858, 1]),
    "keys under INT": lambda e, env: e.keys(env, e.Types.INT(), [1, 1.0, True, 1.9]),
    "keys under BOOLEAN": lambda e, env: e.keys(env, e.Types.BOOLEAN(), [1, True, 5, 0, False]),
    "keys under ROW_NAMED": _row_keys,
    "keys under TUPLE": lambda e, env: e.keys(env, e.Types.TUPLE([e.text, e.Types.DOUBLE()]), [("a", 1), ("a", 1.0)]),
}
"""What builds each program, by its name."""
