"""Sets of tuples of kinds, written as products where they are products."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

__all__ = ["packed", "unpacked"]


def packed(found: Iterable[str]) -> str:
    """Return tuples of kinds as products, each with the letters of each place, separated by commas.

    Example:
        >>> packed(["sx", "ss", "is", "ix", "bb"])
        'is,sx b,b'
    """
    found = list(found)
    left = {one[:1]: set[str]() for one in found}
    for one in found:
        left[one[:1]].add(one[1:])
    if set(left) <= {""}:
        return "()" if left else ""
    by_rest: dict[str, list[str]] = {}
    for first, rests in left.items():
        rest = packed(sorted(rests)) if any(rests) else ""
        by_rest.setdefault(rest, []).append(first)
    products = []
    for rest, firsts in by_rest.items():
        products += [",".join(filter(None, ("".join(sorted(firsts)), one))) for one in rest.split(" ")]
    return " ".join(products)


def unpacked(text: str) -> set[str]:
    """Return the tuples of kinds that a text has.

    Example:
        >>> sorted(unpacked("is,sx b,b"))
        ['bb', 'is', 'ix', 'ss', 'sx']
    """
    if text == "()":
        return {""}
    return {"".join(one) for product in text.split() for one in itertools.product(*product.split(","))}
