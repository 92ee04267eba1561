"""Options that are declared together, and errors about unknown or missing ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any, Final, final

import attrs

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.option import Option, OptionFamily
from kafkastream.sql.table_options import Declaration, GivenOptions, did_you_mean

__all__ = ["OptionGroup"]

log = logging.getLogger("kafkastream")

_DEW: Final = "dew."
_IGNORED: Final = "aliyun.kafka."


@final
@attrs.frozen
class OptionGroup:
    """Options that are declared together: those of a connector, a type of catalogs, or a section of a pipeline's document.

    Args:
        identifier: Value of ``connector`` for a connector, or of ``type``; for other sections their name.
        own: Options of its own.
        required: Options among them that are required.
        common: Options that it shares with others, such as ``connector`` itself.
    """

    identifier: str
    own: tuple[Option[Any] | OptionFamily, ...]
    required: tuple[Option[Any], ...] = ()
    common: tuple[Option[Any], ...] = ()

    @property
    def options(self) -> tuple[Option[Any] | OptionFamily, ...]:
        """Return all options."""
        return (*self.common, *self.own)

    def check(self, options: GivenOptions[Declaration], more: Iterable[str] = ()) -> None:
        """Check that no option is unknown, and none missing.

        Args:
            options: Given options.
            more: Further valid keys, of formats or of fields; ``x.*`` matches all that begin with ``x.``.

        Raises:
            DefinitionError: Options are missing, or unknown.
            UnsupportedFeatureError: A secret is stored in Huawei's service.
        """
        _check_secrets(options)
        missing = [option.key for option in self.required if not options.has(option)]
        if missing:
            raise options.missing(missing)
        supported = {*self._keys(), *more}
        unsupported = sorted(key for key in options.values if not _is_among(key, supported))
        ignored = [key for key in unsupported if key.startswith(_IGNORED)]
        for key in ignored:
            log.warning("%s: ignored, only ApsaraMQ for Kafka has it", options.where(key))
        unknown = [key for key in unsupported if key not in ignored]
        if unknown:
            raise options.refusal(
                f"Unsupported options found for '{self.identifier}'. Unsupported options: {', '.join(unknown)}. "
                f"Supported options: {', '.join(sorted(supported))}.",
                unknown[0],
                now=did_you_mean(unknown[0], supported),
            )

    def _keys(self) -> Iterator[str]:
        for option in self.options:
            yield from (option.key,) if isinstance(option, OptionFamily) else option.keys


def _is_among(key: str, supported: Iterable[str]) -> bool:
    return any(key == pattern or (pattern.endswith("*") and key.startswith(pattern[:-1])) for pattern in supported)


def _check_secrets(options: GivenOptions[Declaration]) -> None:
    secrets = [key for key in options.values if key.startswith(_DEW)]
    if secrets:
        fields = options.values.get(f"{_DEW}csms.decrypt.fields") or "properties.sasl.jaas.config"
        example = fields.split(";")[0].split(",")[0].strip()
        raise UnsupportedFeatureError(
            f"{', '.join(secrets)}: secrets in Huawei's Data Encryption Workshop cannot be read here",
            where=options.where(secrets[0]),
            now=f"Leave out 'dew.*' and write '{example}' = '${{env:NAME}}', a variable, or '${{file:PATH}}', a file.",
        )
