"""``kafkastream broker``: runs an Apache Kafka broker for trials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from kafkastream.errors import KafkaError

if TYPE_CHECKING:
    from kafkastream.testing import EmbeddedKafka

__all__ = ["broker_command"]

_TOPIC = re.compile(r"([^:]+)(?::([1-9]\d*))?")
_YEAR_S = 365 * 24 * 3600.0


def _parse_topics(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> tuple[tuple[str, int], ...]:
    return tuple(_parse_topic(text) for text in texts)


def _parse_topic(text: str) -> tuple[str, int]:
    match = _TOPIC.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is neither a name nor a name with a number of partitions, as in orders:4")
    return match.group(1), int(match.group(2) or "1")


@click.command(
    "broker",
    epilog="\b\nExample:\n  kafkastream broker --port 9092 --topic orders:4 --topic results",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on; by default, a free one.")
@click.option(
    "--topic",
    "topics",
    metavar="NAME[:PARTITIONS]",
    multiple=True,
    callback=_parse_topics,
    help="Topic to create, with one partition by default; may be repeated.",
)
def broker_command(port: int | None, topics: tuple[tuple[str, int], ...]) -> None:
    """Run an Apache Kafka broker on this machine until Ctrl-C.

    The broker listens on 127.0.0.1 only, and its topics and records are deleted when it ends.
    It needs Java 17 or newer, and downloads Kafka on first use.
    """
    from kafkastream.testing import EmbeddedKafka

    try:
        with EmbeddedKafka(port=port) as kafka:
            for name, partitions in topics:
                kafka.create_topic(name, partitions)
            _print_address(kafka)
            _wait_until_stopped(kafka)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)


def _print_address(kafka: EmbeddedKafka) -> None:
    click.echo(f"Kafka listens on {kafka.bootstrap_servers}")
    click.echo(f"Use it in a job: .set_bootstrap_servers({kafka.bootstrap_servers!r})")
    click.echo("Stop it with Ctrl-C.")


def _wait_until_stopped(kafka: EmbeddedKafka) -> None:
    from kafkastream.testing import wait_until

    wait_until(lambda: not kafka.is_running(), _YEAR_S, "Ctrl-C")
    raise KafkaError("the broker ended on its own", where=f"the log: {kafka.log_tail()}")
