"""Streams that meet: union, connect, broadcast, and side outputs."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, ProcessFunction
from pyflink.datastream.functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    RuntimeContext,
)
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

from tests.differential.program import bounded, stepped

RULES = MapStateDescriptor("rules", Types.STRING(), Types.STRING())


class Second(TimestampAssigner):
    """``La@5`` is of the fifth second."""

    def extract_timestamp(self, value, record_timestamp):
        return int(float(value.split("@")[1]) * 1000)


MONOTONOUS = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())


def key_of(line):
    return line.split("@")[0]


def sides(lines):
    """``La@1`` is left, ``Ra@1`` is right; each side has watermarks of its own."""
    left = lines.filter(lambda line: line[0] == "L").map(lambda line: line[1:], Types.STRING())
    right = lines.filter(lambda line: line[0] == "R").map(lambda line: line[1:], Types.STRING())
    return left, right


def timed(lines):
    return [side.assign_timestamps_and_watermarks(MONOTONOUS) for side in sides(lines)]


class Mapped(CoMapFunction):
    def map1(self, value):
        return f"{value} left"

    def map2(self, value):
        return None if value.startswith("none") else f"{value} right"


class Spread(CoFlatMapFunction):
    def flat_map1(self, value):
        return [value, value]

    def flat_map2(self, value):
        if not value.startswith("none"):
            yield f"{value} right"


class Seen(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"{value} left {ctx.timestamp()}"

    def process_element2(self, value, ctx):
        yield f"{value} right {ctx.timestamp()} {ctx.timer_service().current_watermark()}"


@stepped("La Rb", "Rnone Lc", "Rd")
def connected(lines):
    """map, flat_map and process of two streams without keys; None is dropped."""
    left, right = sides(lines)
    pair = left.connect(right)
    return {
        "map": pair.map(Mapped(), Types.STRING()),
        "flat_map": pair.flat_map(Spread(), Types.STRING()),
        "process": pair.process(Seen(), Types.STRING()),
        "union": left.union(right),
    }


class Matched(KeyedCoProcessFunction):
    """Elements of both sides wait for the other; a timer gives up."""

    def open(self, runtime_context: RuntimeContext):
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", Types.STRING()))

    def process_element1(self, value, ctx):
        self.waiting.add(value)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 5000)

    def process_element2(self, value, ctx):
        yield f"{ctx.get_current_key()} {value} meets {list(self.waiting.get())}"
        self.waiting.clear()

    def on_timer(self, timestamp, ctx):
        left = list(self.waiting.get())
        if left:
            yield f"{ctx.get_current_key()} {timestamp} gives up {left}"
            self.waiting.clear()


@stepped("La@1 Ra@2", "La@3 Lb@3", "Rb@4", "Ra@9", "La@20 Rb@10", "Rb@30")
def connected_with_keys_and_timers(lines):
    """The watermark is the smaller one of both sides."""
    left, right = timed(lines)
    keyed = left.connect(right).key_by(key_of, key_of, Types.STRING())
    return keyed.process(Matched(), Types.STRING())


class Ruled(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        rules = ctx.get_broadcast_state(RULES)
        yield f"{value} {rules.get(value)} {rules.contains(value)} {sorted(rules.keys())}"

    def process_broadcast_element(self, value, ctx):
        key, _, rule = value.partition("=")
        rules = ctx.get_broadcast_state(RULES)
        if rule == "remove":
            rules.remove(key)
        elif rule == "clear":
            rules.clear()
        else:
            rules.put(key, rule)
        yield f"rule {sorted(rules.items())} {rules.is_empty()}"


@stepped("La", "Ra=1", "La Lb", "Rb=2 Ra=3", "La Lb", "Ra=remove", "La", "Rx=clear", "Lb")
def broadcast(lines):
    left, right = sides(lines)
    return left.connect(right.broadcast(RULES)).process(Ruled(), Types.STRING())


class RuledByKey(KeyedBroadcastProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 2000)
        yield f"{ctx.get_current_key()} {count} {ctx.get_broadcast_state(RULES).get(ctx.get_current_key())}"

    def process_broadcast_element(self, value, ctx):
        key, _, rule = value.split("@")[0].partition("=")
        ctx.get_broadcast_state(RULES).put(key, rule)

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} {timestamp} {self.count.value()} {ctx.get_broadcast_state(RULES).get(ctx.get_current_key())}"


@stepped("La@1", "Ra=x@1", "La@2 Lb@2", "Ra=y@3", "Lb@4", "Rb=z@9", "La@10")
def broadcast_with_keys_and_timers(lines):
    left, right = timed(lines)
    keyed = left.key_by(key_of, Types.STRING())
    return keyed.connect(right.broadcast(RULES)).process(RuledByKey(), Types.STRING())


EVEN = OutputTag("even", Types.INT())
TEXT = OutputTag("text", Types.TUPLE([Types.STRING(), Types.FLOAT()]))


class Sorted(ProcessFunction):
    def process_element(self, value, ctx):
        if value % 2 == 0:
            yield EVEN, value
        if value % 3 == 0:
            yield TEXT, (f"n{value}", value / 10)
        yield value


@bounded()
def side_outputs(env):
    """Two side outputs of one function, of other types than its own."""
    result = env.from_collection(list(range(7)), Types.INT()).process(Sorted(), Types.LONG())
    return {"main": result, "even": result.get_side_output(EVEN), "text": result.get_side_output(TEXT)}


@bounded()
def union_of_collections(env):
    """The same stream twice, and one that was filtered."""
    numbers = env.from_collection([1, 2, 3], Types.INT())
    return numbers.union(numbers.filter(lambda n: n > 1), env.from_collection([9], Types.INT()))


@bounded()
def partitioning(env):
    """How elements are spread changes none of them."""
    numbers = env.from_collection(list(range(6)), Types.INT())
    return {
        "rebalance": numbers.rebalance().map(lambda n: n * 2, Types.INT()),
        "rescale": numbers.rescale().map(lambda n: n * 2, Types.INT()),
        "shuffle": numbers.shuffle().map(lambda n: n * 2, Types.INT()),
        "forward": numbers.forward().map(lambda n: n * 2, Types.INT()),
    }
