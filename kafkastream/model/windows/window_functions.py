"""Window functions: user functions that are called with the elements of a window when it fires."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, NoReturn, Protocol

from typing_extensions import TypeVar

from kafkastream.errors import DefinitionError
from kafkastream.model.common.output_tag import Outputs, SideOutputs
from kafkastream.model.common.stream_functions import Function
from kafkastream.model.functions.process_functions import Timers, TimerService
from kafkastream.model.functions.state_descriptors import StateDescriptor
from kafkastream.model.functions.state_store import CellStore, KeyedStateStore
from kafkastream.model.windows.windows import Window

__all__ = [
    "AllWindowFunction",
    "ProcessAllWindowFunction",
    "ProcessWindowFunction",
    "WindowContext",
    "WindowFunction",
    "WindowStates",
]

IN_contra = TypeVar("IN_contra", contravariant=True, default=Any)
OUT = TypeVar("OUT", default=Any)
KEY = TypeVar("KEY", default=Any)
W = TypeVar("W", bound=Window, default=Any)
W2 = TypeVar("W2", bound=Window, default=Any)
T = TypeVar("T", default=Any)

Results = Iterable[Any] | None


class WindowStates(Timers, Protocol):
    """States of the current key, and of its current window."""

    def cell(self, descriptor: StateDescriptor) -> Any:
        """Return the storage of a state of the key."""

    def window_cell(self, descriptor: StateDescriptor) -> Any:
        """Return the storage of a state of the key and window."""


class WindowContext(SideOutputs, Generic[W]):
    """Window, clock, watermark, state and side outputs; valid during one call.

    Args:
        states: Storage of state.
        merges: Whether the windows may merge.
    """

    def __init__(self, states: WindowStates, *, merges: bool = False) -> None:
        super().__init__()
        self._window: Any = None
        self._time = TimerService(states)
        self._window_state = CellStore(_no_window_cell if merges else states.window_cell)
        self._global_state = CellStore(states.cell)

    def window(self) -> W:
        """Return the window that fires."""
        window: W = self._window
        return window

    def current_processing_time(self) -> int:
        """Return the worker's wall clock, in ms since the epoch."""
        return self._time.current_processing_time()

    currentProcessingTime = current_processing_time

    def current_watermark(self) -> int:
        """Return the operator's watermark, in ms since the epoch."""
        return self._time.current_watermark()

    currentWatermark = current_watermark

    def window_state(self) -> KeyedStateStore:
        """Return the state of this key and window, which ``clear`` must remove.

        Raises:
            DefinitionError: A state is asked for in windows that may merge.
        """
        return self._window_state

    windowState = window_state

    def global_state(self) -> KeyedStateStore:
        """Return the state of this key, shared by all its windows."""
        return self._global_state

    globalState = global_state


def _no_window_cell(descriptor: StateDescriptor) -> NoReturn:
    raise DefinitionError(
        "Per-window state is not allowed when using merging windows.",
        where=f"state {descriptor.name!r}",
        now="Use global_state(), or the state of a trigger, which on_merge can merge.",
    )


class ProcessWindowFunction(Function, ABC, Generic[IN_contra, OUT, KEY, W]):
    """User function called with all elements of a key's window; sees the window, the time and state."""

    class Context(WindowContext[W2]):
        """Window, clock, watermark, state and side outputs; valid during one call."""

    @abstractmethod
    def process(
        self, key: KEY, context: ProcessWindowFunction.Context[W], elements: Iterable[IN_contra]
    ) -> Outputs[OUT]:
        """Yield, or return, the results of a window each time it fires; ``tag, element`` goes to a side output.

        Args:
            key: Key of the elements.
            context: Window, clock, watermark, state and side outputs.
            elements: Elements of the window, or their one aggregate after ``reduce`` or ``aggregate``.
        """

    def clear(self, context: ProcessWindowFunction.Context[W]) -> None:
        """Remove the state of the window (``context.window_state()``); called when the window is over."""


class WindowFunction(Function, ABC, Generic[IN_contra, OUT, KEY, W]):
    """User function called with all elements of a key's window."""

    @abstractmethod
    def apply(self, key: KEY, window: W, inputs: Iterable[IN_contra]) -> Iterable[OUT] | None:
        """Yield, or return, the results of a window each time it fires.

        Args:
            key: Key of the elements.
            window: The window that fires.
            inputs: Elements of the window, or their one aggregate after ``reduce`` or ``aggregate``.
        """


class ProcessAllWindowFunction(Function, ABC, Generic[IN_contra, OUT, W]):
    """User function called with all elements of a window of a stream without keys; sees the window, the time and state."""

    class Context(WindowContext[W2]):
        """Window, clock, watermark, state and side outputs; valid during one call."""

    @abstractmethod
    def process(self, context: ProcessAllWindowFunction.Context[W], elements: Iterable[IN_contra]) -> Outputs[OUT]:
        """Yield, or return, the results of a window each time it fires; ``tag, element`` goes to a side output.

        Args:
            context: Window, clock, watermark, state and side outputs.
            elements: Elements of the window, or their one aggregate after ``reduce`` or ``aggregate``.
        """

    def clear(self, context: ProcessAllWindowFunction.Context[W]) -> None:
        """Remove the state of the window (``context.window_state()``); called when the window is over."""


class AllWindowFunction(Function, ABC, Generic[IN_contra, OUT, W]):
    """User function called with all elements of a window of a stream without keys."""

    @abstractmethod
    def apply(self, window: W, inputs: Iterable[IN_contra]) -> Iterable[OUT] | None:
        """Yield, or return, the results of a window each time it fires.

        Args:
            window: The window that fires.
            inputs: Elements of the window, or their one aggregate after ``reduce`` or ``aggregate``.
        """
