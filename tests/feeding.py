"""Records that a thread of its own writes while a job runs."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Final

from confluent_kafka import Producer
from typing_extensions import Self

__all__ = ["TICK_S", "Feeding"]

_FLUSH_S: Final = 60
TICK_S: Final = 0.1


class Feeding(ABC):
    """Writes to a broker from the beginning of a ``with`` on, until its end or until it is stopped.

    Args:
        servers: The broker.
    """

    def __init__(self, servers: str) -> None:
        settings: dict[str, str | int] = {"bootstrap.servers": servers, "enable.idempotence": "true", "log_level": 0}
        self._producer = Producer(settings)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write, name="feed")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end()

    def _write(self) -> None:
        while not self._over.wait(TICK_S):
            self._tick()
            self._producer.poll(0)

    def _end(self) -> None:
        self._over.set()
        self._thread.join()

    def _flush(self) -> None:
        assert self._producer.flush(_FLUSH_S) == 0

    @abstractmethod
    def _tick(self) -> None:
        """Write what has become due; called every ``TICK_S``."""
