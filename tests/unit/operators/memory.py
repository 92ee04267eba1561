from __future__ import annotations

import pickle
from typing import Any, final


@final
class Memory:
    """A state backend of a dict, which counts how often it is asked, and the bytes that are put."""

    def __init__(self) -> None:
        self.content: dict[bytes, bytes] = {}
        self.reads = 0
        self.writes = 0
        self.written = 0

    def get(self, key: bytes) -> bytes | None:
        self.reads += 1
        return self.content.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self.writes += 1
        self.written += len(value)
        self.content[key] = value

    def remove(self, key: bytes) -> None:
        self.writes += 1
        self.content.pop(key, None)

    def dumps(self, content: Any) -> bytes:
        return pickle.dumps(content)
