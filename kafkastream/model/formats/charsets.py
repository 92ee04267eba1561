"""Text in a charset, byte for byte as Java encodes and decodes it."""

from __future__ import annotations

import codecs

from kafkastream.errors import DefinitionError

__all__ = ["check_charset", "decoded", "encoded", "is_utf8"]


def check_charset(charset: str, where: str) -> None:
    """Refuse an unknown charset.

    Raises:
        DefinitionError: The charset is not known.
    """
    try:
        "".encode(charset)  # codecs.lookup would also find what encodes no text
    except (LookupError, ValueError):
        raise DefinitionError(
            f"charset {charset!r} is not known", where=where, now="Use, for example, 'UTF-8'."
        ) from None


def is_utf8(charset: str) -> bool:
    """Return whether a charset is UTF-8, which Arrow, Spark and librdkafka support natively."""
    return codecs.lookup(charset).name == "utf-8"


def encoded(text: str, charset: str) -> bytes:
    r"""Return the bytes of a text.

    Java's UTF-16 begins with a byte order mark and has the highest byte first, its UTF-32 has no mark; Python's go by
    the machine.
    Half of a surrogate pair is ``?`` in UTF-8, as in Java: a record's JSON may have one.
    Differs from Java: other characters that a charset lacks are an error, where Java writes ``?`` silently.

    Raises:
        ValueError: The charset lacks a character.

    Example:
        >>> encoded("a", "UTF-16"), encoded("", "UTF-16"), encoded("a", "UTF-32")
        (b'\xfe\xff\x00a', b'', b'\x00\x00\x00a')
    """
    match codecs.lookup(charset).name:
        case "utf-16":
            return codecs.BOM_UTF16_BE + text.encode("utf-16-be") if text else b""
        case "utf-32":
            return text.encode("utf-32-be")
        case "utf-8":  # lacks only halves of surrogate pairs, for which Java writes ? as well
            return text.encode(errors="replace")
        case _:
            return text.encode(charset)


def decoded(data: bytes, charset: str) -> str:
    r"""Return the text of bytes.

    Without a byte order mark, UTF-16 and UTF-32 have the highest byte first, as in Java.
    Differs from Java: bytes that are not valid are an error, where Java puts U+FFFD in their place silently.

    Raises:
        ValueError: The bytes are not valid in the charset.

    Example:
        >>> decoded(b"\0a", "UTF-16"), decoded(b"\xff\xfea\0", "UTF-16")
        ('a', 'a')
    """
    name = codecs.lookup(charset).name
    if name in _MARKS and not data.startswith(_MARKS[name]):
        return data.decode(f"{name}-be")
    return data.decode(charset)


_MARKS = {
    "utf-16": (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE),
    "utf-32": (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE),
}
