"""Paths of Flink's file connectors."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from kafkastream.errors import DefinitionError, UnsupportedFeatureError

__all__ = ["local_path"]


def local_path(text: str, where: str) -> str:
    """Return the absolute path that a path or a ``file:`` URL means.

    Args:
        text: Path or URL, as the user wrote it.
        where: Name of the call, for errors.

    Raises:
        UnsupportedFeatureError: The URL is of another file system.
        DefinitionError: There is no path.

    Example:
        >>> local_path("file:///data/out", "FileSink")
        '/data/out'
    """
    if not text.strip():
        raise DefinitionError("the path is empty", where=where)
    scheme, has_scheme, _ = text.partition("://")
    if not has_scheme:
        scheme, text = ("file", text) if text.startswith("file:/") else ("", text)
    if scheme not in ("", "file"):
        raise UnsupportedFeatureError(
            f"files of {scheme}:// are neither read nor written",
            where=f"{where}({text!r})",
            now="Give a path, or a file:/// URL, on a disk that the driver and all workers share.",
        )
    return str(Path(unquote(urlsplit(text).path) if scheme else text).absolute())
