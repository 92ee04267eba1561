"""State of all keys of a bucket, in pages: a page is read and written as a whole.

Each access to Spark's state store is a call to another process, so the entries of keys are grouped into pages. Pages are
small, since a micro-batch that changes one key rewrites its whole page. When pages grow too large, their number doubles;
a page is split when it is next read (extendible hashing).
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
_PAGES_PER_SWEEP: Final = 4
_PAGES_AT_ONCE: Final = 1000
_HASH_BITS: Final = 32
_GOLDEN_RATIO: Final = 0x9E3779B1
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
        stored = backend.get(name)
        self._depth: int
        self._bytes: int
        self._depth, self._bytes = (0, 0) if stored is None else loads(stored)
        self._pages: dict[int, _Page] = {}
        self._unwritten: set[int] = set()
        self._live: dict[bytes, Entry] = {}
        self._changed: set[bytes] = set()

    def load(self, keys: Iterable[bytes]) -> None:
        """Read the pages of keys in one batch, before ``of`` is called for them."""
        self._load({self._page_number(key) for key in keys})

    def of(self, key: bytes) -> Entry:
        """Return the entry of a key, empty if there is none; after changing it, call ``changed``."""
        entry = self._live.get(key)
        if entry is None:
            pickled = self._page(self._page_number(key)).get(key)
            entry = self._live[key] = {} if pickled is None else loads(pickled)
            if APART in entry:
                self._long_lists(key).bind(entry)
        return entry

    def keys(self) -> list[bytes]:
        """Return the keys that have an entry; reads all pages."""
        self._load(set(range(1 << self._depth)))
        return sorted(key for page in self._pages.values() for key in page)

    def changed(self, key: bytes) -> None:
        """Mark the entry of a key to be written if it differs from the stored one."""
        self._changed.add(key)

    def sweep(self, clean: Callable[[Entry], bool], seed: int) -> None:
        """Clean up the entries of a few pages, other ones at each call; ``clean`` returns whether it changed an entry."""
        first = self._page_of_hash(seed * _GOLDEN_RATIO)
        numbers = {(first + more) % (1 << self._depth) for more in range(_PAGES_PER_SWEEP)}
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
        former = (self._depth, self._bytes)
        for key in self._changed:
            number = self._page_number(key)
            if self._update_page(self._pages[number], key, self._live[key]):
                self._unwritten.add(number)
        self._double_pages()
        for number in self._unwritten:
            self._backend.put(self._page_key(self._depth, number), pickle.dumps(self._pages[number], 5))
        if (self._depth, self._bytes) != former:
            self._backend.put(self._name, pickle.dumps((self._depth, self._bytes)))
        self._pages, self._unwritten, self._live, self._changed = {}, set(), {}, set()

    def remove(self) -> None:
        """Remove all stored entries."""
        if self._backend.get(self._name) is not None:
            numbers = range(1 << self._depth)
            for first in numbers[::_PAGES_AT_ONCE]:
                self._load(set(numbers[first : first + _PAGES_AT_ONCE]))
                for page in self._pages.values():
                    self._remove_long_lists(page)
                self._pages, self._unwritten = {}, set()
            for depth in range(self._depth + 1):
                for number in range(1 << depth):
                    self._backend.remove(self._page_key(depth, number))
            self._backend.remove(self._name)

    def _remove_long_lists(self, page: _Page) -> None:
        for key, pickled in page.items():
            if APART.encode() in pickled:
                self._long_lists(key).store({APART: loads(pickled).get(APART, [])})

    def _double_pages(self) -> None:
        """Double the number of pages if they have become too large, and split the loaded ones."""
        depth, pages = self._depth, self._pages
        while self._bytes > _PAGE_BYTES << self._depth and self._depth < _HASH_BITS:
            self._depth += 1
        if self._depth > depth:
            self._pages, self._unwritten = {}, set()
            for number, page in pages.items():
                self._split_page(page, depth, number)

    def _update_page(self, page: _Page, key: bytes, entry: Entry) -> bool:
        """Put an entry into its page, or remove it if empty; return whether the page has changed."""
        former = page.get(key)
        pickled = self._pickle_entry(key, entry)
        stored = pickled if entry else None
        if stored == former:
            return False
        if stored is None:
            del page[key]
        else:
            page[key] = stored
        self._bytes += _entry_size(key, stored) - _entry_size(key, former)
        return True

    def _pickle_entry(self, key: bytes, entry: Entry) -> bytes:
        """Pickle an entry, without the segments of its long lists, which are stored separately."""
        try:
            pickled = self._backend.dumps(entry)
        except Exception as error:
            raise DefinitionError(
                f"the content of {', '.join(map(repr, entry))} cannot be pickled: {type(error).__name__}: {error}",
                where=f"key {loads(key)!r}" if key else "",
                now="Keep only picklable values in state; create connections, locks and generators in open().",
            ) from error
        had_long_lists = APART in entry
        if not had_long_lists and len(pickled) <= LONG_BYTES:
            return pickled
        has_long_lists = self._long_lists(key).store(entry)
        return self._backend.dumps(entry) if had_long_lists or has_long_lists else pickled

    def _long_lists(self, key: bytes) -> LongLists:
        return LongLists(self._backend, b"%s/%s" % (self._name, key), self._grows)

    def _page_number(self, key: bytes) -> int:
        """Return the number of a key's page, from another hash than ``bucket_of``: keys of a bucket share bits of that one."""
        return self._page_of_hash(zlib.crc32(key, len(key)) * _GOLDEN_RATIO)

    def _page_of_hash(self, mixed: int) -> int:
        return (mixed & 0xFFFFFFFF) >> (_HASH_BITS - self._depth)

    def _page(self, number: int) -> _Page:
        if number not in self._pages:
            self._load({number})
        return self._pages[number]

    def _load(self, numbers: set[int]) -> None:
        """Read pages; a page that is missing may be part of a larger one, written when there were fewer pages."""
        unread = sorted(numbers - self._pages.keys())
        pages = self._backend.get_all([self._page_key(self._depth, number) for number in unread])
        for number, pickled in zip(unread, pages, strict=True):
            if pickled is not None:
                self._pages[number] = loads(pickled)
        for number in unread:
            if number not in self._pages:
                self._pages[number] = {}
                self._load_earlier(number)

    def _load_earlier(self, number: int) -> None:
        earlier = [(self._depth - span, number >> span) for span in range(1, self._depth + 1)]
        pages = self._backend.get_all([self._page_key(*depth_and_number) for depth_and_number in earlier])
        for (depth, former_number), pickled in zip(earlier, pages, strict=True):
            if pickled is not None:
                self._split_page(loads(pickled), depth, former_number)

    def _split_page(self, page: _Page, depth: int, number: int) -> None:
        """Split a page that was written when there were fewer pages."""
        span = self._depth - depth
        for part in range(number << span, (number + 1) << span):
            self._pages[part] = {}
            self._unwritten.add(part)
        for key, pickled in page.items():
            self._pages[self._page_number(key)][key] = pickled
        self._backend.remove(self._page_key(depth, number))

    def _page_key(self, depth: int, number: int) -> bytes:
        return b"%s/%d/%d" % (self._name, depth, number)


def _entry_size(key: bytes, pickled: bytes | None) -> int:
    """Return the size that an entry adds to the total, by which pages are split; at most a page, since splitting divides no entry."""
    return 0 if pickled is None else min(len(key) + len(pickled), _PAGE_BYTES)
