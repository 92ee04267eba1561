"""Enumerations, interfaces, exceptions and inheritance.

Ported by kafkastream port from Levels.java.
"""

from __future__ import annotations

import enum
import sys
from abc import ABC, abstractmethod
from typing import Any

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.util.java_values import java_text


class Level(enum.Enum):
    LOW = (1, "l")
    HIGH = (10, "h")

    def __init__(self, weight: int, code: str) -> None:
        self.weight = weight
        self.code = code

    def __str__(self) -> str:
        return self.name

    @staticmethod
    def of(code: str) -> Level:
        for level in list(Level):
            if level.code == code:
                return level
        raise UnknownLevel(f"no level {java_text(code)}")


class UnknownLevel(RuntimeError):
    pass


class Scorer(ABC):
    @abstractmethod
    def score(self, level: Level) -> int:
        ...

    def label(self, level: Level) -> str:
        return f"{java_text(level)}={self.score(level)}"


class Scaled(Scorer):
    factor: int

    def __init__(self, factor: int) -> None:
        self.factor = factor


class Weighted(Scaled):
    asked: int = 0

    def __init__(self) -> None:
        super().__init__(2)

    def score(self, level: Level) -> int:
        self.asked += 1
        match level:
            case Level.LOW:
                return level.weight
            case Level.HIGH:
                return level.weight * self.factor
            case _:
                raise RuntimeError(f"unexpected {java_text(level.name)}")


def find(code: str) -> Level | None:
    try:
        return Level.of(code)
    except UnknownLevel as e:
        print(str(e), file=sys.stderr)
        return None


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    scorer = Weighted()

    def map_code(code: str) -> Any:
        level = find(code)
        if level is not None:
            return scorer.label(level)
        return "?"

    env.from_elements("l", "h", "x").map(map_code).map(java_text).print()
    print(list(type(Level["low".upper()])).index(Level["low".upper()]))
    env.execute("levels")


if __name__ == "__main__":
    main()
