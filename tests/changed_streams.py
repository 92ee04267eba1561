"""A job of several queries, which may be changed between two starts: on Spark and on the test driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from kafkastream import KafkaSource, Types, WatermarkStrategy
from kafkastream.datastream import DataStream, StreamExecutionEnvironment
from kafkastream.datastream.functions import KeyedProcessFunction, RuntimeContext
from kafkastream.datastream.state import ValueStateDescriptor

__all__ = ["ACCEPTED", "CHANGED", "DROPPED", "REFUSED", "Change", "ChangedStreams", "outputs"]

Change = dict[str, Any]
"""What is different in a program, by the name of the choice."""

_IGNORE: Final = {"execution.state-recovery.ignore-unclaimed-state": "true"}
_ACCEPT: Final = {"kafkastream.state-recovery.accept-changed-operators": "true"}

REFUSED: Final[Mapping[str, tuple[Change, str]]] = {
    "A source is removed from a union": (
        {"without b": True},
        r"cannot map the checkpoint's progress of source 'source b' with uid 'uid-b'",
    ),
    "A source gets another uid": (
        {"uid of a": "other"},
        r"progress of source 'source a' with uid 'uid-a' .* which has instead source 'source a' with uid 'other'",
    ),
    "Two queries become one": ({"joined": True}, r"the sources read by one query now were read by 2 queries"),
    "A source reads other topics": ({"topics": {"c": "d"}}, r"the job no longer reads topic"),
    "The type of a key changes": (
        {"key type": Types.PICKLED_BYTE_ARRAY()},
        r"the state of operator 'count' does not fit",
    ),
    "A keyed operator goes, and what is left is a copy": (
        {"copied": True},
        r"cannot map the checkpoint's state of operator with uid 'count'",
    ),
    "Its state is given up, too": (
        {"copied": True, "settings": _IGNORE},
        r"the checkpoint is of a program with keyed operators, and this one has none",
    ),
}

CHANGED: Final[Change] = {"swapped": True, "added": True, "name of e": "another name", "uid of f": "a new uid"}
"""Changes with which the program continues."""

ACCEPTED: Final[Change] = {**CHANGED, "key type": Types.PICKLED_BYTE_ARRAY(), "settings": _ACCEPT}
"""The same, and one that a setting accepts."""

DROPPED: Final[Change] = {**ACCEPTED, "swapped": False, "without b": True, "settings": {**_ACCEPT, **_IGNORE}}
"""The same, and a source is removed, whose progress a setting discards."""


class Count(KeyedProcessFunction[Any, Any, str]):
    """Counts the elements of each key."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.INT()))

    def process_element(self, value: Any, ctx: KeyedProcessFunction.Context) -> Any:
        self.count.update((self.count.value() or 0) + 1)
        yield f"count:{value} {self.count.value()}"


@attrs.frozen
class ChangedStreams:
    """Builds the job.

    Args:
        source: Makes an unbounded source of topics.
        sink: Sink of text.
        topics: Topics by the letters a to g.
    """

    source: Callable[..., KafkaSource[str]]
    sink: Any
    topics: dict[str, str]

    def build(self, env: StreamExecutionEnvironment, change: Change) -> None:
        """Add its streams to an environment."""

        def read(topic: str, name: str = "", uid: str = "") -> DataStream[str]:
            source = self.source(*(self.topics[letter] for letter in change.get("topics", {}).get(topic, topic)))
            stream = env.from_source(source, WatermarkStrategy.no_watermarks(), name or f"source {topic}")
            return stream.uid(uid) if uid else stream

        def write(name: str, stream: DataStream[Any]) -> None:
            stream.map(lambda value: f"{name}:{value}", Types.STRING()).sink_to(self.sink).name(name)

        if change.get("swapped"):
            b, a = read("b", uid="uid-b"), read("a", uid="uid-a")
        else:
            a, b = read("a", uid=change.get("uid of a", "uid-a")), read("b", uid="uid-b")
        union = a if change.get("without b") else (b.union(a) if change.get("swapped") else a.union(b))
        write("union", union)
        c = read("c")
        write("added", c.union(read("d")) if change.get("added") else c)
        e = read("e", name=change.get("name of e", ""))
        f = read("f", uid=change.get("uid of f", ""))
        if change.get("joined"):
            write("both", e.union(f))
        else:
            write("renamed", e)
            write("uid", f)
        g = read("g")
        if not change.get("copied"):
            keyed = g.key_by(lambda value: value[0], change.get("key type", Types.STRING()))
            g = keyed.process(Count(), Types.STRING()).uid("count")
        g.sink_to(self.sink)


def outputs(text: str, added: str = "c") -> list[str]:
    """Return what each query but the keyed one gives for a text that is sent to each topic."""
    groups = {"union": "ab", "added": added, "renamed": "e", "uid": "f"}
    return [f"{group}:{topic}{text}" for group, topics in groups.items() for topic in topics]
