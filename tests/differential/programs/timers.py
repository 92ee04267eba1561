"""Timers of event time and of processing time."""

from pyflink.common import Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeyedProcessFunction, TimeDomain

from tests.differential.program import bounded, stepped


class Second(TimestampAssigner):
    """``a@5`` is of the fifth second."""

    def extract_timestamp(self, value, record_timestamp):
        return int(float(value.split("@")[1].split("+")[0].split("-")[0]) * 1000)


MONOTONOUS = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())


def key_of(line):
    return line.split("@")[0]


class Timers(KeyedProcessFunction):
    """``a@1+6`` registers a timer for second 6, ``a@1-6`` deletes it."""

    def process_element(self, line, ctx):
        timers = ctx.timer_service()
        rest = line.split("@")[1]
        if "+" in rest:
            timers.register_event_time_timer(int(rest.split("+")[1]) * 1000)
        if "-" in rest:
            timers.delete_event_time_timer(int(rest.split("-")[1]) * 1000)
        yield f"{ctx.get_current_key()} at {ctx.timestamp()}"

    def on_timer(self, timestamp, ctx):
        domain = "event" if ctx.time_domain() == TimeDomain.EVENT_TIME else "processing"
        watermark = ctx.timer_service().current_watermark()
        yield f"{ctx.get_current_key()} timer {timestamp} {domain} {ctx.timestamp()} watermark {watermark}"


def timed(lines):
    return (
        lines.assign_timestamps_and_watermarks(MONOTONOUS)
        .key_by(key_of, Types.STRING())
        .process(Timers(), Types.STRING())
    )


@stepped("a@1+3 b@2+3 a@2+3 a@2+4", "a@3", "b@5-4 a@5+7", "a@6-7 b@6+9 b@6+1", "a@10", "b@3+4 b@11")
def event_time_timers(lines):
    """Timers of several keys, twice the same, deleted, in the past, and by a late element."""
    return timed(lines)


class Chained(KeyedProcessFunction):
    """Registers the next timer in a timer."""

    def process_element(self, line, ctx):
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 1000)

    def on_timer(self, timestamp, ctx):
        if timestamp < 8000:
            ctx.timer_service().register_event_time_timer(timestamp + 2000)
        yield f"{ctx.get_current_key()} {timestamp}"


@stepped("a@1 b@2", "a@4", "b@20", "a@21")
def timers_of_timers(lines):
    """A timer that registers the next, also behind the watermark."""
    return (
        lines.assign_timestamps_and_watermarks(MONOTONOUS)
        .key_by(key_of, Types.STRING())
        .process(Chained(), Types.STRING())
    )


@bounded()
def timers_at_the_end(env):
    """All that is registered fires when the input ends."""
    return timed(env.from_collection(["a@1+3", "b@2+9", "a@2+100", "b@4-9", "b@5+5"], Types.STRING()))
