"""Finds a large payment that follows a small one.

Ported by kafkastream port from SmallThenLarge.java.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
from kafkastream.common import Types
from kafkastream.datastream import KeyedProcessFunction, OutputTag, RuntimeContext, StreamExecutionEnvironment
from kafkastream.datastream.state import ValueState, ValueStateDescriptor
from kafkastream.metrics import Counter
from kafkastream.util.java_values import java_rounded, java_text

BROKEN = OutputTag("broken", Types.STRING())


@attrs.define(unsafe_hash=True)
class Payment:
    """Payment of an account."""

    account: str = attrs.field(default=None)
    amount: float = 0.0
    paidAt: int = attrs.field(default=0, eq=False)

    def is_small(self) -> bool:
        return self.amount < 1

    def __str__(self) -> str:
        return f"Payment{{account='{java_text(self.account)}', amount={java_text(self.amount)}}}"


class Detector(KeyedProcessFunction):
    """Remembers for a minute that the last payment was a small one."""

    MINUTE = 60 * 1000
    large: float
    flag: ValueState[bool]
    timer: ValueState[int]
    alerts: Counter

    def __init__(self, large: float) -> None:
        self.large = large

    def open(self, runtime_context: RuntimeContext) -> None:
        self.flag = runtime_context.get_state(ValueStateDescriptor("flag", Types.BOOLEAN()))
        self.timer = runtime_context.get_state(ValueStateDescriptor("timer", Types.LONG()))
        self.alerts = runtime_context.get_metrics_group().counter("alerts")

    def process_element(self, payment: Payment, ctx: KeyedProcessFunction.Context) -> Iterator[Any]:
        if payment.amount < 0:
            yield BROKEN, payment.account
            return
        if self.flag.value() is not None:
            if payment.amount > self.large:
                self.alerts.inc()
                yield f"{java_text(ctx.get_current_key())}: {java_rounded(payment.amount, 2):.2f}"
            self.clean_up(ctx)
        if payment.is_small():
            self.flag.update(True)
            at = ctx.timer_service().current_processing_time() + Detector.MINUTE
            ctx.timer_service().register_processing_time_timer(at)
            self.timer.update(at)

    def on_timer(self, timestamp: int, ctx: KeyedProcessFunction.OnTimerContext) -> None:
        self.timer.clear()
        self.flag.clear()

    def clean_up(self, ctx: KeyedProcessFunction.Context) -> None:
        at = self.timer.value()
        if at is not None:
            ctx.timer_service().delete_processing_time_timer(at)
        self.timer.clear()
        self.flag.clear()


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    payments = env.from_elements(
        Payment("ann", 0.5, 1000), Payment("ben", 700.0, 2000), Payment("ann", 612.25, 3000), Payment("cid", -1.0, 4000)
    )
    alerts = payments.key_by(lambda payment: payment.account).process(Detector(500.0)).name("detector")
    alerts.print("alert")
    alerts.get_side_output(BROKEN).print("broken")
    env.execute("small then large")


if __name__ == "__main__":
    main()
