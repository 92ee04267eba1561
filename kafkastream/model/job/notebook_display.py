"""Display of a running job in a notebook, refreshed in place."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, Final

__all__ = ["show_in_place", "shown_while_awaited"]

_REFRESH_S: Final = 1.0
_LAST_REFRESH_S: Final = 5.0


@contextmanager
def shown_while_awaited(html: Callable[[], str], ended: Future[Any]) -> Iterator[None]:
    """Show a job below the cell of a notebook that waits for its end, up to its last state; elsewhere, show nothing.

    Args:
        html: Returns the present state of the job; called in a thread.
        ended: Done when the job has ended.
    """
    refreshes = None
    with suppress(Exception):  # there is no notebook, or it shows nothing, which must not end the job
        refreshes = show_in_place(html, ended)
    yield
    if refreshes is not None:
        refreshes.join(_LAST_REFRESH_S)


def show_in_place(html: Callable[[], str], ended: Future[Any]) -> threading.Thread:
    """Show a job below the running cell of a notebook, and refresh it there each second until the job has ended.

    Args:
        html: Returns the present state of the job; called in a thread.
        ended: Done when the job has ended.

    Returns:
        The thread that refreshes; it ends after it has shown the end of the job.

    Raises:
        NotImplementedError: There is no notebook. On a terminal IPython then shows the object as usual:
            https://ipython.readthedocs.io/en/stable/config/integrating.html#custom-methods
    """
    # Only a caller that has imported IPython shows anything in a notebook; the package does not depend on it.
    ipython = sys.modules.get("IPython")
    if ipython is None or getattr(ipython.get_ipython(), "kernel", None) is None:
        raise NotImplementedError
    first = html()
    handle = ipython.display.display({"text/html": first}, raw=True, display_id=True)
    arguments = (handle, first, html, ended)
    refreshes = threading.Thread(target=_refresh, args=arguments, name="kafkastream-notebook", daemon=True)
    refreshes.start()
    return refreshes


def _refresh(handle: Any, shown: str, html: Callable[[], str], ended: Future[Any]) -> None:
    """Update a display whenever the text has changed, for the last time after the end of the job."""
    has_ended = False
    while not has_ended:
        has_ended = bool(wait([ended], _REFRESH_S).done)
        with suppress(Exception):  # a state that cannot be read, or a notebook that is closed, must not end the job
            present = html()
            if present != shown:
                handle.update({"text/html": present}, raw=True)
                shown = present
