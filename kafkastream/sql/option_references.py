"""Option values that stand elsewhere: in the environment, or in a file."""

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
    """The options with ``${env:NAME}`` and ``${file:PATH}`` replaced, so that SQL files hold no secrets.

    Several may stand in one value, with text around them; what they stand for is not looked into again. A line end at
    the end of a file is left out. Flink lacks it.

    Args:
        options: As the user wrote them.
        environ: The variables.
        where: The place of an option, for errors.

    Raises:
        DefinitionError: There is no such variable, or the file cannot be read.

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
