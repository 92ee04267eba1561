"""What is done with keyed state, step by step: for both engines, so nothing here imports Flink, Spark or kafkastream.

A case belongs to a key of its own. Each of its steps is one element, which holds calls: the state, the method, and what it is
given. States: ``v`` value, ``l`` list, ``m`` map, ``r`` reducing, ``a`` aggregating. Further "methods": ``sleep`` waits,
``change`` appends to what ``value`` or ``get`` gives, ``hold`` keeps what a method gives, and ``look`` goes through it.
"""

from __future__ import annotations

from typing import Any

Call = tuple[Any, ...]
Step = list[Call]

LARGE = "x" * 20_000
NESTED = {"a": [1, (None, {"b": [0, ""]})], "c": ()}
FALSY: tuple[Any, ...] = (0, "", False, [], {}, 0.0, None)


def _each(state: str, put: str, read: Call) -> list[Step]:
    """Write values one by one, and read each in a step of its own."""
    return [step for value in (1, *FALSY, NESTED, LARGE) for step in ([(state, put, value)], [(state, *read)])]


PLAIN: dict[str, list[Step]] = {
    "value": [[("v", "value")], *_each("v", "update", ("value",)), [("v", "clear")], [("v", "value")]],
    "value_in_one": [[step for [step] in _each("v", "update", ("value",))]],
    "value_changed": [
        [("v", "update", [1])],
        [("v", "change", 2), ("v", "value")],
        [("v", "value")],
        [("v", "change", 3)],
        [("v", "value")],
    ],
    "list": [
        [("l", "get")],
        *([("l", "add", value)] for value in FALSY),
        [("l", "get")],
        [("l", "add_all", [NESTED, LARGE, None])],
        [("l", "get")],
        [("l", "update", [None])],
        [("l", "get")],
        [("l", "update", [])],
        [("l", "get")],
        [("l", "add_all", [])],
        [("l", "get"), ("l", "add", 5), ("l", "get"), ("l", "clear"), ("l", "get")],
        [("l", "get")],
    ],
    "list_held": [
        [("l", "add", 1)],
        [
            ("l", "hold", "get"),
            ("l", "add", 2),
            ("l", "look"),
            ("l", "look"),
            ("l", "clear"),
            ("l", "look"),
            ("l", "get"),
        ],
        [("l", "get")],
        [("l", "hold", "get"), ("l", "add", 7), ("l", "look"), ("l", "update", [8]), ("l", "look"), ("l", "add", 9)],
        [("l", "get")],
    ],
    "list_changed": [
        [("l", "add", [1])],
        [("l", "change_first", 2), ("l", "get")],
        [("l", "get")],
        [("l", "change_first", 3)],
        [("l", "add", [9])],
        [("l", "get")],
    ],
    "long_list": [
        *([("l", "add_all", [f"{number} {LARGE[:3000]}" for number in range(at, at + 3)])] for at in range(0, 12, 3)),
        [("l", "count")],
        [("l", "add", "end")],
        [("l", "count")],
    ],
    "map": [
        [("m", "is_empty"), ("m", "items"), ("m", "keys"), ("m", "values"), ("m", "contains", "a"), ("m", "get", "a")],
        *([("m", "put", f"k{number}", value)] for number, value in enumerate((*FALSY, NESTED, LARGE))),
        [("m", "items"), ("m", "keys"), ("m", "values"), ("m", "is_empty")],
        [
            ("m", "get", "k0"),
            ("m", "contains", "k0"),
            ("m", "get", "k3"),
            ("m", "contains", "k3"),
            ("m", "get", "none"),
        ],
        [("m", "remove", "k8"), ("m", "remove", "k7"), ("m", "remove", "never")],
        [("m", "items")],
        [("m", "put", "k0", None), ("m", "items")],
        [("m", "items"), ("m", "keys"), ("m", "values")],
        [("m", "clear"), ("m", "items")],
        [("m", "items"), ("m", "is_empty")],
    ],
    "map_of_none": [
        [("m", "put", "a", None)],
        [("m", "items"), ("m", "keys"), ("m", "values"), ("m", "is_empty"), ("m", "get", "a")],
        [("m", "remove", "a"), ("m", "items")],
        [("m", "items"), ("m", "get", "a")],
    ],
    "map_contains_none": [[("m", "put", "a", None)], [("m", "contains", "a"), ("m", "in", "a")]],
    "map_words": [
        [("m", "set_item", "a", 1), ("m", "get_item", "a"), ("m", "in", "a"), ("m", "in", "b"), ("m", "get_item", "b")],
        [("m", "iterate"), ("m", "delete_item", "a"), ("m", "iterate")],
        [("m", "iterate")],
    ],
    "map_put_all": [[("m", "put_all", {"a": None, "bc": 0, "d": 1})], [("m", "items")], [("m", "put_all", {})]],
    "map_put_pairs": [[("m", "put_all", [("a", None), ("bc", 0)])], [("m", "items")]],
    "map_emptied": [[("m", "put", "a", 1)], [("m", "remove", "a")], [("m", "is_empty"), ("m", "items")]],
    "map_changed": [
        [("m", "put", "a", [1])],
        [("m", "change", 2, "a"), ("m", "get", "a")],
        [("m", "change", 3, "a")],
        [("m", "get", "a")],
    ],
    "reducing": [
        [("r", "get")],
        [("r", "add", 0)],
        [("r", "get"), ("r", "add", 0), ("r", "get")],
        [("r", "add", 5)],
        [("r", "get"), ("r", "clear"), ("r", "get")],
        [("r", "get")],
        [("r", "add", LARGE), ("r", "clear"), ("r", "add", [])],
        [("r", "get"), ("r", "add", [None])],
        [("r", "get")],
    ],
    "reducing_none": [[("r", "add", None)], [("r", "get")], [("r", "add", 5)], [("r", "get")]],
    "reducing_changed": [[("r", "add", [1])], [("r", "change", 2), ("r", "get")], [("r", "add", [3])], [("r", "get")]],
    "aggregating": [
        [("a", "get")],
        [("a", "add", 0)],
        [("a", "get"), ("a", "add", ""), ("a", "get")],
        [("a", "add", NESTED), ("a", "add", False), ("a", "get")],
        [("a", "add", None), ("a", "get")],
        [("a", "get"), ("a", "add", 3)],
        [("a", "get"), ("a", "clear"), ("a", "get")],
        [("a", "get")],
    ],
}
"""Without a time to live."""

