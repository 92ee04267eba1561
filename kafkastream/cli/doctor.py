"""``kafkastream doctor``: checks this machine, Spark's workers and the brokers."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from kafkastream.doctor.finding import Finding, Verdict
from kafkastream.printable import printable

__all__ = ["doctor_command"]

_MARKS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.RIGHT: ("ok", "green"),
    Verdict.NOTE: ("note", "yellow"),
    Verdict.WRONG: ("WRONG", "bold red"),
}
_INDENT = 7
_EPILOG = """\b
Example:
  kafkastream doctor
  kafkastream doctor --bootstrap-servers broker:9092 --source orders --sink totals --group totals-job
  kafkastream doctor --properties client.properties --sink totals --transactional-id-prefix totals

\b
The exit status is 1 if something is wrong. --properties takes a file as Kafka's own tools do, so that
no password is on the command line.
"""


@click.command("doctor", epilog=_EPILOG)
@click.option("--bootstrap-servers", help="Brokers to check; without them, only this machine is checked.")
@click.option(
    "--properties",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with properties of Java's client: security.protocol, sasl.jaas.config …",
)
@click.option("-P", "--property", "pairs", multiple=True, metavar="KEY=VALUE", help="A property of Java's client.")
@click.option("--source", "sources", multiple=True, metavar="TOPIC", help="A topic that the job reads.")
@click.option("--sink", "sinks", multiple=True, metavar="TOPIC", help="A topic that the job writes.")
@click.option("--group", help="Consumer group of the sources (group.id).")
@click.option("--transactional-id-prefix", help="Prefix of exactly-once sinks; begins a transactional id of that name.")
@click.option("--checkpoint-dir", help="Checkpoint directory of the job.")
@click.option("--spark/--no-spark", default=True, help="Start Spark and ask its workers; takes about 10 s.")
def doctor_command(
    *,
    bootstrap_servers: str | None,
    files: tuple[Path, ...],
    pairs: tuple[str, ...],
    sources: tuple[str, ...],
    sinks: tuple[str, ...],
    group: str | None,
    transactional_id_prefix: str | None,
    checkpoint_dir: str | None,
    spark: bool,
) -> None:
    """Check whether jobs can run here, and name what is wrong with the way out.

    Checks Python, Java, Spark, the connector's jars, limits and disks of this machine; Python and packages of Spark's
    workers; and, if brokers are given, the connection, and the permissions that sources and sinks need.
    """
    properties = _read_properties(bootstrap_servers, files, pairs)
    console = Console(highlight=False, soft_wrap=True)
    verdicts: Counter[Verdict] = Counter()

    def show(findings: Iterable[Finding]) -> None:
        for finding in findings:
            verdicts[finding.verdict] += 1
            _print_finding(console, finding)

    from kafkastream.doctor.machine import machine_findings

    show(machine_findings(checkpoint_dir))
    if spark and not verdicts[Verdict.WRONG]:  # a broken machine fails to start Spark for reasons told above
        from kafkastream.doctor.workers import worker_findings

        show(worker_findings())
    if "bootstrap.servers" in properties:
        from kafkastream.doctor.brokers import Access, broker_findings

        show(
            broker_findings(
                Access(
                    properties=properties,
                    sources=sources,
                    sinks=sinks,
                    group=group or properties.get("group.id"),
                    transactional_id_prefix=transactional_id_prefix,
                )
            )
        )
    wrong = verdicts[Verdict.WRONG]
    console.print(f"\n{wrong} of {verdicts.total()} checks found something wrong." if wrong else "\nJobs can run here.")
    if wrong:
        raise SystemExit(1)


def _print_finding(console: Console, finding: Finding) -> None:
    mark, style = _MARKS[finding.verdict]
    line = Text.assemble((mark.ljust(_INDENT), style), (f"{finding.subject}: ", "bold"), printable(finding.text))
    console.print(line)
    for part in textwrap.wrap(printable(finding.now), max(console.width - _INDENT, _INDENT), break_long_words=False):
        console.print(Text(" " * _INDENT + part))


def _read_properties(servers: str | None, files: Iterable[Path], pairs: Iterable[str]) -> dict[str, str]:
    """Return the client properties of the options; later ones win."""
    properties: dict[str, str] = {}
    for file in files:
        properties |= _parse_properties(file.read_text(encoding="utf-8"))
    for pair in pairs:
        key, separator, value = pair.partition("=")
        if not separator:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE", param_hint="--property")
        properties[key.strip()] = value.strip()
    return {**properties, **({} if servers is None else {"bootstrap.servers": servers})}


def _parse_properties(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the pairs of a Java properties file: ``key=value`` lines, ``#`` comments, lines continued by a backslash.

    Example:
        >>> dict(_parse_properties("# client\nsecurity.protocol = SSL\nssl.key=a\\\n  b"))
        {'security.protocol': 'SSL', 'ssl.key': 'ab'}
    """
    entry = ""
    for line in text.splitlines():
        entry += line.strip()
        if entry.endswith("\\"):
            entry = entry[:-1]
            continue
        key, separator, value = entry.partition("=")
        if separator and not entry.startswith(("#", "!")):
            yield key.strip(), value.strip()
        entry = ""
