"""Display of a running job in a notebook, refreshed in place."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, Final

__all__ = ["show_in_place"]

_REFRESH_S: Final = 1.0


def show_in_place(html: Callable[[], str], ended: Future[Any]) -> None:
    """Show a job below the running cell of a notebook, and refresh it there each second until the job has ended.

    Args:
        html: Returns the present state of the job; called in a thread.
        ended: Done when the job has ended.

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
    threading.Thread(
        target=_refresh, args=(handle, first, html, ended), name="kafkastream-notebook", daemon=True
    ).start()


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
