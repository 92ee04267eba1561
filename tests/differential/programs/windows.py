"""Windows of time and their triggers, lateness and late data."""

from pyflink.common import Duration, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import OutputTag, ProcessWindowFunction
from pyflink.datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    ProcessAllWindowFunction,
    ReduceFunction,
    WindowFunction,
)
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)

from tests.differential.program import bounded, stepped

LATE = OutputTag("late", Types.STRING())
TEN = TumblingEventTimeWindows.of(Time.seconds(10))


class Second(TimestampAssigner):
    """``a@5`` is of the fifth second."""

    def extract_timestamp(self, value, record_timestamp):
        return int(float(value.split("@")[1]) * 1000)


MONOTONOUS = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())


def key_of(line):
    return line.split("@")[0]


class Told(ProcessWindowFunction):
    """Tells the key, the window, its elements, and the watermark where it does not depend on the clock."""

    def __init__(self, with_watermark=True, sorts=False):
        self.with_watermark = with_watermark
        self.sorts = sorts

    def process(self, key, context, elements):
        window = context.window()
        bounds = f"[{window.start},{window.end})" if hasattr(window, "start") else "global"
        watermark = f" w{context.current_watermark()}" if self.with_watermark else ""
        seconds = [element.split("@")[1] for element in elements]
        if self.sorts:
            seconds.sort(key=float)
        yield f"{key} {bounds} {' '.join(seconds)}{watermark}"


def timed(lines, strategy=MONOTONOUS):
    return lines.assign_timestamps_and_watermarks(strategy).key_by(key_of, Types.STRING())


@stepped("a@1 b@3 a@9.999", "a@10", "a@5 b@12", "a@21 b@9 a@20", "b@35")
def tumbling(lines):
    """A window is over when the watermark is at its last millisecond; what is late is dropped."""
    return timed(lines).window(TEN).process(Told(), Types.STRING())


@stepped("a@1", "a@12", "a@3", "a@25", "b@2 a@26", "a@14 a@40")
def tumbling_with_late_data(lines):
    """What is late goes to a side output."""
    result = timed(lines).window(TEN).side_output_late_data(LATE).process(Told(), Types.STRING())
    return {"out": result, "late": result.get_side_output(LATE)}


@stepped("a@1", "a@12", "a@3 a@4", "a@14", "a@5", "a@16 a@6", "a@40", "a@7 a@31")
def allowed_lateness(lines):
    """A late element within the lateness makes its window fire again."""
    windowed = timed(lines).window(TEN).allowed_lateness(5000).side_output_late_data(LATE)
    result = windowed.process(Told(), Types.STRING())
    return {"out": result, "late": result.get_side_output(LATE)}


@stepped("a@1 a@12", "a@13 b@2", "a@30", "b@50")
def tumbling_with_offset(lines):
    return (
        timed(lines)
        .window(TumblingEventTimeWindows.of(Time.seconds(10), Time.seconds(3)))
        .process(Told(), Types.STRING())
    )


@stepped("a@1 a@6", "a@11 b@4", "a@16", "a@30", "b@31")
def sliding(lines):
    return (
        timed(lines)
        .window(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5)))
        .process(Told(), Types.STRING())
    )


@stepped("a@1 a@6", "a@11 b@4", "a@16", "a@33", "b@51")
def sliding_with_gaps_and_offset(lines):
    """The slide is longer than the window."""
    assigner = SlidingEventTimeWindows.of(Time.seconds(4), Time.seconds(6), Time.seconds(1))
    return timed(lines).window(assigner).process(Told(), Types.STRING())


@stepped("a@1 a@3 b@1", "a@9", "a@5", "a@20 b@18", "a@31", "a@60")
def sessions(lines):
    """Sessions that grow together by an element between them."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(6)).with_timestamp_assigner(Second())
    return (
        timed(lines, strategy)
        .window(EventTimeSessionWindows.with_gap(Time.seconds(5)))
        .process(Told(sorts=True), Types.STRING())
    )


class Gap(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return 2000 if element.startswith("a") else 7000


@stepped("a@1 a@2 b@1", "a@5 b@6", "a@20 b@20", "a@40 b@40")
def sessions_with_dynamic_gaps(lines):
    return timed(lines).window(EventTimeSessionWindows.with_dynamic_gap(Gap())).process(Told(), Types.STRING())


@stepped("a@1", "a@10", "a@4", "a@16", "a@12", "a@40", "a@2")
def sessions_with_lateness(lines):
    """A late element may belong to a session that has fired."""
    windowed = timed(lines).window(EventTimeSessionWindows.with_gap(Time.seconds(5)))
    windowed = windowed.allowed_lateness(10000).side_output_late_data(LATE)
    result = windowed.process(Told(), Types.STRING())
    return {"out": result, "late": result.get_side_output(LATE)}


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + int(float(value.split("@")[1]))

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


@stepped("a@1 a@9 a@17", "a@5", "a@13", "a@60")
def merging_sessions_with_aggregates(lines):
    """An element between two sessions makes one of them, with all that both had."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(20)).with_timestamp_assigner(Second())
    windowed = timed(lines, strategy).window(EventTimeSessionWindows.with_gap(Time.seconds(5)))
    return {
        "aggregate": windowed.aggregate(Sum(), Around(), Types.PICKLED_BYTE_ARRAY(), Types.STRING()),
        "reduce": windowed.reduce(lambda a, b: a + "+" + b.split("@")[1]),
        "process": windowed.process(Told(sorts=True), Types.STRING()),
    }


