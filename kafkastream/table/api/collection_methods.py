"""Methods of ``Expression`` on arrays and maps."""

from __future__ import annotations

from typing import Any, NoReturn

from typing_extensions import Self

from kafkastream.table.api.tree_methods import TreeMethods

__all__ = ["CollectionMethods"]


class CollectionMethods(TreeMethods):
    """Methods on arrays and maps; positions count from 1, and results are NULL for NULL."""

    def at(self, index: Any) -> Self:
        """Return an element of an array, or the value of an entry of a map.

        Args:
            index: Position in the array, from 1, or key of the entry.
        """
        return self._form("{0}[{1}]", index)

    @property
    def cardinality(self) -> Self:
        """Return the number of elements."""
        return self._call("CARDINALITY")

    @property
    def element(self) -> Self:
        """Return the only element of an array."""
        return self._call("ELEMENT")

    def array_append(self, addition: Any) -> Self:
        """Append ``addition`` as the last element."""
        return self._call("ARRAY_APPEND", addition)

    arrayAppend = array_append

    def array_contains(self, needle: Any) -> Self:
        """Return whether the array has the element ``needle``."""
        return self._call("ARRAY_CONTAINS", needle)

    arrayContains = array_contains

    def array_distinct(self) -> Self:
        """Remove repeated elements."""
        return self._call("ARRAY_DISTINCT")

    arrayDistinct = array_distinct

    def array_position(self, needle: Any) -> Self:
        """Return the position of the element ``needle``, from 1; 0 if it is absent."""
        return self._call("ARRAY_POSITION", needle)

    arrayPosition = array_position

    def array_prepend(self, addition: Any) -> Self:
        """Prepend ``addition`` as the first element."""
        return self._call("ARRAY_PREPEND", addition)

    arrayPrepend = array_prepend

    def array_remove(self, needle: Any) -> Self:
        """Remove all elements that are equal to ``needle``."""
        return self._call("ARRAY_REMOVE", needle)

    arrayRemove = array_remove

    def array_reverse(self) -> Self:
        """Reverse the order of the elements."""
        return self._call("ARRAY_REVERSE")

    arrayReverse = array_reverse

    def array_slice(self, start_offset: Any, end_offset: Any = None) -> Self:
        """Return the elements between two positions, both included.

        Args:
            start_offset: Position of the first element, from 1; a negative position counts from the end.
            end_offset: Position of the last element, by default that of the array.
        """
        return self._call("ARRAY_SLICE", start_offset, end_offset)

    arraySlice = array_slice

    def array_sort(self, ascending_order: Any = None, null_first: Any = None) -> Self:
        """Sort the elements.

        Args:
            ascending_order: Whether to sort in ascending order, which is the default.
            null_first: Whether NULLs come first; by default, they do in ascending order.
        """
        return self._call("ARRAY_SORT", ascending_order, null_first)

    arraySort = array_sort

    def array_union(self, array: Any) -> Self:
        """Return the elements of both arrays, each once."""
        return self._call("ARRAY_UNION", array)

    arrayUnion = array_union

    def array_concat(self, *arrays: Any) -> Self:
        """Append the elements of other arrays."""
        return self._call("ARRAY_CONCAT", *arrays)

    arrayConcat = array_concat

    def array_max(self) -> Self:
        """Return the greatest element."""
        return self._call("ARRAY_MAX")

    arrayMax = array_max

    def array_join(self, delimiter: Any, null_replacement: Any = None) -> Self:
        """Concatenate the elements of an array of strings.

        Args:
            delimiter: String between two elements.
            null_replacement: String for NULL elements, which are left out by default.
        """
        return self._call("ARRAY_JOIN", delimiter, null_replacement)

    arrayJoin = array_join

    def array_min(self) -> Self:
        """Return the least element."""
        return self._call("ARRAY_MIN")

    arrayMin = array_min

    def array_except(self, array: Any) -> Self:
        """Return the elements that another array lacks."""
        return self._call("ARRAY_EXCEPT", array)

    arrayExcept = array_except

    def array_intersect(self, array: Any) -> Self:
        """Return the elements that another array has, too."""
        return self._call("ARRAY_INTERSECT", array)

    arrayIntersect = array_intersect

    @property
    def map_keys(self) -> Self:
        """Return the keys of a map."""
        return self._call("MAP_KEYS")

    mapKeys = map_keys

    def map_union(self, *maps: Any) -> Self:
        """Add the entries of other maps."""
        return self._call("MAP_UNION", *maps)

    mapUnion = map_union

    @property
    def map_values(self) -> Self:
        """Return the values of a map."""
        return self._call("MAP_VALUES")

    mapValues = map_values

    @property
    def map_entries(self) -> Self:
        """Return the entries of a map, as rows of key and value."""
        return self._call("MAP_ENTRIES")

    mapEntries = map_entries

    def __getitem__(self, index: Any) -> Self:
        return self.at(index)

    def __iter__(self) -> NoReturn:
        raise TypeError("'Expression' object is not iterable")
