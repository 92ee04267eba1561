"""Event time in a table: what is written, micro-batch by micro-batch, and what Flink's documents say comes of it.

The rows are independent of each other: each has records of its own, in two partitions, and strategies of its own. All of
them run on the test driver; on Spark those with ``on_spark``, whose micro-batches are common, since one job runs them all
(``scenarios.py``).
"""

from __future__ import annotations

from typing import Final

from kafkastream.common import Duration, Time, Types, WatermarkStrategy
from kafkastream.datastream.window import (
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    PurgingTrigger,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from tests.integration.scenario_operators import (
    RULES,
    TEN_SECONDS,
    All,
    Marks,
    RuledWithoutKeys,
    Told,
    assigned_later,
    broadcast,
    co_group,
    connected,
    counts,
    exclusive_join,
    interval_join,
    second_of,
    timers,
    united,
    window_join,
    windows,
    windows_of_windows,
)
from tests.integration.scenarios import Scenario, Step
from tests.integration.timed import MONOTONOUS, key_of

__all__ = ["SCENARIOS"]

NO_WATERMARKS = WatermarkStrategy.no_watermarks()
BOTH: Final = {"L": MONOTONOUS, "R": MONOTONOUS}

SCENARIOS: Final = (
    Scenario(
        name="tumbling, monotonous: a window is over when the watermark is at its last ms",
        on_spark=True,
        build=windows(TEN_SECONDS, drops=True),
        steps=[
            Step("a@1 a@9.999/1 b@3"),
            Step("tick@9.999"),
            Step("tick@10", out=["a [0,10) 1 9.999 @9.999", "b [0,10) 3 @9.999"]),
            Step("a@5 a@19 a@12 tick@21", out=["a [10,20) 12 19 @19.999"]),
        ],
        dropped=1,
    ),
    Scenario(
        name="bounded out-of-orderness: the watermark stays behind by the bound",
        build=windows(TEN_SECONDS),
        strategies={"L": WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(3))},
        steps=[
            Step("a@5 a@12 tick@12"),
            Step("a@2 tick@12.999"),
            Step("tick@13", out=["a [0,10) 2 5 @9.999"]),
            Step("a@3", late=["a@3"]),
        ],
    ),
    Scenario(
        name="the partition that lags counts",
        on_spark=True,
        build=windows(TEN_SECONDS),
        own_topics=True,
        steps=[
            Step("a@1 a@50"),
            Step("b@2/1"),
            Step("b@11/1", out=["a [0,10) 1 @9.999", "b [0,10) 2 @9.999"]),
            Step("a@52 b@9/1", late=["b@9"]),
            Step("b@61/1", out=["b [10,20) 11 @19.999"]),
        ],
    ),
    Scenario(
        name="an idle partition holds back nobody, and is late when it comes back",
        on_spark=True,
        build=windows(TEN_SECONDS),
        strategies={"L": MONOTONOUS.with_idleness(Duration.of_seconds(1))},
        own_topics=True,
        steps=[
            Step("a@1 a@12", out=["a [0,10) 1 @9.999"]),
            Step("b@2/1", late=["b@2"]),
            Step("a@30", out=["a [10,20) 12 @19.999"]),
            # Both are idle then, so the watermark goes to the highest.
            Step("a@35 b@50/1", out=["a [30,40) 30 35 @39.999"]),
            Step("a@41/1 b@70/1", out=["b [50,60) 50 @59.999"], late=["a@41"]),
        ],
    ),
    Scenario(
        name="a generator of the user's own",
        build=windows(TEN_SECONDS),
        strategies={"L": WatermarkStrategy.for_generator(Marks)},
        steps=[
            Step("a@1 a@30"),
            Step("mark@30 mark@9.998/1"),
            Step("mark@9.999/1", out=["a [0,10) 1 @9.999"]),
            Step("mark@5/1 a@9", late=["a@9"]),
        ],
    ),
    Scenario(
        name="a generator that marks its partition idle",
        on_spark=True,
        build=windows(TEN_SECONDS),
        strategies={"L": WatermarkStrategy.for_generator(Marks)},
        steps=[
            Step("a@1 a@30 mark@30 idle@0/1", out=["a [0,10) 1 @9.999"]),
            Step("mark@35/1"),
            Step("mark@41"),
            Step("mark@40/1", out=["a [30,40) 30 @39.999"]),
        ],
    ),
    Scenario(
        name="no watermarks, no end: nothing fires",
        build=windows(TEN_SECONDS),
        strategies={"L": NO_WATERMARKS},
        steps=[Step("a@1 a@100 tick@200"), Step("a@2")],
    ),
    Scenario(
        name="no watermarks: all fires at the end",
        on_spark=True,
        build=windows(TEN_SECONDS),
        strategies={"L": NO_WATERMARKS},
        own_topics=True,
        bounded=True,
        steps=[Step("a@1 a@12 b@3/1", out=["a [0,10) 1 @9.999", "a [10,20) 12 @19.999", "b [0,10) 3 @9.999"])],
    ),
    Scenario(
        name="the end of bounded input fires all windows",
        build=windows(TEN_SECONDS),
        own_topics=True,
        bounded=True,
        steps=[Step("a@1 a@59 b@3/1", out=["a [0,10) 1 @9.999", "a [50,60) 59 @59.999", "b [0,10) 3 @9.999"])],
    ),
    Scenario(
        name="the end of bounded input fires all timers",
        on_spark=True,
        build=timers,
        own_topics=True,
        bounded=True,
        steps=[
            Step(
                "a@1+5 b@2+100/1 b@3-100/1 b@4+7/1",
                out=["a@1+5 @1", "b@2+100 @2", "b@3-100 @3", "b@4+7 @4"],
                timers=["a 5, watermark the end @5", "b 7, watermark the end @7"],
            )
        ],
    ),
    Scenario(
        name="sliding windows overlap",
        build=windows(SlidingEventTimeWindows.of(Time.seconds(10), Time.seconds(5))),
        steps=[
            Step("a@1 a@7 tick@10", out=["a [-5,5) 1 @4.999", "a [0,10) 1 7 @9.999"]),
            Step("a@4 tick@15", out=["a [5,15) 7 @14.999"], late=["a@4"]),
        ],
    ),
    Scenario(
        name="sessions grow together, also with a late element",
        on_spark=True,
        build=windows(EventTimeSessionWindows.with_gap(Time.seconds(5))),
        steps=[
            Step("a@1 a@9 b@1"),
            Step("a@5.5 tick@6", out=["b [1,6) 1 @5.999"]),
            Step("b@4 b@0.5 c@0.5", late=["c@0.5"]),
            Step("tick@14", out=["a [1,14) 1 5.5 9 @13.999", "b [0.5,9) 0.5 4 @8.999"]),
        ],
    ),
    Scenario(
        name="windows moved by an offset, and an aggregate of their elements",
        build=counts(TumblingEventTimeWindows.of(Time.seconds(10), Time.seconds(2))),
        steps=[Step("a@1 a@8 a@4/1 tick@12", out=["a [-8,2) [1] @1.999", "a [2,12) [2] @11.999"])],
    ),
    Scenario(
        name="aggregates of sessions are merged",
        build=counts(EventTimeSessionWindows.with_gap(Time.seconds(5))),
        steps=[Step("a@1 a@9"), Step("a@5 tick@14", out=["a [1,14) [3] @13.999"])],
    ),
    Scenario(
        name="windows by count fire when they are full",
        build=lambda inputs: inputs.one.key_by(key_of).count_window(3).process(Told(), Types.STRING()),
        steps=[
            Step("a@1 a@2 b@1"),
            Step("a@3 a@4", out=["a 1 2 3"]),
            Step("a@5 a@6 a@7 tick@90", out=["a 4 5 6"]),
        ],
    ),
    Scenario(
        name="sliding windows by count",
        build=lambda inputs: inputs.one.key_by(key_of).count_window(3, 2).process(Told(), Types.STRING()),
        steps=[Step("a@1 a@2"), Step("a@3", out=["a 1 2 3"]), Step("a@4 a@5 a@6", out=["a 3 4 5"])],
    ),
    Scenario(
        name="a global window fires by its trigger and keeps its elements",
        build=windows(GlobalWindows.create(), CountTrigger.of(2)),
        steps=[Step("a@1 b@1"), Step("a@2", out=["a 1 2"]), Step("a@3 a@4", out=["a 1 2 3 4"])],
    ),
    Scenario(
        name="a purging trigger forgets them",
        build=windows(GlobalWindows.create(), PurgingTrigger.of(CountTrigger.of(2))),
        steps=[Step("a@1 b@1"), Step("a@2", out=["a 1 2"]), Step("a@3 a@4", out=["a 3 4"])],
    ),
    Scenario(
        name="a continuous trigger fires every two seconds and at the end",
        build=windows(TEN_SECONDS, ContinuousEventTimeTrigger.of(Time.seconds(2))),
        steps=[
            Step("a@1 a@3 tick@4", out=["a [0,10) 1 3 @9.999"]),
            Step("a@5 tick@10", out=["a [0,10) 1 3 5 @9.999"] * 4),
        ],
    ),
    Scenario(
        name="allowed lateness: each late element fires the window again, until it is forgotten",
        build=windows(TEN_SECONDS, lateness=5000),
        steps=[
            Step("a@1 tick@10", out=["a [0,10) 1 @9.999"]),
            Step("a@2 tick@14.999", out=["a [0,10) 1 2 @9.999"]),
            Step("a@4 tick@15", out=["a [0,10) 1 2 4 @9.999"]),
            Step("a@3", late=["a@3"]),
        ],
    ),
    Scenario(
        name="timers: one for each key and time, deleted ones do not fire, past ones fire with the next watermark",
        on_spark=True,
        build=timers,
        steps=[
            Step("a@1+6 b@1+6 a@1.5+6", out=["a@1+6 @1", "b@1+6 @1", "a@1.5+6 @1.5"]),
            Step("b@2-6 tick@6", out=["b@2-6 @2"]),
            Step("tick@6.001", timers=["a 6, watermark 6 @6"]),
            Step("a@9+3 a@4+20", out=["a@9+3 @9"], late=["a@4+20"]),
            Step("tick@30", timers=["a 3, watermark 29.999 @3", "a 20, watermark 29.999 @20"]),
        ],
    ),
    Scenario(
        name="before 1970",
        build=windows(TEN_SECONDS, zero=0),
        strategies={"L": MONOTONOUS.with_timestamp_assigner(lambda value, _: round(second_of(value) * 1000))},
        steps=[
            Step("a@-12 a@-3"),
            Step("tick@-10", out=["a [-20,-10) -12"]),
            Step("tick@0.001 a@-10", out=["a [-10,0) -10 -3"]),
            Step("a@-1", late=["a@-1"]),
        ],
    ),
    Scenario(
        name="windows without keys",
        build=lambda inputs: inputs.one.window_all(TEN_SECONDS).process(All(), Types.STRING()),
        steps=[Step("a@1 b@2/1"), Step("tick@10", out=["[0,10) a@1 b@2 @9.999"])],
    ),
    Scenario(
        name="union: the topic that lags counts",
        on_spark=True,
        build=united,
        strategies=BOTH,
        steps=[
            Step("L:a@1 L:tick@100"),
            Step("R:b@2 R:tick@10", out=["a [0,10) 1 @9.999", "b [0,10) 2 @9.999"]),
            Step("L:a@99 R:b@3", late=["b@3"]),
        ],
    ),
    Scenario(
        name="connect: the topic that lags counts, and both share state and timers",
        on_spark=True,
        build=connected,
        strategies=BOTH,
        steps=[
            Step("L:a@1 L:tick@50"),
            Step("R:a@2 R:b@3 R:tick@10"),
            Step("R:tick@10.001", timers=["a L1 R2 @10", "b R3 @10"]),
        ],
    ),
    Scenario(
        name="interval join: both bounds belong to it, and the later time is the pair's",
        on_spark=True,
        build=interval_join,
        strategies=BOTH,
        steps=[
            Step(
                "L:a@10 L:b@10 R:a@9 R:a@12 R:a@12.001 R:a@8.999",
                out=["a@10 a@9 @10", "a@10 a@12 @12"],
            ),
            Step("L:tick@12 R:tick@10"),
            Step("R:a@11", out=["a@10 a@11 @11"]),
            Step("tick@20"),
            Step("L:a@15 R:a@14", late=["a@14"]),
        ],
        dropped=1,
    ),
    Scenario(
        name="interval join without its bounds",
        build=exclusive_join,
        strategies=BOTH,
        steps=[Step("L:a@10 R:a@9 R:a@9.001 R:a@11.999 R:a@12", out=["a@10 a@11.999 @11.999", "a@10 a@9.001 @10"])],
    ),
    Scenario(
        name="window join: every pair of a key and window",
        on_spark=True,
        build=window_join,
        strategies=BOTH,
        steps=[
            Step("L:a@1 L:a@11 L:b@1 R:a@2 R:a@3 R:c@1"),
            Step("tick@10", out=["a@1 a@2 @9.999", "a@1 a@3 @9.999"]),
        ],
    ),
    Scenario(
        name="co-group: also what is alone",
        build=co_group,
        strategies=BOTH,
        steps=[
            Step("L:a@1 L:b@1 R:a@2 R:a@3"),
            Step("tick@10", out=["['a@1'] ['a@2', 'a@3'] @9.999", "['b@1'] [] @9.999"]),
        ],
    ),
    Scenario(
        name="broadcast state is there for every key, and its stream's watermark counts",
        on_spark=True,
        build=broadcast,
        strategies=BOTH,
        steps=[
            Step("R:a@5 L:tick@9"),
            Step("R:tick@7"),
            Step("L:a@10 L:b@10/1", out=["a@10 a@5, watermark 6.999 @10", "b@10 None, watermark 6.999 @10"]),
            Step("R:a@8 R:b@8/1"),
            Step("L:a@11 L:b@11/1", out=["a@11 a@8, watermark 7.999 @11", "b@11 b@8, watermark 7.999 @11"]),
        ],
    ),
    Scenario(
        name="broadcast state without keys",
        on_spark=True,
        build=lambda inputs: (
            inputs["L"].connect(inputs["R"].broadcast(RULES)).process(RuledWithoutKeys(), Types.STRING())
        ),
        strategies=BOTH,
        steps=[
            Step("R:a@5"),
            Step("L:a@1 L:b@1/1", out=["a@1 a@5 @1", "b@1 None @1"]),
            Step("R:a@6/1 R:b@6"),
            Step("L:a@2 L:b@2/1", out=["a@2 a@6 @2", "b@2 b@6 @2"]),
        ],
    ),
    Scenario(
        name="timestamps that are assigned anew count",
        on_spark=True,
        build=assigned_later,
        steps=[Step("a@0.1 a@0.9/1 tick@2"), Step("b@1 b@1/1", out=["a [0,10) 0.1 0.9 @9.999"])],
    ),
    Scenario(
        name="windows of windows: nothing is late on its way from one to the other",
        on_spark=True,
        build=windows_of_windows,
        steps=[Step("a@1 a@6 tick@5"), Step("tick@10", out=["a [0,10) 1 6 @9.999"]), Step("a@11 tick@11")],
    ),
)
