"""Masks secrets in all text that leaves a program: errors, logs, ``repr``, the job page, plans, the shell's history.

A secret is the value of a property whose name says so (``is_secret``), the user's part of a URL, the credentials of an
``Authorization`` header, and a private key in PEM format. In free text the end of a value is a guess: the next property, the
closing quote or the end of the line; what is in doubt is masked. Masking takes linear time, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, final

__all__ = [
    "HIDDEN_IN_URLS",
    "HIDDEN_KEYS",
    "MASK",
    "Secret",
    "is_secret",
    "masked",
    "masked_part",
    "masked_statement",
    "masked_value",
    "redacted",
    "secret_spans",
    "shown_text",
]

MASK: Final = "***"

# Flink's names are those of GlobalConfiguration.SENSITIVE_KEYS; Kafka, Hadoop and JSON spell them with other separators:
# https://github.com/apache/flink/blob/release-2.2.1/flink-core/src/main/java/org/apache/flink/configuration/GlobalConfiguration.java
HIDDEN_KEYS: Final = (
    r"(?i)password|secret|account[._-]?key|api[._-]?key|auth[._-]params|service[._-]key|token|basic-auth|jaas[._-]config"
    r"|http[._-]headers|passphrase|passwd|credential|basic[._]auth[._]user[._]info|\.pem|ssl[._]keystore[._]key"
    r"|ssl[._]keystore[._]certificate[._]chain|private[._-]?key|access[._-]?key|(?<![a-z])(?:pass|pwd)(?![a-z])"
)
"""Regular expression, for Python and for Java, of the names of properties with secret values."""

HIDDEN_IN_URLS: Final = r"(?<=://)[^/\s'\"]{1,2000}(?=@)|(?i)(?<=[?&;](?:ssl)?password=)[^&;\s'\"]+"
"""Regular expression, for Java, of the secrets of URLs in texts of Spark."""

Span: TypeAlias = tuple[int, int]

# Every repetition of one of these expressions is bounded, or ends at a character that the next search begins behind:
# otherwise a text without secrets could take quadratic time.
_KEY: Final = re.compile(HIDDEN_KEYS)
_LOWER_KEY: Final = re.compile(HIDDEN_KEYS.removeprefix("(?i)"))
_LETTERS_OF_KEY: Final = r"[\w.-]{0,99}"
_BEGIN_OF_KEY: Final = re.compile(rf"{_LETTERS_OF_KEY}\Z")
_LONGEST_KEY: Final = 99
# What is between a key and its value: the rest of the key, then "=", ":" or Scala's "->".
_SEPARATOR: Final = re.compile(
    rf"{_LETTERS_OF_KEY}(?P<quote>\\?['\"`]?)[^\S\n]{{0,99}}(?:==?|->|(?P<colon>:(?![/:])))(?:\s{{0,99}}(?=['\"])|[^\S\n]{{0,99}})"
)
# The same in SQL that may be mistyped: "=" or a quote, whatever else is there.
_MISTYPED: Final = re.compile(rf"{_LETTERS_OF_KEY}(?:\W{{0,99}}?=\s{{0,99}}|[^\w\n]{{0,99}}?['\"]\s{{0,99}})")
# "TokenException: ..." and "invalid token: ..." introduce a reason; "token: ..." at the beginning of a line is YAML.
_EXCEPTION: Final = re.compile(r"(?:Exception|Error|Failure)\Z")
_REASON: Final = re.compile(r"(?i)tokens?|credentials?|pass")
_BEGINS_ITEM: Final = re.compile(r"(?:^|[\n{\[,-])[^\S\n]{0,99}\Z")

_PAIR: Final = r"['\"`]?[\w.-]{1,99}['\"`]?\s{0,9}(?:=|->|:\s)"
_DOUBLED_QUOTES: Final = re.compile(r"'[^']*(?:''[^']*)*'|\"[^\"]*(?:\"\"[^\"]*)*\"")
_ESCAPED_QUOTES: Final = re.compile(r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"", re.DOTALL)
# What can follow a quoted value; another quote belongs to a password, in which it is not escaped.
_AFTER_QUOTE: Final = re.compile(
    r"\s{0,99}(?:[,;)\]}&]|--|/\*|\*/|\Z|'[\w.-]{1,99}'\s{0,9}=|[\w.-]{1,99}=)|[^\S\n]{0,99}\n"
)
_TO_NEXT_PAIR: Final = re.compile(rf"[^\n]*?(?=[,;&\s]\s{{0,9}}{_PAIR}|[)\]}}]{{0,9}}(?:\n|\Z))")
_WHOLE_TO_NEXT_PAIR: Final = re.compile(rf".*?(?=[,;&\s]\s{{0,9}}{_PAIR}|\Z)", re.DOTALL)
# A parameter of a URL ends at the next one, at white space, or where what surrounds the URL begins.
_OF_QUERY: Final = re.compile(
    r"[^\s&]*?(?=[)\]}>,;'\"]{0,9}(?:\s|\Z)|['\"][,;:)\]}]|&)(?:&(?![\w.%-]{1,99}=)[^\s&'\"]*)*"
)
_LINE: Final = re.compile(r"(?:'[^']*(?:''[^']*)*')?[^\n]*")
# In a value of SQL that contains properties itself, such as a URL with a query: the next property, or the closing quote.
_LITERAL: Final = re.compile(r"[^'&]*(?:(?:''|&(?![\w.-]{1,99}=))[^'&]*)*")
_IN_LITERAL: Final = re.compile(r"=\s{0,99}'[^'\n]*\Z")
_FAR: Final = 200
# Blocks of PEM, one after the other, whose lines may be joined by "\\n" as text.
_BLOCKS: Final = re.compile(
    r"['\"]?(?:-----BEGIN [^-\n]{0,99}-----.*?(?:-----END [^-\n]{0,99}-----|\Z)(?:\\n|\s){0,9}['\"]?)+", re.DOTALL
)
_LONGEST_JAAS: Final = 4_000
# https://docs.oracle.com/en/java/javase/17/docs/api/java.base/javax/security/auth/login/Configuration.html
_JAAS: Final = re.compile(r"[^\";]*(?:\"[^\"\\]*(?:\\.[^\"\\]*)*\"[^\";]*)*;", re.DOTALL)
_VISIBLE: Final = re.compile(
    r"(?P<quote>['\"])?(?:\*\*\*|…|\$\{[^{}'\"\n]{1,200}\})(?(quote)(?P=quote)(?!(?P=quote)))(?=['\"&,;)\]}\s]|\Z)|(?=\n|\Z)"
)
"""Values that say nothing: a mask, a placeholder, a reference to a variable, nothing."""
_MASKS: Final = (MASK, "…")

_MASKED: Final = 64_000
"""Characters of a long text that are masked before it is cut: more than is shown, since the name of a secret may be cut off."""

# What surrounds a mask may read as a secret that it was not before; a text that passes several doors is masked at each.
_MASKINGS: Final = 5
_LONGEST_REMARK: Final = 40
_BEFORE_PARAMETER: Final = ("?", "&", ";")

_PRIVATE_KEY: Final = re.compile(
    r"(?<=-----BEGIN )(?P<secret>[A-Z ]{0,40}PRIVATE KEY-----.*?)(?=-----END |\Z)", re.DOTALL
)
_HEADER: Final = re.compile(
    # Schemes of https://www.iana.org/assignments/http-authschemes/ with credentials that can be used again.
    r"(?<=[Aa]uthorization)['\"]?\s{0,9}[:=]\s{0,9}['\"]?(?i:basic|bearer|token|negotiate|apikey)\s{1,9}"
    r"(?P<secret>[^\s,;'\"]+)"
)
_SIGNATURE: Final = re.compile(r"(?i)(?<=[?&])(?:sig|x-amz-signature)=(?P<secret>[^&\s'\"]+)")
_URL_USER: Final = re.compile(
    # The user's part ends at the last "@" before the path; a password that is not percent-encoded may contain "/". What
    # follows the colon may be a port instead.
    r"(?<=://)(?P<secret>[^/\s]*|[^/\s:@]*:(?!\d{1,5}(?:[/?,;\s'\"]|\Z))(?:(?!://)[^\n]){0,2000})@"
)
_WHOLE_URL_USER: Final = re.compile(
    r"(?<=://)(?P<secret>[^/?]*|[^/\s:@]*:(?!\d{1,5}(?:[/?]|\Z))(?:(?!://).){0,2000})@", re.DOTALL
)
_ORACLE_USER: Final = re.compile(r"(?<=jdbc:oracle:)(?:thin|oci):(?P<secret>[^\s/@:]{1,200}/[^\s@]{0,200})@")

_OTHER_FORMS: Final = (
    ("PRIVATE KEY-----", _PRIVATE_KEY),
    ("://", _URL_USER),
    ("jdbc:oracle:", _ORACLE_USER),
    ("=", _SIGNATURE),
    ("uthorization", _HEADER),
)
"""Further forms of secrets, each with a part of it that is quick to find."""


@final
class Secret(str):
    """Text whose ``repr`` is hidden wherever it occurs, whatever its option is called.

    Example:
        >>> user = Secret("admin")
        >>> user == "admin", user
        (True, '***')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


