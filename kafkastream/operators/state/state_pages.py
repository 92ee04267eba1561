"""State of all keys of a bucket, in pages: a page is read and written as one.

Each access to Spark's state store is a call to another process, so state is grouped into pages. The number of pages
doubles when they grow too large; a page is split in two when it is next read.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable
from typing import Any, Final, final

from kafkastream.errors import DefinitionError
from kafkastream.operators.state.list_segments import APART, LONG_BYTES, LongLists
from kafkastream.operators.state.state_backend import Entry, KeyedStateBackend

__all__ = ["StatePages"]

_PAGE_BYTES: Final = 16 * 1024
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
        self._depth, self._bytes = (0, 0) if found is None else pickle.loads(found)
        self._pages: dict[int, _Page] = {}
        self._unwritten: set[int] = set()
        self._live: dict[bytes, Entry] = {}
        self._changed: set[bytes] = set()

    def of(self, key: bytes) -> Entry:
        """Return the entry of a key, empty if there is none; after changing it, call ``changed``."""
        entry = self._live.get(key)
        if entry is None:
            kept = self._page(self._number(key)).get(key)
            entry = self._live[key] = {} if kept is None else pickle.loads(kept)
            if APART in entry:
                self._long_lists(key).bind(entry)
        return entry

    def changed(self, key: bytes) -> None:
        """Mark the entry of a key to be written, unless it is as before."""
        self._changed.add(key)

    def sweep(self, clean: Callable[[Entry], bool], at: int) -> None:
        """Clean up the entries of one page, the next one at each call; ``clean`` returns whether it has changed an
        entry.
        """
        for key in list(self._page(self._page_of(at * _GOLDEN))):
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
            for number in range(1 << self._depth):
                self._forget_lists(self._page(number))
            self._pages, self._unwritten = {}, set()
            for depth in range(self._depth + 1):
                for number in range(1 << depth):
                    self._backend.remove(self._place(depth, number))
            self._backend.remove(self._name)

    def _forget_lists(self, page: _Page) -> None:
        for key, kept in page.items():
            if APART.encode() in kept:
                self._long_lists(key).keep({APART: pickle.loads(kept).get(APART, [])})

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
        before = page.pop(key, None)
        kept = self._dumped(key, entry)
        after = kept if entry else None
        if after is not None:
            page[key] = after
        self._bytes += _size(key, after) - _size(key, before)
        return after != before

    def _dumped(self, key: bytes, entry: Entry) -> bytes:
        """Return an entry in its stored form: without the stored segments of its long lists."""
        try:
            kept = self._backend.dumps(entry)
        except Exception as error:
            raise DefinitionError(
                f"the content of {', '.join(map(repr, entry))} cannot be pickled: {type(error).__name__}: {error}",
                where=f"key {pickle.loads(key)!r}" if key else "",
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
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = self._read(number)
        return page

    def _read(self, number: int) -> _Page:
        """Return a page, which may be part of a larger one from a time when there were fewer."""
        for depth in range(self._depth, -1, -1):
            of_then = number >> (self._depth - depth)
            kept = self._backend.get(self._place(depth, of_then))
            if kept is not None and depth == self._depth:
                page: _Page = pickle.loads(kept)
                return page
            if kept is not None:
                self._part(pickle.loads(kept), depth, of_then)
                return self._pages[number]
        return {}

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
    return 0 if kept is None else len(key) + len(kept)
