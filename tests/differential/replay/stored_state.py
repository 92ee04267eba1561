"""Keyed state of a job's operators, from Spark's checkpoint and from the test driver, in one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kafkastream.operators.state.list_segments import APART, LongList
from kafkastream.operators.state.state_pages import StatePages
from kafkastream.operators.state.state_pickles import loads
from kafkastream.operators.state.timers import TimerQueue
from kafkastream.spark.exchange.buckets import bucket_labels
from kafkastream.spark.exchange.keyed_task import state_name
from kafkastream.spark.exchange.map_backend import decompressed
from kafkastream.spark.internals.checkpoints import STATE_FORMAT
from kafkastream.spark.session.query_settings import own_settings
from kafkastream.testing.driver.memory_backend import MemoryBackend

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["shown_state", "state_in_checkpoint"]

_SETTINGS: Final = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    STATE_FORMAT: "2",
}


def state_in_checkpoint(spark: SparkSession, checkpoint: Path, subtasks: int) -> list[MemoryBackend]:
    """Return the state of each subtask, of all stages of a query, from its checkpoint in a local folder."""
    labels = bucket_labels(subtasks)
    states = [MemoryBackend() for _ in labels]
    with own_settings(spark, _SETTINGS):
        for operator in sorted(path.name for path in (checkpoint / "state").iterdir()):
            reader = spark.read.format("statestore").option("operatorId", operator).option("stateVarName", "bytes")
            for row in reader.load(str(checkpoint)).collect():
                states[labels.index(row["key"][0])].content[bytes(row["user_map_key"][0])] = decompressed(
                    bytes(row["user_map_value"][0])
                )
    return states


def shown_state(states: Iterable[MemoryBackend], identities: Iterable[str]) -> dict[str, Any]:
    """Return the state, timers and watermarks of operators as text, by operator, subtask and key."""
    return {
        f"{identity} in {subtask}: {what}": content
        for subtask, state in enumerate(states)
        for identity in identities
        for what, content in _parts(state, state_name(identity))
    }


def _parts(state: MemoryBackend, name: bytes) -> Iterable[tuple[str, Any]]:
    pages = StatePages(state, name + b"k")
    keys = pages.keys()
    for key in keys:
        yield f"key {loads(key) if key else None!r}", _plain(pages.of(key))
    for kind in (b"e", b"p"):
        yield (
            f"timers {kind.decode()}",
            [tuple(map(repr, timer)) for timer in TimerQueue(state, name + kind).fire(2**63)],
        )
    yield "watermark", state.get(name + b"w")


def _plain(content: Any) -> Any:
    """Return an entry with its lists whole."""
    if isinstance(content, Mapping):
        return {repr(name): _plain(value) for name, value in content.items() if name != APART}
    return list(map(repr, content)) if isinstance(content, LongList) else repr(content)