def is_secret(key: str) -> bool:
    """Return whether the value of a property named ``key`` must never be shown.

    Example:
        >>> is_secret("sasl.jaas.config"), is_secret("bootstrap.servers")
        (True, False)
    """
    return _KEY.search(key) is not None


def masked_value(key: str, value: str) -> str:
    """Return the value of a property as it may be shown: ``***`` for a secret, and for secrets in URLs and the like.

    Example:
        >>> masked_value("sasl.password", "pw"), masked_value("url", "jdbc:postgresql://host/db?user=me&password=pw")
        ('***', 'jdbc:postgresql://host/db?user=me&password=***')
    """
    return MASK if is_secret(key) or isinstance(value, Secret) else _masked(value, is_whole=True)


def masked(text: str) -> str:
    """Return a free text with secrets replaced by ``***``.

    Example:
        >>> masked("refused: {group.id=g, sasl.password=pw, acks=all}")
        'refused: {group.id=g, sasl.password=***, acks=all}'
    """
    return _masked(text)


def shown_text(text: str, longest: int) -> str:
    """Return a free text with secrets masked, and without its middle if it is longer than ``longest`` characters.

    Example:
        >>> shown_text("password=pw", longest=60)
        'password=***'
        >>> shown_text("0123456789" * 10, longest=60)
        '012345678901234 … (of 100 characters) … 56789'
    """
    part = masked(_without_middle(text, max(longest, _MASKED), len(text)))
    return _without_middle(part, longest, len(text))


