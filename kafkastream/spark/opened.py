"""What a Python worker keeps open between tasks: functions and sinks, as long as the job runs that opened them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

__all__ = ["Opened"]

T = TypeVar("T")


@final
class Opened(Generic[T]):
    """Opened things by the job's start, and by what tells them apart; who takes one puts it back, if it may serve again.

    Example:
        >>> opened = Opened[str]()
        >>> opened.keep("run 1", 7, opened.take("run 1", 7, lambda: "made"))
        >>> opened.take("run 1", 7, lambda: "made again"), opened.take("run 2", 7, lambda: "made anew")
        ('made', 'made anew')
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Any], T] = {}

    def take(self, run_id: str, key: Any, make: Callable[[], T]) -> T:
        """What was kept, or what ``make`` gives; what an earlier start of a job has opened is dropped then."""
        if (run_id, key) in self._kept:
            return self._kept.pop((run_id, key))
        for stale in [other for other in self._kept if other[0] != run_id]:
            del self._kept[stale]
        return make()

    def keep(self, run_id: str, key: Any, thing: T) -> None:
        """Have it at hand for the next task."""
        self._kept[run_id, key] = thing
