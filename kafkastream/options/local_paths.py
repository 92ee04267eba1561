"""Local paths, given by users as paths or as ``file:`` URLs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["local_path"]


def local_path(text: str) -> Path:
    r"""Return the local path that a path or a ``file:`` URL denotes; on Windows also one with a drive.

    Example:
        >>> local_path("file:///data/my%20jobs/job.py").as_posix(), local_path("jobs/50%25.py").as_posix()
        ('/data/my jobs/job.py', 'jobs/50%25.py')
        >>> local_path(r"C:\jobs\job.py") == Path(r"C:\jobs\job.py")
        True
    """
    url = urlsplit(text)
    return Path(url2pathname(url.path)) if url.scheme == "file" else Path(text)