def _without_middle(text: str, longest: int, length: int) -> str:
    if len(text) <= longest:
        return text
    kept = longest - _LONGEST_REMARK
    return f"{text[: kept - kept // 4]} … (of {length:,} characters) … {text[-(kept // 4) :]}"


def masked_statement(text: str) -> str:
    """Return a text of SQL statements with secrets replaced by ``***``, also where a quote or equals sign is mistyped.

    Example:
        >>> masked_statement("WITH ('topic' = 'orders', 'ssl.key.password' = 'pw')")
        "WITH ('topic' = 'orders', 'ssl.key.password' = ***)"
    """
    return _masked(text, is_statement=True)


def secret_spans(statement: str) -> tuple[Span, ...]:
    """Return the spans of the secrets in a text of SQL statements, in order."""
    return _spans(statement, is_statement=True)


def redacted(value: object) -> str:
    """Return ``repr(value)`` with secrets replaced by ``***``; made for ``attrs.field(repr=redacted)``.

    Example:
        >>> redacted({"group.id": "g", "ssl.key.password": "pw", "url": "http://user:pw@host"})
        "{'group.id': 'g', 'ssl.key.password': '***', 'url': 'http://***@host'}"
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_redacted_item(key, item)}" for key, item in value.items()) + "}"
    if type(value) is str:
        return repr(masked_value("", value))
    if type(value) is list:
        return f"[{', '.join(map(redacted, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(redacted, value))}{',' if len(value) == 1 else ''})"
    return masked(repr(value))


def _redacted_item(key: object, item: object) -> str:
    return repr(MASK) if isinstance(key, str) and is_secret(key) else redacted(item)


def masked_part(text: str, start: int, end: int, spans: tuple[Span, ...]) -> str:
    """Return a part of a text with ``***`` for each span that is in it, also in part."""
    parts: list[str] = []
    for low, high in spans:
        if start < high and low < end:
            parts += text[start : max(start, low)], MASK
            start = high
    return "".join((*parts, text[start:end]))


def _masked(text: str, *, is_statement: bool = False, is_whole: bool = False) -> str:
    for _ in range(_MASKINGS):
        spans = _spans(text, is_statement=is_statement, is_whole=is_whole)
        again = masked_part(text, 0, len(text), spans)
        if again == text:
            break
        text = again
    return text


def _spans(text: str, *, is_statement: bool = False, is_whole: bool = False) -> tuple[Span, ...]:
    """Return the spans of secrets, in order and apart.

    Args:
        text: The text.
        is_statement: The text is SQL, perhaps mistyped.
        is_whole: The text is the value of one property.
    """
    spans = list(_values(text, is_statement=is_statement, is_whole=is_whole))
    for sign, pattern in _OTHER_FORMS:
        if sign in text:
            wanted = _WHOLE_URL_USER if is_whole and pattern is _URL_USER else pattern
            spans += (match.span("secret") for match in wanted.finditer(text) if match["secret"] not in _MASKS)
    apart: list[Span] = []
    for low, high in sorted(spans):
        if apart and low <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(high, apart[-1][1]))
        elif low < high:
            apart.append((low, high))
    return tuple(apart)


def _values(text: str, *, is_statement: bool, is_whole: bool) -> Iterator[Span]:
    end = 0
    lowered = text.lower()
    # Searching without regard to case takes three times as long; one letter, U+0130, becomes longer.
    keys = _LOWER_KEY.finditer(lowered) if len(lowered) == len(text) else _KEY.finditer(text)
    for key in keys:
        if key.start() < end:
            continue
        in_literal = is_statement and _IN_LITERAL.search(text, max(0, key.start() - _FAR), key.start()) is not None
        begin = _BEGIN_OF_KEY.search(text, max(0, key.start() - _LONGEST_KEY), key.start())
        begins = key.start() if begin is None else begin.start()
        if is_statement and not in_literal:
            separator = _MISTYPED.match(text, key.end())
        else:
            separator = _SEPARATOR.match(text, key.end())
            if separator is not None and _introduces_reason(text, begins, separator):
                continue
        if separator is None or _VISIBLE.match(text, separator.end()):
            continue
        start = separator.end()
        if in_literal:
            value = _LITERAL.match(text, start)
        else:
            value = _quoted(text, start, is_statement=is_statement) or _BLOCKS.match(text, start)
        if value is None and "jaas" in key[0].lower():
            value = _JAAS.match(text, start, start + _LONGEST_JAAS)
        if value is None:
            value = _unquoted(text, begins, is_statement=is_statement, is_whole=is_whole).match(text, start)
        if value is not None:
            end = value.end()
            yield start, end


def _quoted(text: str, start: int, *, is_statement: bool) -> re.Match[str] | None:
    """Return the quoted value; the longer one if SQL would end it elsewhere than languages with backslashes."""
    forms = (_DOUBLED_QUOTES,) if is_statement else (_DOUBLED_QUOTES, _ESCAPED_QUOTES)
    matches = filter(None, (form.match(text, start) for form in forms))
    return max((value for value in matches if _AFTER_QUOTE.match(text, value.end())), key=re.Match.end, default=None)


def _unquoted(text: str, begins: int, *, is_statement: bool, is_whole: bool) -> re.Pattern[str]:
    if is_statement:
        return _LINE
    if is_whole:
        return _WHOLE_TO_NEXT_PAIR
    return _OF_QUERY if text[max(0, begins - 1) : begins] in _BEFORE_PARAMETER else _TO_NEXT_PAIR


def _introduces_reason(text: str, begins: int, separator: re.Match[str]) -> bool:
    """Return whether the word before a colon belongs to a sentence, as in "invalid credentials: ..."."""
    if not separator["colon"] or separator["quote"]:
        return False
    word = text[begins : separator.start("quote")].rstrip()
    return _EXCEPTION.search(word) is not None or (
        _REASON.fullmatch(word) is not None and _BEGINS_ITEM.search(text, max(0, begins - _FAR), begins) is None
    )
