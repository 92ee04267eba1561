"""Metric reporters of a job, read from its configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias, TypeVar, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.extras import PROMETHEUS, PROMETHEUS_SERVER
from kafkastream.options.metrics import REPORTER_PREFIX, REPORTERS, ReporterOptions
from kafkastream.options.option import Option

__all__ = ["LogReporterSettings", "PrometheusReporterSettings", "Reporter", "ReporterSettings", "reporters_of"]

T = TypeVar("T")


class Reporter(Protocol):
    """Running reporter that publishes a job's metrics."""

    def stop(self) -> None:
        """Stop when the job has ended."""


@final
@attrs.frozen
class LogReporterSettings:
    """Settings of a reporter that logs all metrics every ``interval_ms`` ms."""

    name: str
    interval_ms: int


@final
@attrs.frozen
class PrometheusReporterSettings:
    """Settings of a reporter that serves Prometheus on the first free port of ``ports``.

    Without ``bind_address``, it listens for programs of this machine if Spark runs on this machine only, and at all
    addresses of the driver on a cluster.
    """

    name: str
    ports: tuple[int, ...]
    filter_label_values: bool = True
    bind_address: str | None = None


ReporterSettings: TypeAlias = LogReporterSettings | PrometheusReporterSettings


def reporters_of(configured: Mapping[str, str]) -> tuple[ReporterSettings, ...]:
    """Return the settings of the configured reporters.

    Args:
        configured: Configuration with keys ``metrics.reporters`` and ``metrics.reporter.<name>.*``.

    Raises:
        DefinitionError: A reporter is listed but has no class, or a value is invalid.
        UnsupportedFeatureError: The reporter's class is not supported.

    Example:
        >>> factory = "org.apache.flink.metrics.slf4j.Slf4jReporterFactory"
        >>> reporters_of({"metrics.reporter.log.factory.class": factory})
        (LogReporterSettings(name='log', interval_ms=10000),)
    """
    names = dict.fromkeys(_reporter_names(configured))
    wanted = _read_option(configured, REPORTERS) or names
    return tuple(_read_reporter(name, configured) for name in wanted)


def _reporter_names(configured: Mapping[str, str]) -> Iterator[str]:
    for key in configured:
        if key.startswith(REPORTER_PREFIX):
            yield key.removeprefix(REPORTER_PREFIX).partition(".")[0]


def _read_reporter(name: str, configured: Mapping[str, str]) -> ReporterSettings:
    options = ReporterOptions(name)
    factory = _read_option(configured, options.factory)
    if factory is None:
        raise DefinitionError(
            f"the metric reporter {name!r} has no class", now=f"Set {options.factory.key}; {_KNOWN_CLASSES}"
        )
    if factory not in _FACTORIES:
        raise UnsupportedFeatureError(
            f"unknown metric reporter class {factory!r}", where=options.factory.key, now=_KNOWN_CLASSES
        )
    return _FACTORIES[factory](options, configured)


def _log_reporter(options: ReporterOptions, configured: Mapping[str, str]) -> ReporterSettings:
    return LogReporterSettings(options.name, _read_option(configured, options.interval))


def _prometheus_reporter(options: ReporterOptions, configured: Mapping[str, str]) -> ReporterSettings:
    for extra in (PROMETHEUS, PROMETHEUS_SERVER):
        extra.check()
    return PrometheusReporterSettings(
        options.name,
        _read_option(configured, options.port),
        _read_option(configured, options.filter_label_values),
        _read_option(configured, options.bind_address),
    )


def _read_option(configured: Mapping[str, str], option: Option[T]) -> T:
    return option.read(configured[option.key]) if option.key in configured else option.default


_FACTORIES: Mapping[str, Callable[[ReporterOptions, Mapping[str, str]], ReporterSettings]] = {
    "org.apache.flink.metrics.slf4j.Slf4jReporterFactory": _log_reporter,
    "org.apache.flink.metrics.prometheus.PrometheusReporterFactory": _prometheus_reporter,
}
_KNOWN_CLASSES = f"There are {' and '.join(_FACTORIES)}."
