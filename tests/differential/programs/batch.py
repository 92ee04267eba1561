"""BATCH and AUTOMATIC mode: one final result for each key, no late data, elements of a key in the order of time."""

from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, ProcessWindowFunction
from pyflink.datastream.functions import KeyedCoProcessFunction, RuntimeContext
from pyflink.datastream.state import ValueStateDescriptor
from pyflink.datastream.window import CountTrigger, EventTimeSessionWindows, TumblingEventTimeWindows

from tests.differential.program import bounded


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(float(value.split("@")[1]) * 1000)


def key_of(line):
    return line.split("@")[0]


def keyed(env, *lines):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = env.from_collection(list(lines), Types.STRING()).assign_timestamps_and_watermarks(strategy)
    return stream.key_by(key_of, Types.STRING())


PAIRS = [("a", 1), ("b", 5), ("a", 3), ("b", 2), ("a", 2)]


@bounded(batch=True)
def batch_aggregations(env):
    """reduce and sum give one value for each key."""
    pairs = env.from_collection(PAIRS, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(
        lambda p: p[0], Types.STRING()
    )
    return {
        "reduce": pairs.reduce(lambda a, b: (a[0], a[1] * 10 + b[1])),
        "sum": pairs.sum(1),
        "max_by": pairs.max_by(1),
        "min": pairs.min(1),
    }


class Told(ProcessWindowFunction):
    def process(self, key, context, elements):
        window = context.window()
        yield f"{key} [{window.start},{window.end}) {' '.join(elements)} w{context.current_watermark()}"


@bounded(batch=True)
def batch_windows(env):
    """Nothing is late; each window fires once."""
    stream = keyed(env, "a@12", "b@3", "a@1", "a@35", "b@2", "a@4")
    ten = TumblingEventTimeWindows.of(Time.seconds(10))
    return {
        "tumbling": stream.window(ten).process(Told(), Types.STRING()),
        "lateness": stream.window(ten).allowed_lateness(100000).process(Told(), Types.STRING()),
        "sessions": stream.window(EventTimeSessionWindows.with_gap(Time.seconds(5))).process(Told(), Types.STRING()),
        "count": stream.window(ten).trigger(CountTrigger.of(2)).process(Told(), Types.STRING()),
        "reduce": stream.window(ten).reduce(lambda a, b: a + "+" + b),
        "count window": stream.count_window(2).reduce(lambda a, b: a + "+" + b),
    }


class Timers(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.STRING()))

    def process_element(self, line, ctx):
        seen = (self.seen.value() or "") + line
        self.seen.update(seen)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 2000)
        yield f"{ctx.get_current_key()} {seen} {ctx.timestamp()} w{ctx.timer_service().current_watermark()}"

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} timer {timestamp} {self.seen.value()} w{ctx.timer_service().current_watermark()}"


@bounded(batch=True)
def batch_timers(env):
    """Elements of a key come in the order of time, timers after all of them."""
    return keyed(env, "a@5", "b@1", "a@1", "a@3", "b@9").process(Timers(), Types.STRING())


@bounded(batch=True)
def batch_state(env):
    """A function with state gives something for each element."""
    pairs = env.from_collection(PAIRS, Types.TUPLE([Types.STRING(), Types.INT()]))
    return pairs.key_by(lambda pair: pair[0], Types.STRING()).process(Sums(), Types.STRING())


class Sums(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.INT()))

    def process_element(self, pair, ctx):
        self.sum.update((self.sum.value() or 0) + pair[1])
        yield f"{pair[0]} {self.sum.value()}"


class Both(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield f"{ctx.get_current_key()} left {value}"

    def process_element2(self, value, ctx):
        yield f"{ctx.get_current_key()} right {value}"


@bounded(batch=True, order="none")
def batch_of_two_streams(env):
    """Elements without a time: which input comes first is not said."""
    left = env.from_collection(["a1", "b1", "a2"], Types.STRING())
    right = env.from_collection(["a3", "b3"], Types.STRING())
    pair = left.connect(right).key_by(lambda v: v[0], lambda v: v[0], Types.STRING())
    return {
        "process": pair.process(Both(), Types.STRING()),
        "union": left.union(right).map(lambda v: v + "!", Types.STRING()),
    }
