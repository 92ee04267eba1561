"""Client properties and the topic of dead letters, as builders of sources and sinks set and check them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from typing_extensions import Self

from kafkastream.errors import DefinitionError
from kafkastream.model.common.argument_checks import checked_methods

__all__ = ["ClientBuilder", "dead_letter_problems", "property_texts"]


@checked_methods
class ClientBuilder:
    """Setters of the properties of a Kafka client."""

    def __init__(self) -> None:
        self._properties: dict[str, str] = {}

    def set_bootstrap_servers(self, bootstrap_servers: str) -> Self:
        """Set the brokers to connect to first.

        Args:
            bootstrap_servers: Comma-separated ``host:port``.
        """
        return self._set({"bootstrap.servers": bootstrap_servers})

    setBootstrapServers = set_bootstrap_servers

    def _set(self, properties: Mapping[str, str]) -> Self:
        self._properties.update(property_texts(properties))
        return self


def property_texts(properties: Mapping[str, object]) -> dict[str, str]:
    """Return properties, whose values must be text.

    Raises:
        DefinitionError: A value is not text; it is not shown, since it may be a secret.
    """
    return {key: _text(key, value) for key, value in properties.items()}


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise DefinitionError(
            f"the value of property {key} is of type {type(value).__name__}", now="Property values are strings."
        )
    return value


def dead_letter_problems(topic: str | None, others: Collection[str | None]) -> Iterator[str]:
    """Yield problems of a topic for dead letters: an empty name, or a topic that the job itself reads or writes."""
    if topic is not None and topic in {"", *others}:
        yield f"The dead letter topic {topic!r} must be a topic of its own"
