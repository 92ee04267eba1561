"""What functions see beside their elements: times, watermarks, the clock, the context; and programs of several jobs."""

from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, MapFunction, ProcessFunction, ProcessWindowFunction, TimeDomain
from pyflink.datastream.functions import RuntimeContext
from pyflink.datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from pyflink.datastream.window import (
    ProcessingTimeSessionWindows,
    ProcessingTimeTrigger,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)

from tests.differential.program import bounded, stepped


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(float(value.split("@")[1]) * 1000)


def key_of(line):
    return line.split("@")[0]


class Times(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()} {ctx.timer_service().current_watermark()}"


class Stamps(ProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} {ctx.timestamp()}"


@stepped("a@1", "a@3", "a@2", "a@9", "a@8", "a@20")
def times_of_elements(lines):
    """Timestamps and watermarks of three strategies, and of none."""
    assigned = lines.assign_timestamps_and_watermarks

    def strategy(made):
        return keyed(assigned(made.with_timestamp_assigner(Second())))

    def keyed(stream):
        return stream.key_by(key_of, Types.STRING()).process(Times(), Types.STRING())

    return {
        "monotonous": strategy(WatermarkStrategy.for_monotonous_timestamps()),
        "bounded": strategy(WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(4))),
        "none": strategy(WatermarkStrategy.no_watermarks()),
        "of records": keyed(assigned(WatermarkStrategy.for_monotonous_timestamps())),
        "unassigned": keyed(lines),
        "without keys": lines.process(Stamps(), Types.STRING()),
    }


@stepped("a@1 a@3", "a@2 a@12", "a@14 a@30")
def times_behind_windows(lines):
    """What a window gives has the time of its last millisecond, and so a second window takes it."""
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    stream = lines.assign_timestamps_and_watermarks(strategy)
    counts = stream.map(lambda line: (line.split("@")[0], 1), Types.TUPLE([Types.STRING(), Types.INT()]))
    keyed = counts.key_by(lambda pair: pair[0], Types.STRING())
    small = keyed.window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(lambda a, b: (a[0], a[1] + b[1]))
    large = small.key_by(lambda pair: pair[0], Types.STRING()).window(TumblingEventTimeWindows.of(Time.seconds(10)))
    return {"small": small, "large": large.reduce(lambda a, b: (a[0], a[1] * 10 + b[1]))}