_OTHER_STATES = (
    ("v", ("update", 1), ("value",)),
    ("l", ("add", 1), ("get",)),
    ("r", ("add", 1), ("get",)),
    ("a", ("add", 1), ("get",)),
    ("m", ("put", "k", 1), ("get", "k")),
)
_AGAIN: Call = ("", "sleep", 600)


def _living() -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for state, write, look in _OTHER_STATES:
        put, get = (state, *write), (state, *look)
        found[f"{state}_in_one"] = [[put, get, _AGAIN, get, _AGAIN, get, get]]
        found[f"{state}_in_several"] = [[put], [_AGAIN, get], [_AGAIN, get], [get]]
        found[f"{state}_written_again"] = [[put], [_AGAIN, put], [_AGAIN, get]]
        found[f"{state}_after"] = [[put], [("", "sleep", 1200), put, get]]
    return found


LIVING: dict[str, list[Step]] = {
    **_living(),
    "value_none": [[("v", "update", 5)], [("v", "update", None)], [("v", "value")]],
    "map_of_none": [
        [("m", "put", "a", None), ("m", "put", "b", 0), ("m", "items"), ("m", "is_empty")],
        [_AGAIN, ("m", "put", "c", 1), ("m", "items")],
        [_AGAIN, ("m", "get", "a"), ("m", "contains", "b"), ("m", "items"), ("m", "keys"), ("m", "values")],
        [("m", "items"), ("m", "is_empty")],
        [("", "sleep", 1200), ("m", "contains", "c"), ("m", "items")],
    ],
    "map_contains_none": [[("m", "put", "a", None)], [("m", "contains", "a")]],
    "map_contains": [[("m", "put", "a", 5)], [_AGAIN, ("m", "contains", "a")], [_AGAIN, ("m", "contains", "a")]],
    "map_items": [[("m", "put", "a", 5)], [_AGAIN, ("m", "items")], [_AGAIN, ("m", "items")]],
    "map_keys": [[("m", "put", "a", 5)], [_AGAIN, ("m", "keys")], [_AGAIN, ("m", "keys")]],
    "map_is_empty": [[("m", "put", "a", 5)], [_AGAIN, ("m", "is_empty")], [_AGAIN, ("m", "is_empty"), ("m", "items")]],
    "list_of_none": [[("l", "add_all", [0, None, ""])], [("l", "get")], [("", "sleep", 1200), ("l", "get")]],
    "list_of_ages": [
        [("l", "add", 1)],
        [_AGAIN, ("l", "add", 2), ("l", "get")],
        [_AGAIN, ("l", "get")],
        [_AGAIN, ("l", "get")],
    ],
    "list_update": [[("l", "update", [1, 2])], [_AGAIN, ("l", "update", [3])], [_AGAIN, ("l", "get")]],
}
"""With a time to live of a second."""

LIVES = {"written": "", "read": "r", "shown": "x", "read and shown": "rx"}
"""Ways of living: whether reading makes live on (r), and whether what has expired may be seen (x)."""
