"""Producer statistics, under the names of the Java producer's metrics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

__all__ = ["PRODUCER_METRICS", "ProducerStatistics"]

_Reader = Callable[[Mapping[str, Any]], float]


def _client_value(name: str) -> _Reader:
    return lambda statistics: float(statistics[name])


def _sum_over_brokers(name: str) -> _Reader:
    return lambda statistics: float(sum(broker[name] for broker in statistics["brokers"].values()))


def _average(windows: Iterable[Mapping[str, float]]) -> float:
    """Return the average of several windows, each with an average and a count."""
    counted = [(window["avg"], window["cnt"]) for window in windows]
    total = sum(count for _, count in counted)
    return sum(average * count for average, count in counted) / total if total else 0.0


def _latency_ms(name: str) -> _Reader:
    """Return a reader of a latency in ms; librdkafka reports µs."""
    return lambda statistics: _average(broker[name] for broker in statistics["brokers"].values()) / 1000


def _average_over_topics(name: str) -> _Reader:
    return lambda statistics: _average(topic[name] for topic in statistics["topics"].values())


def _count_connections(statistics: Mapping[str, Any]) -> float:
    return float(sum(broker["state"] == "UP" for broker in statistics["brokers"].values()))


PRODUCER_METRICS: Mapping[str, _Reader] = {
    "batch-size-avg": _average_over_topics("batchsize"),
    "connection-count": _count_connections,
    "incoming-byte-total": _client_value("rx_bytes"),
    "outgoing-byte-total": _client_value("tx_bytes"),
    "record-error-total": _sum_over_brokers("txerrs"),
    "record-queue-time-avg": _latency_ms("int_latency"),
    "record-retry-total": _sum_over_brokers("txretries"),
    "record-send-total": _client_value("txmsgs"),
    "records-per-request-avg": _average_over_topics("batchcnt"),
    "request-latency-avg": _latency_ms("rtt"),
    "request-total": _client_value("tx"),
    "response-total": _client_value("rx"),
}
"""Java's producer metrics that librdkafka's statistics also have: totals since the start, averages of the last window."""


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
        self._statistics: Mapping[str, Any] | None = None
        self.send_time_ms = 0.0
        """Time that the last records took: in the client's queue, and for the request (Flink's ``currentSendTime``)."""

    def __call__(self, text: str) -> None:
        """Store statistics in JSON; a window without records leaves the send time unchanged."""
        # librdkafka does not escape client.id, which is in the two fields before the type: ``rd_kafka_stats_emit_all`` in
        # https://github.com/confluentinc/librdkafka/blob/v2.16.0/src/rdkafka.c
        _, has_type, rest = text.partition('"type":')
        self._statistics = json.loads(f'{{"type":{rest}' if has_type else text)
        if queue_ms := self.metric("record-queue-time-avg"):
            self.send_time_ms = queue_ms + self.metric("request-latency-avg")

    def metric(self, name: str) -> float:
        """Return one of ``PRODUCER_METRICS``; 0 before the first statistics."""
        return 0.0 if self._statistics is None else PRODUCER_METRICS[name](self._statistics)
