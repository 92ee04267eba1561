"""Names of folders and files in a checkpoint directory, made from names of jobs, queries and operators."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import chain, count
from typing import Final

__all__ = ["distinct_folder", "fitting", "is_plain_folder", "own_folder", "query_folders", "slug"]

_LONGEST: Final = 240
_LONGEST_OF_QUERY: Final = 220
"""In bytes: files next to the folder have its name and an ending, and Hadoop adds ``.`` and ``.crc`` for checksums."""
_CUT: Final = 200


def own_folder(checkpoint_dir: str, name: str) -> str:
    """Return the path of a job's folder."""
    return f"{checkpoint_dir.rstrip('/')}/{_own_slug(name)}"


def _own_slug(name: str) -> str:
    """Return the folder name of a job, different for any two jobs: "job 1" and "job/1" differ.

    Where a file system ignores case, "orders" and "Orders" have one folder; the job's record in it refuses the second.

    Example:
        >>> _own_slug("orders"), _own_slug("job 1"), _own_slug("job/1"), _own_slug("..")
        ('orders', 'job-1-5ba23c87', 'job-1-cf3e4537', 'job-5ec1f7e7')
    """
    text = slug(name)
    return fitting(text) if text == name else f"{fitting(text)}-{_digest(name)}"


def query_folders(names: Iterable[str]) -> list[str]:
    """Return a folder for each query of a job, by its name; they differ also where a file system ignores case.

    A folder is never called like a file of the job, such as ``job.json``, whose names all end with ``.json``.

    Example:
        >>> query_folders(["Kafka Source", "..", "orders", "Orders", "job.json"])
        ['Kafka-Source', 'job', 'orders', 'Orders_2', 'job.json-query']
    """
    folders: list[str] = []
    for name in names:
        folder = fitting(slug(name), _LONGEST_OF_QUERY)
        folders.append(distinct_folder(f"{folder}-query" if folder.lower().endswith(".json") else folder, folders))
    return folders


def distinct_folder(name: str, taken: Collection[str]) -> str:
    """Return a folder's name, or the first of its numbered forms that differs from those taken by more than case."""
    keys = set(map(_folder_key, taken))
    return next(
        folder
        for folder in chain([name], (f"{name}_{number}" for number in count(2)))
        if _folder_key(folder) not in keys
    )


def _folder_key(name: str) -> str:
    """Return what two names have in common if a file system without case or with normalized Unicode equates them."""
    return unicodedata.normalize("NFKC", name).casefold()


def is_plain_folder(name: str) -> bool:
    """Return whether a name is one part of a path, within its folder."""
    return name not in ("", ".", "..") and not {"/", "\\", "\0"} & set(name)


def fitting(name: str, longest: int = _LONGEST) -> str:
    """Return a name of at most 255 bytes, the limit of file systems; a longer one is cut and gets a digest.

    Args:
        name: A name.
        longest: Number of bytes up to which a name is kept as it is.

    Example:
        >>> fitting("a+b"), len(fitting("+".join(["Collection Source"] * 14)))
        ('a+b', 209)
    """
    whole = name.encode()
    return name if len(whole) <= longest else f"{whole[:_CUT].decode(errors='ignore')}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]


def slug(name: str) -> str:
    """Return a name as a part of a path: never empty, and never ``.`` or ``..``.

    Example:
        >>> slug("job/1"), slug(".."), slug("../.."), slug("v1.0")
        ('job-1', 'job', '..-..', 'v1.0')
    """
    text = re.sub(r"[^\w.+-]+", "-", name).strip("-")
    return text if text.strip(".") else "job"
