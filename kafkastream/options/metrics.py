"""Options of metric reporters, under Flink's keys."""

from __future__ import annotations

from typing import Final, final

import attrs

from kafkastream.options.option import Option
from kafkastream.options.parsers import boolean, list_of, millis_of_duration, port_list, text

__all__ = ["METRIC_OPTIONS", "REPORTERS", "REPORTER_PREFIX", "ReporterOptions"]

REPORTER_PREFIX: Final = "metrics.reporter."

REPORTERS: Final = Option[tuple[str, ...]](
    key="metrics.reporters",
    parse=list_of(text, separator=","),
    default=(),
    doc="Names of the reporters to start, separated by `,`; by default, all configured ones.",
)


@final
@attrs.frozen
class ReporterOptions:
    """Options of the reporter ``name``."""

    name: str

    @property
    def factory(self) -> Option[str | None]:
        """Option of the reporter's class."""
        doc = "Flink's factory class of the reporter."
        return Option(key=self._key("factory.class"), parse=text, default=None, doc=doc)

    @property
    def interval(self) -> Option[int]:
        """Option of the time between two reports."""
        doc = "Interval of the log reporter; in ms unless it has a unit."
        return Option(key=self._key("interval"), parse=millis_of_duration, default=10_000, doc=doc)

    @property
    def port(self) -> Option[tuple[int, ...]]:
        """Option of the ports that Prometheus scrapes."""
        doc = "Port of the Prometheus reporter, or a range such as `9250-9260`, of which the first free one is used."
        return Option(key=self._key("port"), parse=port_list, default=(9249,), doc=doc)

    @property
    def bind_address(self) -> Option[str | None]:
        """Option of the address at which Prometheus scrapes."""
        doc = (
            "Address at which the Prometheus reporter listens, such as `0.0.0.0` for all. By default `localhost` if Spark "
            "runs on this machine only, and `0.0.0.0` on a cluster."
        )
        return Option(key=self._key("bind-address"), parse=text, default=None, doc=doc)

    @property
    def filter_label_values(self) -> Option[bool]:
        """Option that restricts label values to the characters of names."""
        doc = "Whether the Prometheus reporter replaces characters of label values other than letters, digits, `_` and `:` by `_`."
        return Option(key=self._key("filterLabelValueCharacters"), parse=boolean, default=True, doc=doc)

    def _key(self, key: str) -> str:
        return f"{REPORTER_PREFIX}{self.name}.{key}"


_ANY: Final = ReporterOptions("<name>")
METRIC_OPTIONS: Final = (REPORTERS, _ANY.factory, _ANY.interval, _ANY.port, _ANY.bind_address, _ANY.filter_label_values)
