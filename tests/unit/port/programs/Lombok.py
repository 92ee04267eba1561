"""Ported by kafkastream port from Lombok.java."""

from __future__ import annotations

import logging

import attrs
from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.util.java_values import java_text

log = logging.getLogger(__name__)


@attrs.define(unsafe_hash=True)
class User:
    userName: str = attrs.field(default=None)
    age: int = 0
    active: bool = False

    def __str__(self) -> str:
        return f"Lombok.User(userName={java_text(self.userName)}, age={self.age}, active={java_text(self.active)})"


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    ann = User(userName="ann", age=7)
    ann.age = ann.age + 1
    log.info("first: %s", ann)
    (
        env.from_elements(ann, User("ben", 40, True))
        .filter(lambda user: user.active)
        .map(lambda user: f"{java_text(user.userName)} {java_text(user)}")
        .print()
    )
    env.execute("users")


if __name__ == "__main__":
    main()
