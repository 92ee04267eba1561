"""What a program of the differential suite is, for both engines: nothing here imports Flink, Spark or kafkastream.

A program is a function in one of the modules below ``programs``, which speaks PyFlink's words (``from pyflink…``). Its
decorator says how it is run:

- ``bounded``: it is given an environment and returns streams, which come to an end.
- ``stepped``: it is given a stream of text, which is written step by step, and returns streams.

What the streams hold is shown as Python's ``repr`` with the type that the value has there, and the event time.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

MODULES = tuple(sorted(path.stem for path in (Path(__file__).parent / "programs").glob("[a-z]*.py")))
SEPARATOR = "\t"
SETTINGS = {"python.operator-chaining.enabled": "false"}
"""Of both engines: a declared type counts behind each function, and PyFlink fails where a chain has a broadcast side."""
WAIT = "(wait)"
WAIT_S = 2.0
_KEY = re.compile(r"\w+")

Order = Literal["key", "none"]
Build = Callable[..., Any]


@dataclass(frozen=True)
class Topic:
    """A topic of a program.

    Args:
        records: Pairs of key and value that are there before it starts, each in the partition of its place.
        partitions: How many it has.
    """

    records: Sequence[tuple[bytes | None, bytes | None]] = ()
    partitions: int = 1


@dataclass(frozen=True)
class Program:
    """A program and how it is run.

    Args:
        name: Its function's.
        module: Where it stands.
        build: The function.
        steps: What is written into its stream, for one that is ``stepped``.
        topics: The topics that it may ask for, for one that is ``bounded``.
        batch: Whether it runs in BATCH mode.
        alone: Whether it is a job of its own, since its settings are no other's.
        executes: Whether it executes its jobs itself.
        order: Whether the lines of a key are compared in their order; a line's first word is its key.
    """

    name: str
    module: str
    build: Build
    steps: tuple[str, ...] = ()
    topics: Mapping[str, Topic] = field(default_factory=dict)
    batch: bool = False
    alone: bool = False
    executes: bool = False
    order: Order = "key"

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


def bounded(
    *,
    topics: Mapping[str, Topic] | None = None,
    batch: bool = False,
    alone: bool = False,
    executes: bool = False,
    order: Order = "key",
) -> Callable[[Build], Build]:
    """Mark a function of an environment, and of the names of topics if it has some, as a program."""

    def mark(build: Build) -> Build:
        return _marked(build, topics=topics or {}, batch=batch, alone=alone, executes=executes, order=order)

    return mark


def stepped(*steps: str, order: Order = "key") -> Callable[[Build], Build]:
    """Mark a function of a stream of text as a program; each step is elements, separated by blanks, or ``(wait)``."""
    return lambda build: _marked(build, steps=steps, order=order)


def _marked(build: Build, **how: Any) -> Build:
    build.program = Program(build.__name__, build.__module__.rpartition(".")[2], build, **how)  # type: ignore[attr-defined]
    return build


def programs(module: str) -> list[Program]:
    """The programs of a module, in their order."""
    found = vars(importlib.import_module(f"tests.differential.programs.{module}"))
    return [thing.program for thing in found.values() if hasattr(thing, "program")]


def by_key(lines: Sequence[str], order: Order) -> Mapping[str, Sequence[str]]:
    """Lines as they are compared: those of a key in their order, or all of them sorted."""
    if order == "none":
        return {"": sorted(lines)}
    keys: dict[str, list[str]] = {}
    for line in lines:
        word = _KEY.search(line)
        keys.setdefault(word.group() if word else "", []).append(line)
    return keys
