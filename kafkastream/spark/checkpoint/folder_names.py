"""Names of folders and files in a checkpoint directory, made from names of jobs, queries and operators."""

from __future__ import annotations

import hashlib
import re
from typing import Final

__all__ = ["fitting", "own_folder", "slug"]

_LONGEST: Final = 240
_CUT: Final = 200


def own_folder(checkpoint_dir: str, name: str) -> str:
    """Return the path of a job's folder."""
    return f"{checkpoint_dir.rstrip('/')}/{_own_slug(name)}"


def _own_slug(name: str) -> str:
    """Return the folder name of a job, different for any two jobs: "job 1" and "job/1" differ.

    Example:
        >>> _own_slug("orders"), _own_slug("job 1"), _own_slug("job/1")
        ('orders', 'job-1-5ba23c87', 'job-1-cf3e4537')
    """
    text = slug(name)
    return fitting(text) if text == name else f"{fitting(text)}-{_digest(name)}"


def fitting(name: str) -> str:
    """Return a name of at most 255 bytes, the limit of file systems; a longer one is cut and gets a digest.

    Example:
        >>> fitting("a+b"), len(fitting("+".join(["Collection Source"] * 14)))
        ('a+b', 209)
    """
    whole = name.encode()
    return name if len(whole) <= _LONGEST else f"{whole[:_CUT].decode(errors='ignore')}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def slug(name: str) -> str:
    """Return a name as a part of a path."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "job"
