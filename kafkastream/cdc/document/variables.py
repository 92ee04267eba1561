"""Variables of a document: ``${name}`` and ``${secret_values.name}``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, final
from urllib.parse import quote

import attrs

from kafkastream.cdc.document.tree import parse_tree
from kafkastream.cdc.spec.section import MapNode, Node, Scalar
from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import MASK, Secret, is_secret, redacted
from kafkastream.sql.option_references import resolved_options
from kafkastream.sql.table_options import did_you_mean

__all__ = ["Variables", "read_text", "variables_of_file"]

_REFERENCE: Final = re.compile(r"\$(?P<literal>\$)?\{(?P<name>[^{}\n]*)\}")
_SECRETS: Final = "secret_values."
_OF_SQL: Final = ("env:", "file:")
_SHORTEST_MASKED: Final = 3


@final
@attrs.define
class Variables:
    """Values of variables, and the secrets among those that have been substituted.

    Args:
        given: Values by name, which take precedence.
        environ: Environment, in which ``kafka.topic`` is also found as ``KAFKA_TOPIC``; by default, the process's.

    Example:
        >>> variables = Variables({"kafka.topic": "orders", "secret_values.pw": "1234"}, {})
        >>> variables.resolve("${kafka.topic}-in", "job.yaml"), variables.resolve("${secret_values.pw}", "job.yaml")
        ('orders-in', '***')
    """

    given: Mapping[str, str] = attrs.field(factory=FrozenMap, converter=FrozenMap[str, str], repr=redacted)
    environ: Mapping[str, str] = attrs.field(factory=lambda: os.environ, repr=False)
    secrets: set[str] = attrs.field(init=False, factory=set, repr=False)

    def resolve(self, text: str, where: str) -> str:
        """Substitute the references in a text; ``$${name}`` becomes ``${name}``.

        Args:
            text: Scalar of the document.
            where: Position of the scalar, for errors.

        Returns:
            Text after substitution; a ``Secret`` if it contains a secret.

        Raises:
            DefinitionError: A variable has no value.
        """
        hides = False
        parts: list[str] = []
        end = 0
        for reference in _REFERENCE.finditer(text):
            value = reference[0][1:] if reference["literal"] else self._value(reference["name"], where)
            hides = hides or isinstance(value, Secret)
            parts += text[end : reference.start()], value
            end = reference.end()
        if not parts:
            return text
        resolved = "".join((*parts, text[end:]))
        return Secret(resolved) if hides else resolved

    def masked(self, text: str) -> str:
        """Replace secrets in a text by ``***``, also as literals and URLs spell them."""
        spellings = {spelled for secret in self.secrets for spelled in _spellings(secret)}
        for spelled in sorted(spellings, key=len, reverse=True):
            text = text.replace(spelled, MASK)
        return text

    def _value(self, name: str, where: str) -> str:
        if name.startswith(_OF_SQL):
            value: str | None = resolved_options({where: f"${{{name}}}"}, self.environ, str)[where]
        else:
            value = self._found(name)
        if value is None:
            raise DefinitionError(f"undefined variable {name!r}", where=where, now=self._now(name))
        if not name.startswith((_SECRETS, *_OF_SQL)) and not is_secret(name):
            return value
        if len(value) >= _SHORTEST_MASKED:
            self.secrets.add(value)
        return Secret(value)

    def _found(self, name: str) -> str | None:
        if name in self.given:
            return self.given[name]
        return self.environ.get(name, self.environ.get(_environment_name(name)))

    def _now(self, name: str) -> str:
        if guess := did_you_mean(name, self.given):
            return guess
        setting = "" if name.startswith(_SECRETS) else f"by --set {name}=…, "
        return f"Give it {setting}in a file of variables, or as the environment variable {_environment_name(name)}."


def _spellings(secret: str) -> tuple[str, ...]:
    return secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], secret.replace("'", "''"), quote(secret, safe="")


def _environment_name(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()


def variables_of_file(path: Path) -> Mapping[str, str]:
    """Read a file of variables: a YAML mapping, whose nested names are joined by dots.

    Raises:
        DefinitionError: The file cannot be read, or is not a mapping.
    """
    tree = parse_tree(read_text(path), str(path), lambda text, _: text)
    return FrozenMap(dict(_flat(tree, "", str(path))))


def _flat(node: Node, name: str, file: str) -> Iterator[tuple[str, str]]:
    match node:
        case MapNode():
            for key, entry in node.entries.items():
                yield from _flat(entry.node, f"{name}.{key}" if name else key, file)
        case Scalar(is_null=False):
            yield name, node.text
        case _:
            raise DefinitionError(
                f"the variable {name!r} has a value that is not text", where=f"{file}, {node.position}"
            )


def read_text(path: Path) -> str:
    """Read a text file.

    Raises:
        DefinitionError: The file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DefinitionError(f"the file cannot be read: {reason}", where=str(path)) from None
