"""Which query of a checkpoint folder a part of a program goes on with, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from kafkastream.errors import DefinitionError
from kafkastream.spark.checkpoint.matching import ContinuedPart, ProgramPart, ProgramSource, continued
from kafkastream.spark.checkpoint.record import PartRecord, SourceRecord

A, B, C = (ProgramSource(name, None, f"topics {name}") for name in "abc")
A_UID, B_UID = (ProgramSource(name, f"uid-{name}", f"topics {name}") for name in "ab")
ITEMS = ProgramSource("items", None, "")


def part(*sources: ProgramSource, sinks: Sequence[str] = ("out",), is_named: bool = True) -> ProgramPart:
    return ProgramPart("+".join(one.name for one in sources), sources, tuple(sinks), is_named)


def recorded(*parts: ContinuedPart, sinks: Sequence[str] = ("out",)) -> tuple[PartRecord, ...]:
    return tuple(
        PartRecord(
            folder=one.folder,
            sources=tuple(
                SourceRecord(key=key, name=source.name, uid=source.uid, reads=source.reads)
                for key, source in zip(one.keys, one.sources, strict=True)
            ),
            sinks=tuple(sinks),
            is_named=one.is_named,
        )
        for one in parts
    )


def restarted(before: Sequence[ProgramPart], now: Sequence[ProgramPart], **options: bool) -> Sequence[ContinuedPart]:
    """Start one program, read from all its sources, and start the other."""
    first = continued(before, (), lambda _: (), ignores_unclaimed=False)
    read: Mapping[str, Sequence[str]] = {one.folder: one.keys for one in first}
    records = tuple(
        record for one, program in zip(first, before, strict=True) for record in recorded(one, sinks=program.sinks)
    )
    return continued(now, records, lambda folder: read.get(folder, ()), ignores_unclaimed=options.get("ignore", False))


@pytest.mark.parametrize(
    ("before", "now", "keys"),
    [
        ((A, B), (A, B), ("a", "b")),
        ((A_UID, B_UID), (B_UID, A_UID), ("uid_b", "uid_a")),
        ((A, B), (B, A), ("b", "a")),
        ((A,), (A, B), ("a", "b")),
        ((A,), (A_UID,), ("a",)),
        ((A_UID,), (A,), ("uid_a",)),
        ((A,), (ProgramSource("renamed", None, "topics a"),), ("a",)),
        ((A,), (ProgramSource("renamed", "a", "topics other"),), ("a",)),
        ((A_UID,), (ProgramSource("renamed", "uid-a", "topics a"),), ("uid_a",)),
        ((A, A), (A, A), ("a", "a_2")),
        ((A, ITEMS), (A,), ("a",)),
    ],
    ids=[
        "unchanged", "swapped with uids", "swapped without uids", "added", "uid added", "uid removed", "renamed",
        "uid of the old name", "renamed with uid", "twins", "collection removed",
    ],
)  # fmt: skip
def test_what_means_the_same_continues(
    before: Sequence[ProgramSource], now: Sequence[ProgramSource], keys: Sequence[str]
) -> None:
    (one,) = restarted([part(*before)], [part(*now)])
    assert one.folder == part(*before).folder
    assert one.keys == keys


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        ([part(A, B)], [part(A)], r"progress of source 'b' \(topics b\)"),
        ([part(A)], [part(B)], r"progress of source 'a' \(topics a\).*instead source 'b' \(topics b\)"),
        ([part(A_UID)], [part(ProgramSource("a", "other", "topics a"))], "with uid 'uid-a'"),
        ([part(A), part(B)], [part(A, B)], "read by one query now were read by 2 queries"),
        ([part(A, B)], [part(A), part(B)], "read by 2 queries now were read by one query"),
        ([part(A)], [part(A, ITEMS)], "'items' .* was added to a query that has read before"),
        ([part(A, B, is_named=False)], [part(B, A, is_named=False)], "Spark identifies sources only by their order"),
        ([part(A)], [part(A, is_named=False)], "Spark identifies sources only by their order"),
        ([part(A), part(B)], [part(A)], r"progress of source 'b'"),
    ],
    ids=["removed", "replaced", "other uid", "joined", "parted", "collection added", "order", "more stages", "query gone"],
)  # fmt: skip
def test_what_would_begin_anew_or_cannot_go_on_is_refused(
    before: Sequence[ProgramPart], now: Sequence[ProgramPart], message: str
) -> None:
    with pytest.raises(DefinitionError, match=f"(?s){message}"):
        restarted(before, now)


def test_progress_that_may_go_is_dropped() -> None:
    (one,) = restarted([part(A, B)], [part(A, C)], ignore=True)
    assert (one.folder, one.keys, one.added, one.dropped) == ("a+b", ("a", "c"), (C,), ("b",))


def test_twin_queries_are_told_apart_by_topics_and_sinks() -> None:
    same, other = ProgramSource("in", None, "topics x"), ProgramSource("in", None, "topics y")
    first, second = restarted([part(same), part(other)], [part(other), part(same)])
    assert [first.folder, second.folder] == ["in_2", "in"]
    to_p, to_q = part(same, sinks=("p",)), part(same, sinks=("q",))
    first, second = restarted([to_p, to_q], [to_q, to_p])
    assert [first.folder, second.folder] == ["in_2", "in"]


def test_names_are_what_spark_takes() -> None:
    sources = [
        ProgramSource("Kafka Source/订单", None, "topics x"),
        ProgramSource("kafkastream_control", None, "topics y"),
    ]
    (one,) = continued([part(*sources)], (), lambda _: (), ignores_unclaimed=False)
    assert one.keys == ("Kafka_Source___", "kafkastream_control_2")
