"""Options of the latency mode under keys of this package; ``execution.buffer-timeout.interval`` switches it on."""

from __future__ import annotations

from typing import Final

from kafkastream.options.option import Option
from kafkastream.options.parsers import millis_of_duration, port_list

__all__ = ["EPOCH", "LATENCY_OPTIONS", "PORT", "TRANSACTION_INTERVAL"]

EPOCH: Final = Option[int](
    key="kafkastream.latency.epoch",
    parse=millis_of_duration,
    default=600_000,
    doc="Length of an epoch of the latency mode: the time after which Spark starts its tasks again; in ms unless it has a unit.",
)
PORT: Final = Option[tuple[int, ...]](
    key="kafkastream.latency.port",
    parse=port_list,
    default=(0,),
    doc="Port, or range such as 50100-50200, of the driver that the tasks of the latency mode connect to; each source takes "
    "the first free one. 0 lets the system choose.",
)
TRANSACTION_INTERVAL: Final = Option[int](
    key="kafkastream.latency.transaction-interval",
    parse=millis_of_duration,
    default=50,
    doc="Time between two transactions of an EXACTLY_ONCE sink in latency mode; in ms unless it has a unit.",
)
LATENCY_OPTIONS: Final = (EPOCH, PORT, TRANSACTION_INTERVAL)