class Around(WindowFunction):
    def apply(self, key, window, inputs):
        yield f"{key} [{window.start},{window.end}) {list(inputs)}"


class Later(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + "+" + value2.split("@")[1] if "+" not in value2 else value2


@stepped("a@1 a@2 b@3", "a@12 b@4", "a@25", "b@26")
def aggregates(lines):
    """aggregate alone and with a function of the window, reduce, apply."""
    windowed = timed(lines).window(TEN)
    return {
        "aggregate": windowed.aggregate(Sum(), output_type=Types.LONG()).map(lambda n: f"x {n}", Types.STRING()),
        "aggregate and window": windowed.aggregate(Sum(), Around(), Types.PICKLED_BYTE_ARRAY(), Types.STRING()),
        "reduce": windowed.reduce(lambda a, b: a + "+" + b.split("@")[1]),
        "reduce and window": windowed.reduce(lambda a, b: a + "+" + b, Around(), Types.STRING()),
        "apply": windowed.apply(Around(), Types.STRING()),
    }


@stepped("a@1 a@2 a@3 b@1", "a@4 b@2", "a@12 b@3", "b@30")
def count_trigger(lines):
    """Fires every two elements, and not at the end of the window."""
    return timed(lines).window(TEN).trigger(CountTrigger.of(2)).process(Told(with_watermark=False), Types.STRING())


@stepped("a@1 a@2 a@3 b@1", "a@4 b@2", "a@12 b@3", "b@30")
def purging_count_trigger(lines):
    return (
        timed(lines)
        .window(TEN)
        .trigger(PurgingTrigger.of(CountTrigger.of(2)))
        .process(Told(with_watermark=False), Types.STRING())
    )


@stepped("a@1", "a@3", "a@5", "b@7", "a@8", "a@14", "b@33")
def continuous_trigger(lines):
    """Fires every three seconds of event time."""
    trigger = ContinuousEventTimeTrigger.of(Time.seconds(3))
    return timed(lines).window(TEN).trigger(trigger).process(Told(), Types.STRING())


@stepped("a@1 a@2 b@1", "a@3 a@4", "b@2 a@5", "b@3")
def global_windows(lines):
    """One window for all time, which fires by a count."""
    return {
        "count": timed(lines)
        .window(GlobalWindows.create())
        .trigger(CountTrigger.of(2))
        .process(Told(with_watermark=False), Types.STRING()),
        "purging": timed(lines)
        .window(GlobalWindows.create())
        .trigger(PurgingTrigger.of(CountTrigger.of(2)))
        .process(Told(with_watermark=False), Types.STRING()),
        "default": timed(lines).window(GlobalWindows.create()).process(Told(with_watermark=False), Types.STRING()),
    }


@stepped("a@1 a@2 b@1", "a@3 a@4 b@2", "a@5 b@3", "b@4 a@6 a@7")
def count_windows(lines):
    keyed = lines.key_by(key_of, Types.STRING())

    return {
        "tumbling": keyed.count_window(3).apply(Counted(), Types.STRING()),
        "sliding": keyed.count_window(4, 2).apply(Counted(), Types.STRING()),
        "reduce": keyed.count_window(2).reduce(lambda a, b: a + "+" + b.split("@")[1]),
    }


class Counted(WindowFunction):
    def apply(self, key, window, inputs):
        yield f"{key} {window.id} {' '.join(inputs)}"


class AllTold(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield f"x [{context.window().start},{context.window().end}) {' '.join(elements)}"


class AllAround(AllWindowFunction):
    def apply(self, window, inputs):
        yield f"x [{window.start},{window.end}) {list(inputs)}"


@stepped("a@1 b@2", "b@12 a@3", "a@14", "a@31")
def windows_of_all(lines):
    stream = lines.assign_timestamps_and_watermarks(MONOTONOUS)
    return {
        "process": stream.window_all(TEN).process(AllTold(), Types.STRING()),
        "apply": stream.window_all(TEN).apply(AllAround(), Types.STRING()),
        "reduce": stream.window_all(TEN).reduce(lambda a, b: a + "+" + b),
        "aggregate": stream.window_all(TEN).aggregate(Sum(), AllAround(), output_type=Types.STRING()),
    }


@bounded()
def windows_at_the_end(env):
    """All windows fire when the input ends, but for those that wait for a count."""
    lines = env.from_collection(["a@1", "b@3", "a@12", "a@4", "b@29"], Types.STRING())
    keyed = timed(lines)
    return {
        "tumbling": keyed.window(TEN).process(Told(), Types.STRING()),
        "sliding": keyed.window(SlidingEventTimeWindows.of(Time.seconds(20), Time.seconds(10))).process(
            Told(), Types.STRING()
        ),
        "sessions": keyed.window(EventTimeSessionWindows.with_gap(Time.seconds(5))).process(Told(), Types.STRING()),
        "count": keyed.window(TEN).trigger(CountTrigger.of(2)).process(Told(with_watermark=False), Types.STRING()),
        "event time": keyed.window(TEN).trigger(EventTimeTrigger.create()).process(Told(), Types.STRING()),
        "never": keyed.window(GlobalWindows.create()).trigger(NeverTrigger()).process(Told(), Types.STRING()),
        "count windows": keyed.count_window(2).apply(Counted(), Types.STRING()),
    }
