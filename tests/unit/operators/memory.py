from __future__ import annotations

import pickle
import pickletools
from collections.abc import Iterator, Sequence
from typing import Any, final

from kafkastream.operators.state.former_names import STATE_CLASSES


def names_in(pickled: bytes) -> set[tuple[str, str]]:
    """The module and the name of each class and function of the package that a pickle holds."""
    return {name for name in _globals(pickled) if name[0].partition(".")[0] == "kafkastream"}


def _globals(pickled: bytes) -> Iterator[tuple[str, str]]:
    stack: list[Any] = []  # of texts as they come; a memo has them again
    memo: list[Any] = []
    argument: Any
    for code, argument, _ in pickletools.genops(pickled):
        match code.name:
            case "GLOBAL":
                module, _, name = argument.partition(" ")
                yield module, name
            case "STACK_GLOBAL":
                yield stack[-2], stack[-1]
                stack.append(None)
            case "MEMOIZE":
                memo.append(stack[-1] if stack else None)
            case "BINPUT" | "LONG_BINPUT":
                memo.append(stack[-1] if stack else None)
            case "BINGET" | "LONG_BINGET":
                stack.append(memo[argument])
            case _:
                stack.append(argument if isinstance(argument, str) else None)


def _check_names(pickled: bytes) -> bytes:
    strange = names_in(pickled) - set(STATE_CLASSES)
    assert not strange, f"{strange} lie in state: keep their names in former_names.STATE_CLASSES"
    return pickled


@final
class Memory:
    """A state backend of a dict, which counts its calls, the values read and written, and the bytes that are put."""

    def __init__(self) -> None:
        self.content: dict[bytes, bytes] = {}
        self.calls = 0
        self.reads = 0
        self.writes = 0
        self.written = 0

    def get(self, key: bytes) -> bytes | None:
        return next(self.get_all([key]))

    def get_all(self, keys: Sequence[bytes]) -> Iterator[bytes | None]:
        self.calls += 1
        self.reads += len(keys)
        return map(self.content.get, keys)

    def put(self, key: bytes, value: bytes) -> None:
        self.writes += 1
        self.written += len(value)
        self.content[key] = _check_names(value) if value[:1] == pickle.PROTO else value

    def remove(self, key: bytes) -> None:
        self.writes += 1
        self.content.pop(key, None)

    def dumps(self, content: Any) -> bytes:
        return _check_names(pickle.dumps(content))
