"""State of all keys of a bucket, in pages: a page is read and written as one.

Each access to Spark's state store is a call to another process, so state is grouped into pages. Small ones, since a
micro-batch that meets a single key of a page rewrites it. The number of pages doubles when they grow too large; a page
is split in two when it is next read.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.state.list_segments import APART, LONG_BYTES, LongLists
from kafkastream.operators.state.state_backend import Entry, KeyedStateBackend
from kafkastream.operators.state.state_pickles import loads

__all__ = ["StatePages"]

_PAGE_BYTES: Final = 4 * 1024
_SWEPT: Final = 4
_AT_ONCE: Final = 1000
_HASH_BITS: Final = 32
_GOLDEN: Final = 0x9E3779B1
_Page = dict[bytes, bytes]


@final
class StatePages:
    """Entries of a bucket's keys during one micro-batch; ``flush`` writes those that have changed.

    Args:
        backend: Storage of the pages.
        name: Prefix of the keys in ``backend``, exclusive to these pages.
        grows: Whether the content of an entry's name is a list to which elements are added, or a map of such lists.
    """

    def __init__(self, backend: KeyedStateBackend, name: bytes, grows: Callable[[Any], bool] = lambda _: False) -> None:
        self._backend = backend
        self._name = name
        self._grows = grows
        found = backend.get(name)
        self._depth: int
        self._bytes: int
        self._depth, self._bytes = (0, 0) if found is None else loads(found)
        self._pages: dict[int, _Page] = {}
        self._unwritten: set[int] = set()
        self._live: dict[bytes, Entry] = {}
        self._changed: set[bytes] = set()

    def load(self, keys: Iterable[bytes]) -> None:
        """Read the pages of keys, which ``of`` is going to be asked for, at once."""
        self._load({self._number(key) for key in keys})

    def of(self, key: bytes) -> Entry:
        """Return the entry of a key, empty if there is none; after changing it, call ``changed``."""
        entry = self._live.get(key)
        if entry is None:
            kept = self._page(self._number(key)).get(key)
            entry = self._live[key] = {} if kept is None else loads(kept)
            if APART in entry:
                self._long_lists(key).bind(entry)
        return entry

    def keys(self) -> list[bytes]:
        """Return the keys that have an entry; reads all pages."""
        self._load(set(range(1 << self._depth)))
        return sorted(key for page in self._pages.values() for key in page)

    def changed(self, key: bytes) -> None:
        """Mark the entry of a key to be written, unless it is as before."""
        self._changed.add(key)

    def sweep(self, clean: Callable[[Entry], bool], at: int) -> None:
        """Clean up the entries of some pages, the next ones at each call; ``clean`` returns whether it has changed an
        entry.
        """
        first = self._page_of(at * _GOLDEN)
        numbers = {(first + more) % (1 << self._depth) for more in range(_SWEPT)}
        self._load(numbers)
        for number in numbers:
            for key in self._pages[number]:
                if clean(self.of(key)):
                    self.changed(key)

    def flush(self) -> None:
        """Write changed pages, and remove empty entries.

        Raises:
            DefinitionError: A state has content that cannot be pickled.
        """
        before = (self._depth, self._bytes)
        for key in self._changed:
            number = self._number(key)
            if self._set(self._pages[number], key, self._live[key]):
                self._unwritten.add(number)
        self._grow()
        for number in self._unwritten:
            self._backend.put(self._place(self._depth, number), pickle.dumps(self._pages[number], 5))
        if (self._depth, self._bytes) != before:
            self._backend.put(self._name, pickle.dumps((self._depth, self._bytes)))
        self._pages, self._unwritten, self._live, self._changed = {}, set(), {}, set()

    def remove(self) -> None:
        """Remove all entries, also those of earlier micro-batches."""
        if self._backend.get(self._name) is not None:
            numbers = range(1 << self._depth)
            for first in numbers[::_AT_ONCE]:
                self._load(set(numbers[first : first + _AT_ONCE]))
                for page in self._pages.values():
                    self._forget_lists(page)
                self._pages, self._unwritten = {}, set()
            for depth in range(self._depth + 1):
                for number in range(1 << depth):
                    self._backend.remove(self._place(depth, number))
            self._backend.remove(self._name)

    def _forget_lists(self, page: _Page) -> None:
        for key, kept in page.items():
            if APART.encode() in kept:
                self._long_lists(key).keep({APART: loads(kept).get(APART, [])})

    def _grow(self) -> None:
        """Double the number of pages if they have become too large, and split the loaded ones."""
        depth, pages = self._depth, self._pages
        while self._bytes > _PAGE_BYTES << self._depth and self._depth < _HASH_BITS:
            self._depth += 1
        if self._depth > depth:
            self._pages, self._unwritten = {}, set()
            for number, page in pages.items():
                self._part(page, depth, number)

    def _set(self, page: _Page, key: bytes, entry: Entry) -> bool:
        """Put an entry into its page, or remove it if empty; return whether the page has changed."""
        before = page.get(key)
        kept = self._dumped(key, entry)
        after = kept if entry else None
        if after == before:
            return False
        if after is None:
            del page[key]
        else:
            page[key] = after
        self._bytes += _size(key, after) - _size(key, before)
        return True

    def _dumped(self, key: bytes, entry: Entry) -> bytes:
        """Return an entry in its stored form: without the stored segments of its long lists."""
        try:
            kept = self._backend.dumps(entry)
        except Exception as error:
            raise DefinitionError(
                f"the content of {', '.join(map(repr, entry))} cannot be pickled: {type(error).__name__}: {error}",
                where=f"key {loads(key)!r}" if key else "",
                now="Keep only picklable values in state; create connections, locks and generators in open().",
            ) from error
        had_long_lists = APART in entry
        if not had_long_lists and len(kept) <= LONG_BYTES:
            return kept
        has_long_lists = self._long_lists(key).keep(entry)
        return self._backend.dumps(entry) if had_long_lists or has_long_lists else kept

    def _long_lists(self, key: bytes) -> LongLists:
        return LongLists(self._backend, b"%s/%s" % (self._name, key), self._grows)

    def _number(self, key: bytes) -> int:
        """Return the number of a key's page: the first bits of another hash than the one that chose the bucket."""
        return self._page_of(zlib.crc32(key, len(key)) * _GOLDEN)

    def _page_of(self, mixed: int) -> int:
        return (mixed & 0xFFFFFFFF) >> (_HASH_BITS - self._depth)

    def _page(self, number: int) -> _Page:
        if number not in self._pages:
            self._load({number})
        return self._pages[number]

    def _load(self, numbers: set[int]) -> None:
        """Read pages, which may be parts of larger ones from a time when there were fewer."""
        unread = sorted(numbers - self._pages.keys())
        found = self._backend.get_all([self._place(self._depth, one) for one in unread])
        for number, kept in zip(unread, found, strict=True):
            if kept is not None:
                self._pages[number] = loads(kept)
        for number in unread:
            if number not in self._pages:
                self._pages[number] = {}
                self._load_earlier(number)

    def _load_earlier(self, number: int) -> None:
        earlier = [(self._depth - span, number >> span) for span in range(1, self._depth + 1)]
        found = self._backend.get_all([self._place(*one) for one in earlier])
        for (depth, of_then), kept in zip(earlier, found, strict=True):
            if kept is not None:
                self._part(loads(kept), depth, of_then)

    def _part(self, page: _Page, depth: int, number: int) -> None:
        """Split a page from a time when there were fewer."""
        span = self._depth - depth
        for one in range(number << span, (number + 1) << span):
            self._pages[one] = {}
            self._unwritten.add(one)
        for key, kept in page.items():
            self._pages[self._number(key)][key] = kept
        self._backend.remove(self._place(depth, number))

    def _place(self, depth: int, number: int) -> bytes:
        return b"%s/%d/%d" % (self._name, depth, number)


def _size(key: bytes, kept: bytes | None) -> int:
    """Return how much an entry adds to the size by which pages are split: one that fills a page needs no second one."""
    return 0 if kept is None else min(len(key) + len(kept), _PAGE_BYTES)
