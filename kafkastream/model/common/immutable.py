"""Immutable mappings, and text, whose ``repr`` hides secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar, final

__all__ = ["HIDDEN_KEYS", "URL_USER", "FrozenMap", "Secret", "is_secret", "masked_value", "redacted"]

K = TypeVar("K")
V = TypeVar("V")

_HIDDEN = "***"
HIDDEN_KEYS = (
    r"(?i)password|passphrase|passwd|secret|token|credential|sasl\.jaas\.config|basic[.-]auth\.user[.-]info|\.pem"
    r"|ssl\.keystore\.key|ssl\.keystore\.certificate\.chain|private[._-]?key|api[._-]?key"
)
"""Regular expression, for Python and for Java, of the names of properties with secret values."""

_SECRET_KEY = re.compile(HIDDEN_KEYS)
URL_USER = re.compile(r"(?<=://)[^/\s]*@")
"""The user's part of a URL: up to the last ``@`` before the path, since passwords are not always percent-encoded."""


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
        return repr(_HIDDEN)


def is_secret(key: str) -> bool:
    """Return whether the value of a property named ``key`` must never be shown.

    Example:
        >>> is_secret("sasl.jaas.config"), is_secret("bootstrap.servers")
        (True, False)
    """
    return _SECRET_KEY.search(key) is not None


def masked_value(key: str, value: str) -> str:
    """Return the value of a property as it may be shown: ``***`` for a secret, and for the user part of URLs.

    Example:
        >>> masked_value("sasl.password", "pw"), masked_value("registry.url", "http://user:pw@host")
        ('***', 'http://***@host')
    """
    return _HIDDEN if is_secret(key) or isinstance(value, Secret) else URL_USER.sub(f"{_HIDDEN}@", value)


def redacted(value: object) -> str:
    """Return ``repr(value)`` with secrets replaced by ``***``; made for ``attrs.field(repr=redacted)``.

    Values of secret keys of a mapping are hidden, and the user part of URLs.

    Example:
        >>> redacted({"group.id": "g", "ssl.key.password": "pw", "url": "http://user:pw@host"})
        "{'group.id': 'g', 'ssl.key.password': '***', 'url': 'http://***@host'}"
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {_shown(key, item)}" for key, item in value.items()) + "}"
    return URL_USER.sub(f"{_HIDDEN}@", repr(value))


def _shown(key: object, value: object) -> str:
    return repr(_HIDDEN) if isinstance(key, str) and is_secret(key) else redacted(value)


@final
class FrozenMap(Mapping[K, V]):
    """Immutable mapping: hashes, pickles, equals any mapping with the same items, and hides secrets in ``repr``.

    Example:
        >>> FrozenMap({"acks": "1"}) | {"acks": "all", "sasl.password": "pw"}
        FrozenMap({'acks': 'all', 'sasl.password': '***'})
    """

    __slots__ = ("_items",)
    _items: dict[K, V]

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        object.__setattr__(self, "_items", dict(items))

    def set(self, key: K, value: V) -> FrozenMap[K, V]:
        """Return a copy in which ``key`` has ``value``."""
        return FrozenMap({**self._items, key: value})

    def __or__(self, other: Mapping[K, V]) -> FrozenMap[K, V]:
        return FrozenMap({**self._items, **other})

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return self._items == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMap({redacted(self)})"

    def __reduce__(self) -> tuple[type[FrozenMap[K, V]], tuple[dict[K, V]]]:
        return (FrozenMap, (self._items,))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")
