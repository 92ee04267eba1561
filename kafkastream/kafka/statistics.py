"""Producer statistics, under the names of the Java producer's metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

__all__ = ["PRODUCER_METRICS", "ProducerStatistics"]

_Read = Callable[[Mapping[str, Any]], float]


def _top(name: str) -> _Read:
    return lambda told: float(told[name])


def _of_brokers(name: str) -> _Read:
    return lambda told: float(sum(broker[name] for broker in told["brokers"].values()))


def _average(windows: Iterable[Mapping[str, float]]) -> float:
    """Return the average of several windows, each with an average and a count."""
    counted = [(window["avg"], window["cnt"]) for window in windows]
    total = sum(count for _, count in counted)
    return sum(average * count for average, count in counted) / total if total else 0.0


def _latency_ms(name: str) -> _Read:
    """Return a reader of a latency, which librdkafka gives in µs."""
    return lambda told: _average(broker[name] for broker in told["brokers"].values()) / 1000


def _of_topics(name: str) -> _Read:
    return lambda told: _average(topic[name] for topic in told["topics"].values())


def _connections(told: Mapping[str, Any]) -> float:
    return float(sum(broker["state"] == "UP" for broker in told["brokers"].values()))


PRODUCER_METRICS: Mapping[str, _Read] = {
    "batch-size-avg": _of_topics("batchsize"),
    "connection-count": _connections,
    "incoming-byte-total": _top("rx_bytes"),
    "outgoing-byte-total": _top("tx_bytes"),
    "record-error-total": _of_brokers("txerrs"),
    "record-queue-time-avg": _latency_ms("int_latency"),
    "record-retry-total": _of_brokers("txretries"),
    "record-send-total": _top("txmsgs"),
    "records-per-request-avg": _of_topics("batchcnt"),
    "request-latency-avg": _latency_ms("rtt"),
    "request-total": _top("tx"),
    "response-total": _top("rx"),
}
"""Java's metrics that librdkafka's statistics have, too: totals since the producer's start, averages of the last window."""


@final
class ProducerStatistics:
    """Last statistics of a producer (librdkafka's ``stats_cb``).

    Example:
        >>> statistics = ProducerStatistics()
        >>> statistics.metric("request-total")
        0.0
        >>> statistics('{"tx": 7, "brokers": {}}')
        >>> statistics.metric("request-total")
        7.0
    """

    def __init__(self) -> None:
        self._told: Mapping[str, Any] | None = None
        self.send_time_ms = 0.0
        """Time that the last records took to be written: in the client's queue, and on the way (Flink's currentSendTime)."""

    def __call__(self, told: str) -> None:
        """Store statistics in JSON; a window without records leaves the send time unchanged."""
        # librdkafka does not escape client.id, which is in the two fields before the type: ``rd_kafka_stats_emit_all`` in
        # https://github.com/confluentinc/librdkafka/blob/v2.16.0/src/rdkafka.c
        _, has_type, rest = told.partition('"type":')
        self._told = json.loads(f'{{"type":{rest}' if has_type else told)
        if queue_ms := self.metric("record-queue-time-avg"):
            self.send_time_ms = queue_ms + self.metric("request-latency-avg")

    def metric(self, name: str) -> float:
        """Return one of ``PRODUCER_METRICS``; 0 before the first statistics."""
        return 0.0 if self._told is None else PRODUCER_METRICS[name](self._told)
