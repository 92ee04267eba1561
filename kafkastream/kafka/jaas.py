"""Parser of ``sasl.jaas.config``: one login module, a flag, options, a semicolon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap

__all__ = ["LoginEntry", "login_entry"]

_PROPERTY = "sasl.jaas.config"
_FLAGS = {"optional", "required", "requisite", "sufficient"}
# As Kafka's JaasConfig sets Java's StreamTokenizer, a bare word cannot begin with a digit, a dot or a hyphen:
# https://github.com/apache/kafka/blob/3.9.2/clients/src/main/java/org/apache/kafka/common/security/JaasConfig.java
_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n\r]*|/\*.*?\*/)"
    r'|"(?P<double>(?:[^"\\\n\r]|\\.)*)"'
    r"|'(?P<single>(?:[^'\\\n\r]|\\.)*)'"
    r"|(?P<word>[A-Za-z_$\u00a0-\U0010ffff][\w$.\u00a0-\U0010ffff-]*)"
    r"|(?P<mark>[=;])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)", re.DOTALL)
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_END = ""


@final
@attrs.frozen
class LoginEntry:
    """Login module and its options.

    Args:
        module: Class name of the login module without its package, since shaded jars relocate it.
        options: Options of the module; they hold secrets.
    """

    module: str
    options: FrozenMap[str, str] = attrs.field(repr=lambda options: repr(sorted(options)))


def login_entry(text: str) -> LoginEntry:
    """Return the only entry of ``sasl.jaas.config``; error messages never quote a value.

    Raises:
        DefinitionError: Java's client would not parse the text, or there is not exactly one entry.

    Example:
        >>> login_entry('org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";')
        LoginEntry(module='PlainLoginModule', options=['password', 'username'])
    """
    tokens = _Tokens(text)
    module = tokens.value("the class of a login module")
    flag = tokens.value("the flag after the login module")
    if flag.lower() not in _FLAGS:
        raise _malformed_error(f"the flag after the login module is not one of {', '.join(sorted(_FLAGS))}")
    options = dict(_read_options(tokens))
    if tokens.kind != _END:
        raise _malformed_error("there is something after the first semicolon; it takes exactly one login module")
    return LoginEntry(module.rpartition(".")[2], FrozenMap(options))


def _read_options(tokens: _Tokens) -> Iterator[tuple[str, str]]:
    while tokens.kind != ";":
        if tokens.kind == _END:
            raise _malformed_error("the semicolon at the end is missing")
        key = tokens.value("the name of an option")
        if tokens.kind != "=":
            raise _malformed_error(
                "the '=' after an option's name is missing"
            )  # without the name in the message: it may be the rest of a broken secret
        tokens.advance()
        yield key, tokens.value(f"the value of option {key!r}")
    tokens.advance()


@final
class _Tokens:
    """Tokens of a text; ``kind`` is the kind of the current token."""

    def __init__(self, text: str) -> None:
        self._remaining = _tokenize(text)
        self.kind, self._text = next(self._remaining)

    def advance(self) -> None:
        self.kind, self._text = next(self._remaining)

    def value(self, wanted: str) -> str:
        """Return the current word or quoted text, and advance; fail with ``wanted`` if it is something else."""
        if self.kind != "value":
            raise _malformed_error(f"{wanted} is missing")
        text = self._text
        self.advance()
        return text


def _tokenize(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _malformed_error(f"character {position + 1} is not allowed there; put values into double quotes")
        position = match.end()
        match match.lastgroup:
            case "double" | "single" as quoted:
                yield "value", _ESCAPE.sub(_unescape, match[quoted])
            case "word":
                yield "value", match["word"]
            case "mark":
                yield match["mark"], ""
            case _:
                pass
    yield _END, ""


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code, 8)) if code[0] in "01234567" else _CONTROLS.get(code, code)


def _malformed_error(problem: str) -> DefinitionError:
    return DefinitionError(
        f"{_PROPERTY} cannot be read: {problem}",
        where=_PROPERTY,
        now='It is written: org.apache.kafka.….PlainLoginModule required username="…" password="…";',
    )
