"""References in option values to environment variables and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from kafkastream.errors import DefinitionError

__all__ = ["resolved_options"]

_REFERENCE: Final = re.compile(r"\$\{(?P<kind>env|file):(?P<name>[^}]*)\}")


def resolved_options(
    options: Mapping[str, str],
    environ: Mapping[str, str],
    where: Callable[[str], str] = "option '{}'".format,
) -> dict[str, str]:
    """Replace ``${env:NAME}`` and ``${file:PATH}`` in options, so that SQL files need not contain secrets.

    A value may have several references and other text; replaced text is not searched for references again. A line end
    at the end of a file is removed. Flink does not have these references.

    Args:
        options: Options as the user wrote them.
        environ: Environment variables.
        where: Returns the position of an option, for errors.

    Raises:
        DefinitionError: A variable is not set, or a file cannot be read.

    Example:
        >>> resolved_options({"properties.ssl.key.password": "${env:PW}"}, {"PW": "secret"})
        {'properties.ssl.key.password': 'secret'}
    """
    return {key: _REFERENCE.sub(partial(_value, environ, where(key)), text) for key, text in options.items()}


def _value(environ: Mapping[str, str], where: str, reference: re.Match[str]) -> str:
    kind, name = reference["kind"], reference["name"]
    if kind == "file":
        return _content(name, where)
    if name not in environ:
        raise DefinitionError(
            f"there is no environment variable {name!r}", where=where, now=f"Set it where the job starts: {name}=…"
        )
    return environ[name]


def _content(path: str, where: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DefinitionError(
            f"the file {path!r} cannot be read: {reason}", where=where, now="Put the value there, where the job starts."
        ) from None
    return re.sub(r"\r?\n\Z", "", text)
