"""Commits the offsets that a query has processed to the consumer groups of its sources."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from concurrent import futures
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import final

from kafkastream.errors import KafkaError
from kafkastream.kafka.background import in_background
from kafkastream.kafka.groups import Group
from kafkastream.kafka.properties import request_timeout_s
from kafkastream.model.connectors.kafka_source import commit_interval_ms
from kafkastream.model.connectors.subscription import TopicPartition
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.plan.source_frames import KafkaInput, SourceInput
from kafkastream.spark.session.key_stores import with_pem_stores

__all__ = ["GroupCommits"]

log = logging.getLogger("kafkastream")

_RENEWAL_S = 24 * 3600.0  # brokers delete offsets after a week (offsets.retention.minutes), also those of a running job


@final
class GroupCommits:
    """Commits one source's offsets to its consumer group in the background; failed commits are counted and logged.

    Only changed offsets are committed, and once a day all of them.

    Args:
        properties: Client properties of the source, with brokers and group id.
        interval_s: Minimum seconds between two commits; the last one is always made.
    """

    def __init__(self, properties: Mapping[str, str], interval_s: float) -> None:
        self.succeeded = 0
        self.failed = 0
        self.committed: Mapping[TopicPartition, int] = {}
        self._properties = properties
        self._group: Group | None = None
        self._interval_s = interval_s
        self._patience_s = request_timeout_s(properties)
        self._wanted: Mapping[TopicPartition, int] = {}
        self._next_at = 0.0
        self._renew_at = 0.0
        self._late_at = math.inf
        self._running: Future[None] | None = None

    @staticmethod
    def of(one: SourceInput, settings: JobSettings) -> GroupCommits | None:
        """Create the committer of a source; None if the job does not commit offsets."""
        if not isinstance(one, KafkaInput):
            return None
        interval = commit_interval_ms(one.source, settings.effective_checkpoint_interval_ms)
        return (
            None if interval is None else GroupCommits(with_pem_stores(one.source.consumer_properties), interval / 1000)
        )

    def reached(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note that all records before these offsets have been processed."""
        self._wanted = offsets

    def commit_if_due(self) -> None:
        """Begin a commit, unless one is running or the interval has not passed."""
        if self._is_running:
            if time.monotonic() >= self._late_at:
                self._late_at = math.inf
                self._failed(f"no answer for {self._patience_s:g} s; it keeps trying")
        elif time.monotonic() >= self._next_at:
            self._start()

    def end(self, wait_s: float = math.inf) -> None:
        """Commit the remaining offsets, and wait for it, at most ``wait_s`` seconds."""
        patience_s = min(wait_s, self._patience_s)
        self._wait(patience_s)
        if not self._is_running:
            self._start()
            self._wait(patience_s)
        if self._is_running:
            self._failed(f"no answer for {patience_s:g} s")
        elif self._group is not None:
            self._group.close()

    @property
    def _is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def _wait(self, patience_s: float) -> None:
        if self._running is not None:
            with suppress(TimeoutError, futures.TimeoutError):
                self._running.result(patience_s)

    def _start(self) -> None:
        now, offsets = time.monotonic(), self._wanted
        is_renewal = now >= self._renew_at
        due = {p: offset for p, offset in offsets.items() if is_renewal or self.committed.get(p) != offset}
        if due:
            self._next_at, self._late_at = now + self._interval_s, now + self._patience_s
            if is_renewal:
                self._renew_at = now + _RENEWAL_S
            self._running = in_background(partial(self._commit, offsets, due), "kafkastream-commits")

    def _commit(self, offsets: Mapping[TopicPartition, int], due: Mapping[TopicPartition, int]) -> None:
        try:
            self._group = self._group or Group(self._properties)
            self._group.commit(due)
        except Exception as error:  # noqa: BLE001 - whatever it is, the job does not depend on it
            self._failed(error.what if isinstance(error, KafkaError) else str(error))
        else:
            self.succeeded += 1
            self.committed = offsets

    def _failed(self, why: str) -> None:
        self.failed += 1
        group = self._properties["group.id"]
        log.warning("offsets were not committed to group %r (the job continues): %s", group, why)
