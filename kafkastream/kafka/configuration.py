"""What Kafka's client says when it does not take a property."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import KafkaException

from kafkastream.errors import DefinitionError

__all__ = ["refused_properties"]


@contextmanager
def refused_properties(where: str) -> Iterator[None]:
    """While a client is made: what it refuses is a mistake in the definition of ``where``.

    Raises:
        DefinitionError: The client refuses a property.
    """
    try:
        yield
    except KafkaException as error:
        raise DefinitionError(
            f"Kafka's client refuses a property: {error.args[0].str()}",
            where=where,
            now="Correct its value; Java's names of properties are translated to the client's own.",
        ) from None
