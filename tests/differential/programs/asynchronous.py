"""Asynchronous functions: order, results, timeouts, retries, event time."""

import asyncio

from pyflink.common import Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import AsyncDataStream, AsyncFunction, KeyedProcessFunction
from pyflink.datastream.functions import AsyncRetryPredicate, AsyncRetryStrategy

from tests.differential.program import bounded, stepped

SECONDS = Time.seconds(10)


class Times(AsyncFunction):
    """As many results as the number says; the greater, the sooner."""

    async def async_invoke(self, value):
        await asyncio.sleep(0.3 - 0.1 * value)
        return [f"{value}.{number}" for number in range(value)]


@bounded()
def ordered(env):
    return AsyncDataStream.ordered_wait(
        env.from_collection([1, 2, 0, 3, 1], Types.INT()), Times(), SECONDS, 10, Types.STRING()
    ).map(lambda text: f"all {text}", Types.STRING())


@bounded(order="none")
def unordered(env):
    return AsyncDataStream.unordered_wait(
        env.from_collection([1, 2, 0, 3, 1], Types.INT()), Times(), SECONDS, 10, Types.STRING()
    )


class Slow(AsyncFunction):
    """Odd numbers take too long."""

    async def async_invoke(self, value):
        if value % 2:
            await asyncio.sleep(60)
        return [("in time", value)]

    def timeout(self, value):
        return [("too late", value), ("told", value)]


@bounded()
def timeouts(env):
    return AsyncDataStream.ordered_wait(
        env.from_collection([1, 2, 3, 4], Types.INT()),
        Slow(),
        Time.seconds(1),
        10,
        Types.TUPLE([Types.STRING(), Types.INT()]),
    )


class Trying(AsyncFunction):
    """Raises at the first attempts, and then gives too little."""

    def open(self, runtime_context):
        self.attempts = {}

    async def async_invoke(self, value):
        attempt = self.attempts[value] = self.attempts.get(value, 0) + 1
        if attempt <= value:
            raise ValueError(f"attempt {attempt}")
        return [] if attempt == value + 1 else [f"{value} after {attempt}"]

    def timeout(self, value):
        return [f"{value} never"]


def retries(strategy):
    def program(env):
        return AsyncDataStream.ordered_wait_with_retry(
            env.from_collection([0, 1, 2], Types.INT()), Trying(), Time.seconds(5), strategy, 10, Types.STRING()
        )

    return program


@bounded()
def retries_after_fixed_delays(env):
    strategy = AsyncRetryStrategy.fixed_delay(5, 50, lambda results: not results, lambda error: True)
    return retries(strategy)(env)


@bounded()
def retries_after_growing_delays(env):
    strategy = AsyncRetryStrategy.exponential_backoff(
        5, 20, 100, 2.0, lambda results: not results, lambda error: isinstance(error, ValueError)
    )
    return retries(strategy)(env)


@bounded()
def retries_that_are_used_up(env):
    """The last attempt's results count, also if they are to be tried again."""
    strategy = AsyncRetryStrategy.fixed_delay(2, 50, lambda results: not results, lambda error: True)
    numbers = env.from_collection([0, 1], Types.INT())
    return AsyncDataStream.ordered_wait_with_retry(numbers, Trying(), SECONDS, strategy, 10, Types.STRING())


class Own(AsyncRetryStrategy):
    """A strategy of one's own, with a predicate of one's own."""

    def can_retry(self, current_attempts):
        return current_attempts < 4

    def get_backoff_time_millis(self, current_attempts):
        return 10 * current_attempts

    def get_retry_predicate(self):
        return Failed()


class Failed(AsyncRetryPredicate):
    def result_predicate(self):
        return lambda results: not results

    def exception_predicate(self):
        return lambda error: "attempt" in str(error)


@bounded()
def retries_of_ones_own(env):
    return retries(Own())(env)


class Failing(AsyncFunction):
    async def async_invoke(self, value):
        raise ValueError(value)


class Late(AsyncFunction):
    """Does not know what to do when it takes too long."""

    async def async_invoke(self, value):
        await asyncio.sleep(60)


class Giving(AsyncFunction):
    def __init__(self, given):
        self.given = given

    async def async_invoke(self, value):
        return self.given


@bounded(alone=True)
def failing(env):
    return AsyncDataStream.ordered_wait(env.from_collection([1], Types.INT()), Failing(), SECONDS, 2, Types.STRING())


@bounded(alone=True)
def failing_at_the_timeout(env):
    numbers = env.from_collection([1], Types.INT())
    return AsyncDataStream.unordered_wait(numbers, Late(), Time.seconds(1), 2, Types.STRING())


@bounded(alone=True)
def giving_none(env):
    numbers = env.from_collection([1], Types.INT())
    return AsyncDataStream.ordered_wait(numbers, Giving(None), SECONDS, 2, Types.STRING())


@bounded(alone=True)
def giving_no_list(env):
    numbers = env.from_collection([1], Types.INT())
    return AsyncDataStream.ordered_wait(numbers, Giving("ab"), SECONDS, 2, Types.STRING())


@bounded()
def declared_rows(env):
    """Results become values of the declared type."""
    row = Types.ROW_NAMED(["w", "n"], [Types.STRING(), Types.FLOAT()])
    numbers = env.from_collection([1], Types.INT())
    return AsyncDataStream.ordered_wait(numbers, Giving([Row(n=1.1, w="a"), Row("b", 2.2)]), SECONDS, 2, row).map(
        lambda row: f"{row.w} {row!r}", Types.STRING()
    )


@bounded(order="none")
def many_elements(env):
    """More elements than may be in flight."""
    numbers = env.from_collection(list(range(200)), Types.INT())
    return AsyncDataStream.unordered_wait(numbers, Doubling(), SECONDS, 7, Types.INT())


class Doubling(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.01)
        return [value * 2]


class Second(TimestampAssigner):
    """``a@5`` is of the fifth second."""

    def extract_timestamp(self, value, record_timestamp):
        return int(value.split("@")[1]) * 1000


class Asking(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(0.05)
        return [value, f"{value}!"]


class Watching(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield f"{value} at {ctx.timestamp()} watermark {ctx.timer_service().current_watermark()}"


@stepped("a@1 a@2", "a@5", "b@3 a@4", "b@9", "a@1")
def event_time(lines):
    """Results have the time of their element; the watermark is that of the elements before."""
    timed = lines.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    )
    asked = AsyncDataStream.ordered_wait(timed, Asking(), SECONDS, 10, Types.STRING())
    return asked.key_by(lambda value: value[0], Types.STRING()).process(Watching(), Types.STRING())
