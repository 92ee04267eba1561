"""Line below the printed rows of a running query, with its progress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

__all__ = ["line_below"]

_REFRESHES_PER_S: Final = 2


@contextmanager
def line_below(progress: Callable[[], str]) -> Iterator[None]:
    """Show the progress of a query in the last line of the terminal, below what is printed meanwhile.

    Args:
        progress: Returns the present text, empty for none; called in a thread. Without a terminal, it is not called.
    """
    console = Console()
    is_shown = sys.stdout.isatty() and bool(progress())
    live = Live(
        get_renderable=lambda: Text(progress(), no_wrap=True, overflow="ellipsis"),
        console=console,
        transient=True,
        refresh_per_second=_REFRESHES_PER_S,
    )
    with live if is_shown else nullcontext():
        yield
