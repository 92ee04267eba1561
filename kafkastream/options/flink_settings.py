"""Finds what a key of a configuration is: a declared option, a setting of Flink that is not applied, or a mistake.

Together with the declared options, the settings of ``refused_settings`` and ``ignored_settings`` cover every option of
Flink's own classes: ``tests/names/flink-options-2.2.tsv`` lists them, and a test walks over that list.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.options.ignored_settings import IGNORED_SETTINGS, IgnoredSettings
from kafkastream.options.job import JOB_OPTIONS
from kafkastream.options.metrics import METRIC_OPTIONS
from kafkastream.options.option import Option
from kafkastream.options.refused_settings import REFUSED_SETTINGS, RefusedSettings
from kafkastream.options.table_config import TABLE_OPTIONS

__all__ = ["check_setting", "find_setting", "setting_notes"]

Setting: TypeAlias = Option[Any] | RefusedSettings | IgnoredSettings

_BY_KEY: Final[Mapping[str, RefusedSettings | IgnoredSettings]] = {
    key: settings for settings in (*REFUSED_SETTINGS, *IGNORED_SETTINGS) for key in settings.keys
}
_OPTIONS: Final[Mapping[str, Option[Any]]] = {
    key: option for option in (*JOB_OPTIONS, *METRIC_OPTIONS, *TABLE_OPTIONS) for key in option.keys
}
# A program may have keys of its own in any other namespace.
_NAMESPACES: Final = frozenset(
    ("execution", "kafkastream", "pipeline", "python", "restart-strategy", "security", "sql-client", "state", "table")
)
_MOST_NAMES: Final = 12
_REPORTER: Final = re.compile(r"^metrics\.reporter\.[^.]+")


def find_setting(key: str) -> Setting | None:
    """Return what a key belongs to: settings that are not applied, a declared option, or None if it is unknown.

    A key of its own counts before a declared option, and that before the longest prefix.

    Example:
        >>> option = find_setting("state.checkpoints.dir")
        >>> option.key, type(find_setting("jobmanager.memory.process.size")).__name__
        ('execution.checkpointing.dir', 'IgnoredSettings')
    """
    general = _REPORTER.sub("metrics.reporter.<name>", key)
    if settings := _BY_KEY.get(key) or _OPTIONS.get(general):
        return settings
    prefixes = (key[:end] for end in range(len(key), 0, -1) if not key[end - 1].isalnum())
    return next((_BY_KEY[prefix] for prefix in prefixes if prefix in _BY_KEY), None)


def check_setting(key: str, value: str) -> None:
    """Refuse a setting of Flink that cannot be ignored.

    Raises:
        UnsupportedFeatureError: Ignoring the setting would change results or security; the error names what works.
    """
    settings = find_setting(key)
    if isinstance(settings, RefusedSettings) and value.strip().lower() not in settings.harmless:
        raise UnsupportedFeatureError(
            _plain(settings.reason).rstrip("."), where=f"{key!r}", now=_plain(settings.instead)
        )


def setting_notes(configured: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence about the settings without effect, and one about keys that Flink does not have.

    A setting that has the default of its option is not mentioned.

    Example:
        >>> list(setting_notes({"execution.checkpointing.intervall": "10 s", "my-program.rate": "3"}))
        ["no options of Flink: 'execution.checkpointing.intervall' (did you mean 'execution.checkpointing.interval'?)"]
    """
    if ignored := [key for key, value in sorted(configured.items()) if _is_ignored(key, value)]:
        more = f" and {len(ignored) - _MOST_NAMES} more" if len(ignored) > _MOST_NAMES else ""
        yield f"no effect on Spark: {', '.join(ignored[:_MOST_NAMES])}{more}; docs/support.md has the reasons"
    unknown = [key for key in sorted(configured) if key.partition(".")[0] in _NAMESPACES and find_setting(key) is None]
    if unknown:
        yield f"no options of Flink: {', '.join(map(_with_closest, unknown))}"


def _is_ignored(key: str, value: str) -> bool:
    option = _OPTIONS.get(key)
    is_default = option is not None and option.read(value) == option.default
    return isinstance(find_setting(key), IgnoredSettings) and not is_default


def _with_closest(key: str) -> str:
    closest = difflib.get_close_matches(
        key, (known for known in (*_OPTIONS, *_BY_KEY) if known[-1].isalnum()), n=1, cutoff=0.8
    )
    return f"{key!r} (did you mean {closest[0]!r}?)" if closest else repr(key)


def _plain(text: str) -> str:
    """Return a text of the reference page for the terminal."""
    return text.replace("`", "")
