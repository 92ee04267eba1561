"""Rejected records on a worker: their dead letters, and the checks by which a sink rejects records."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import final

import attrs

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.value_printing import shown
from kafkastream.model.connectors.dead_letter_topics import DeadLetter, SourceRecord, fitting
from kafkastream.model.connectors.record_deserialization import Headers
from kafkastream.model.connectors.record_serialization import ProducerRecord
from kafkastream.model.connectors.record_size import batch_bytes
from kafkastream.secret_masking import redacted
from kafkastream.spark.worker.batches import ElementError
from kafkastream.spark.worker.failures import said

__all__ = ["DeadLetters", "dead_letter"]

_MAX_REQUEST_SIZE = "1048576"
_ASKED_AGAIN_S = 300.0  # metadata.max.age.ms, after which Java's client looks again
_NO_TOPIC = -1


def dead_letter(record: SourceRecord, operator: str, error: ElementError, element: str | None = None) -> DeadLetter:
    """Return the dead letter for a record that failed in an operator."""
    return DeadLetter(record, operator, said(error.__cause__), element)


@final
@attrs.define(eq=False)
class DeadLetters:
    """Dead letters of a sink: rejects records that brokers would refuse, and encodes their dead letters.

    Args:
        sink: Name of the sink.
        topic: Topic of the dead letters.
        client: Client properties of the sink, by Java's names.
    """

    sink: str
    topic: str
    client: FrozenMap[str, str] = attrs.field(converter=FrozenMap[str, str], repr=redacted)
    _knows: Callable[[str], bool] | None = attrs.field(default=None, init=False)
    _topic_limit: Callable[[str], int | None] | None = attrs.field(default=None, init=False)
    _limits: dict[str, tuple[int, float]] = attrs.field(factory=dict, init=False)

    def open(self, knows: Callable[[str], bool], topic_limit: Callable[[str], int | None]) -> None:
        """Prepare.

        Args:
            knows: Returns whether a topic exists.
            topic_limit: Returns ``max.message.bytes`` of a topic; None if it is not known.
        """
        self._knows, self._topic_limit = knows, topic_limit

    def admit(self, topic: str, key: bytes | str | None, value: bytes | str | None, headers: Headers) -> None:
        """Check that the brokers will accept a record.

        Raises:
            ValueError: The record is too large, or its topic does not exist.
        """
        size = batch_bytes(key, value, headers)
        limit = self._limit(topic, size)
        if limit == _NO_TOPIC:
            raise ValueError(f"topic {topic!r} does not exist")
        if size > limit:
            raise ValueError(f"the record has {size:,} bytes, and {limit:,} may be written to topic {topic!r}")

    def letter(self, record: SourceRecord, element: object, error: ElementError) -> ProducerRecord:
        """Return the dead letter for an element of a source record."""
        letter = dead_letter(record, self.sink, error, shown(element)).to_record(self.topic)
        return fitting(letter, partial(self._limit, self.topic))

    def _limit(self, topic: str, size: int) -> int:
        """Return the maximum record size of a topic in bytes; looked up again for a record that would exceed it."""
        limit, asked_at = self._limits.get(topic, (_NO_TOPIC, -_ASKED_AGAIN_S))
        if size > limit and time.monotonic() - asked_at >= _ASKED_AGAIN_S:
            limit = self._asked(topic)
            self._limits[topic] = (limit, time.monotonic())
        return limit

    def _asked(self, topic: str) -> int:
        assert self._knows is not None
        assert self._topic_limit is not None
        if not self._knows(topic):
            return _NO_TOPIC
        own = int(self.client.get("max.request.size", _MAX_REQUEST_SIZE))
        if self.client.get("compression.type", "none") != "none":  # brokers check the compressed size
            return own
        limit = self._topic_limit(topic)
        return own if limit is None else min(own, limit)