class Clock(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        now = timers.current_processing_time()
        timers.register_processing_time_timer(now + 300)
        timers.register_processing_time_timer(now + 100_000)
        timers.delete_processing_time_timer(now + 100_000)
        yield f"{value} {now > 1_500_000_000_000}"

    def on_timer(self, timestamp, ctx):
        domain = "processing" if ctx.time_domain() == TimeDomain.PROCESSING_TIME else "event"
        yield f"{ctx.get_current_key()} {domain} {ctx.timestamp() == timestamp}"


@stepped("a@1 b@1", "a@2")
def processing_time_timers(lines):
    return lines.key_by(key_of, Types.STRING()).process(Clock(), Types.STRING())


class Together(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {' '.join(elements)} {context.window().max_timestamp() <= context.current_processing_time()}"


@stepped("a@1 a@2 b@1", "a@3")
def processing_time_windows(lines):
    keyed = lines.key_by(key_of, Types.STRING())
    session = ProcessingTimeSessionWindows.with_gap(Time.milliseconds(900))
    return {"session": keyed.window(session).process(Together(), Types.STRING())}


@bounded()
def processing_time_at_the_end(env):
    """What waits for the clock when the input ends does not fire."""
    keyed = env.from_collection(["a@1", "b@2", "a@3"], Types.STRING()).key_by(key_of, Types.STRING())
    hour = TumblingProcessingTimeWindows.of(Time.hours(1))
    return {
        "timers": keyed.process(Hours(), Types.STRING()),
        "windows": keyed.window(hour).process(Together(), Types.STRING()),
        "trigger": keyed.window(hour).trigger(ProcessingTimeTrigger.create()).process(Together(), Types.STRING()),
    }


class Hours(KeyedProcessFunction):
    def process_element(self, value, ctx):
        ctx.timer_service().register_processing_time_timer(ctx.timer_service().current_processing_time() + 3_600_000)
        yield value

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} timer"


class Expiring(KeyedProcessFunction):
    """State of every kind that is forgotten after 1.5 seconds."""

    def open(self, runtime_context: RuntimeContext):
        ttl = StateTtlConfig.new_builder(Time.milliseconds(1500)).build()
        value = ValueStateDescriptor("value", Types.STRING())
        entries = MapStateDescriptor("entries", Types.STRING(), Types.STRING())
        elements = ListStateDescriptor("elements", Types.STRING())
        for descriptor in (value, entries, elements):
            descriptor.enable_time_to_live(ttl)
        self.value = runtime_context.get_state(value)
        self.entries = runtime_context.get_map_state(entries)
        self.elements = runtime_context.get_list_state(elements)

    def process_element(self, line, ctx):
        seen = self.value.value(), sorted(self.entries.items()), list(self.elements.get() or [])
        second = line.split("@")[1]
        self.value.update(second)
        self.entries.put(second, second)
        self.elements.add(second)
        yield f"{ctx.get_current_key()} {seen!r}"


@stepped("a@1 a@2 b@1", "(wait)", "a@3", "(wait)", "b@4")
def time_to_live(lines):
    return lines.key_by(key_of, Types.STRING()).process(Expiring(), Types.STRING())


class Context(MapFunction):
    def open(self, runtime_context: RuntimeContext):
        self.seen = (
            runtime_context.get_task_name(),
            runtime_context.get_number_of_parallel_subtasks(),
            runtime_context.get_index_of_this_subtask(),
            runtime_context.get_attempt_number(),
            runtime_context.get_task_name_with_subtasks(),
        )

    def map(self, value):
        return f"{value} {self.seen[1:4]}"


@bounded()
def runtime_context(env):
    return env.from_collection([1, 2], Types.INT()).map(Context(), Types.STRING())


class Opened(MapFunction):
    """Counts in its own field."""

    def open(self, runtime_context: RuntimeContext):
        self.count = 0

    def map(self, value):
        self.count += 1
        return f"{value} {self.count}"


@bounded()
def fields_of_functions(env):
    """A field of a function lasts; each operator has an object of its own."""
    function = Opened()
    numbers = env.from_collection(list("abc"), Types.STRING())
    return {"first": numbers.map(function, Types.STRING()), "second": numbers.map(function, Types.STRING())}


@bounded(alone=True, executes=True)
def two_jobs(env):
    """What was built before the first execute is not run by the second."""
    numbers = env.from_collection([1, 2], Types.INT())
    numbers.print("two_jobs")
    env.execute("first")
    numbers.map(lambda n: n * 10, Types.INT()).print("two_jobs")
    env.execute("second")
    with numbers.map(lambda n: n + 1, Types.INT()).execute_and_collect() as found:
        print("two_jobs>", sorted(found))


def noted(name):
    def note(value):
        print(f"without_sinks> {name} {value}", flush=True)
        return value

    return note


@bounded(alone=True, executes=True, order="none")
def without_sinks(env):
    """Operators run without a sink, once, and next to others that have one."""
    numbers = env.from_collection([1, 2], Types.INT())
    numbers.map(noted("branch"))
    numbers.key_by(lambda number: 0).reduce(lambda one, other: noted("reduce")(one + other))
    env.execute("first")
    numbers.map(noted("second"), Types.INT()).print("without_sinks")
    env.execute("second")


class Adding(MapFunction):
    def __init__(self, amount):
        self.amount = amount

    def map(self, value):
        return f"{value} {self.amount}"


@bounded()
def functions_at_their_call(env):
    """A function is what it was when it was given to an operator: loops and later changes do not reach it."""
    numbers = env.from_collection([1, 2], Types.INT())
    found = {}
    for amount in (10, 20, 30):
        found[f"loop {amount}"] = numbers.map(lambda n: n + amount, Types.INT())  # noqa: B023 - as people write it
    function = Adding("before")
    found["changed later"] = numbers.map(function, Types.STRING())
    function.amount = "after"
    return found
