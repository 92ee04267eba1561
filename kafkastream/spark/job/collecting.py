"""Iterator over the elements that a running job collects, for the program that has started it."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, final

from typing_extensions import Self

from kafkastream.metrics.standing import Standing
from kafkastream.spark.job.running_job import Job
from kafkastream.spark.session.signals import interruptible

__all__ = ["CollectedElements"]

_ROOM = 100_000
_POLL_S = 0.1
_MORE_S = 2.0


@final
class CollectedElements:
    """Iterates over the collected elements of a job while it runs; ``close`` cancels the job."""

    def __init__(self) -> None:
        self._elements: queue.Queue[Any] = queue.Queue(_ROOM)
        self._peeked: deque[Any] = deque()
        self._job: Job | None = None

    def follow(self, job: Job) -> None:
        """End the iteration when ``job`` ends."""
        self._job = job

    def put(self, elements: Iterable[Any]) -> None:
        """Add elements; blocks until the program has taken earlier ones."""
        for element in elements:
            while not self._try_put(element):
                if self._job is not None and self._job.stopping.is_set():
                    return

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._peeked:
            return self._peeked.popleft()
        with suppress(queue.Empty):
            return self._elements.get_nowait()
        with interruptible():
            return self._awaited()

    def _awaited(self) -> Any:
        """Wait for the next element."""
        while True:
            try:
                return self._elements.get(timeout=_POLL_S)
            except queue.Empty:
                if self._job is not None and self._is_exhausted:
                    self._job.finished.result()
                    raise StopIteration from None

    def next(self) -> Any:
        """Return the next element; raises ``StopIteration`` when the job has ended."""
        return self.__next__()

    def peek(self, count: int, patience_s: float) -> tuple[Sequence[Any], bool]:
        """Return the first elements, which stay to be iterated over, and whether these are all.

        Args:
            count: Maximum number of elements.
            patience_s: Maximum time to wait for the first one, in s; more are awaited for 2 s.

        Raises:
            KeyboardInterrupt: Ctrl-C came, and the job has been cancelled.
        """
        try:
            with interruptible():
                self._peek(count, patience_s)
        except KeyboardInterrupt:
            self.close()
            raise
        return tuple(islice(self._peeked, count)), self._is_exhausted and len(self._peeked) <= count

    def _peek(self, count: int, patience_s: float) -> None:
        until = time.monotonic() + patience_s
        while len(self._peeked) < count and not self._is_exhausted and time.monotonic() < until:
            with suppress(queue.Empty):
                self._peeked.append(self._elements.get(timeout=_POLL_S))
                until = min(until, time.monotonic() + _MORE_S)

    @property
    def _is_exhausted(self) -> bool:
        return self._job is not None and self._job.finished.done() and self._elements.empty()

    def standing(self) -> Standing | None:
        """Return the progress of the job's sources; None if there is none yet."""
        return None if self._job is None else self._job.standing()

    def close(self) -> None:
        """Cancel the job and wait until it has stopped."""
        if self._job is not None and not self._job.finished.done():
            self._job.cancel().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _try_put(self, element: Any) -> bool:
        try:
            self._elements.put(element, timeout=_POLL_S)
        except queue.Full:
            return False
        return True
