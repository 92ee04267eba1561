"""Every option of Flink 2.2 is applied, or named at the start as without effect, or refused.

``flink-options-2.2.tsv`` has the options of Flink's own classes; ``ListFlinkOptions.java`` writes it from Flink's jars.
Run as a module, this counts them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.job.configuration import Configuration
from kafkastream.model.job.job_settings import job_settings
from kafkastream.options.checkpoints import CHECKPOINT_DIR
from kafkastream.options.flink_settings import find_setting, setting_notes
from kafkastream.options.ignored_settings import IGNORED_SETTINGS, IgnoredSettings
from kafkastream.options.option import Option
from kafkastream.options.refused_settings import REFUSED_SETTINGS, RefusedSettings
from kafkastream.table import EnvironmentSettings, TableEnvironment

LIST: Final = Path(__file__).with_name("flink-options-2.2.tsv")
VERSION, *LINES = LIST.read_text(encoding="utf-8").splitlines()
ROWS: Final = [line.split("\t") for line in LINES]
KEYS: Final = {key for row in ROWS for key in (row[0], *row[4].split(",")) if key}
PAGE_KEYS: Final = ("rest.", "web.", "jobmanager.")
"""The job page is another than Flink's; it takes only the current keys of its address."""


KEYS_OF_OTHER_CLASSES: Final = {
    "$internal.",
    "s3.",
    "s3a.",
    "gs.",
    "table.catalog-store.",
    "table.exec.dynamic-filtering.",
    "workflow-",
}
"""Keys of classes that are not named ``*Options`` or are not in PyFlink's jars."""


def test_every_option_is_applied_noted_or_refused() -> None:
    assert VERSION.startswith("# Flink 2.2")
    assert sorted(key for key in KEYS if find_setting(key) is None) == []


def test_older_keys_of_an_applied_option_are_applied() -> None:
    applied = [(key, older.split(",")) for key, *_, older in ROWS if isinstance(find_setting(key), Option) and older]
    assert (CHECKPOINT_DIR.key, ["state.checkpoints.dir", "state.backend.fs.checkpointdir"]) in applied
    lost = {
        older: key
        for key, keys in applied
        for older in keys
        if find_setting(older) is not find_setting(key) and not older.startswith(PAGE_KEYS)
    }
    assert lost == {}


@pytest.mark.parametrize("settings", [*IGNORED_SETTINGS, *REFUSED_SETTINGS], ids=lambda settings: settings.keys[0])
def test_keys_are_flinks_and_their_own(settings: IgnoredSettings | RefusedSettings) -> None:
    outside = [key for key in settings.keys if not any(known.startswith(key) for known in KEYS)]
    assert set(outside) <= KEYS_OF_OTHER_CLASSES
    assert all(find_setting(key) is settings for key in settings.keys)


def test_a_refused_setting_fails_at_each_door() -> None:
    key, value = "execution.savepoint.path", "s3://savepoints/savepoint-1"
    with pytest.raises(UnsupportedFeatureError, match="dir"):
        job_settings(Configuration().set_string(key, value), None)
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    with pytest.raises(UnsupportedFeatureError, match="dir"):
        t_env.get_config().set(key, value)
    with pytest.raises(UnsupportedFeatureError, match="dir"):
        t_env.execute_sql(f"SET '{key}' = '{value}'")


def test_a_value_that_changes_nothing_is_accepted() -> None:
    settings = {"security.ssl.internal.enabled": "False", "table.exec.sink.upsert-materialize": "NONE"}
    configuration = Configuration()
    for key, value in settings.items():
        configuration.set_string(key, value)
    assert dict(job_settings(configuration, None).configuration) == settings
    assert list(setting_notes(settings)) == []


def test_keys_without_effect_are_named_in_one_sentence() -> None:
    defaults = {"execution.checkpointing.mode": "EXACTLY_ONCE", "state.backend": "hashmap"}
    settings = {"state.backend.type": "rocksdb", "jobmanager.memory.process.size": "2g", "parallelism.default": "2"}
    assert list(setting_notes({**defaults, **settings, "my.own": "key"})) == [
        "no effect on Spark: jobmanager.memory.process.size, state.backend.type; docs/support.md has the reasons"
    ]
    many = {f"taskmanager.memory.m{number:02}": "1" for number in range(15)}
    assert next(setting_notes(many)).endswith("m11 and 3 more; docs/support.md has the reasons")


def test_a_key_that_flink_does_not_have_is_named() -> None:
    settings = {"table.exec.mini-batches": "true", "pipeline.nmae": "orders", "client.of-mine": "key"}
    assert list(setting_notes(settings)) == [
        "no options of Flink: 'pipeline.nmae' (did you mean 'pipeline.name'?), 'table.exec.mini-batches'"
    ]


def test_jars_of_statements_are_named_as_those_of_settings() -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("SET 'pipeline.jars' = 'a.jar'")
    t_env.execute_sql("ADD JAR 'b.jar'")
    assert t_env.get_config().to_map() == {"pipeline.jars": "a.jar;b.jar"}


@pytest.mark.parametrize("mode", ["BATCH", "AUTOMATIC"])
def test_tables_have_no_batch_mode_by_a_setting(mode: str) -> None:
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    with pytest.raises(UnsupportedFeatureError, match="batch mode"):
        t_env.execute_sql(f"SET 'execution.runtime-mode' = '{mode}'")
    t_env.get_config().get_configuration().set_string("execution.runtime-mode", mode)
    with pytest.raises(UnsupportedFeatureError, match="batch mode"):
        t_env.execute_sql("SELECT COUNT(*) FROM (VALUES (1), (2)) AS t (id)")


if __name__ == "__main__":
    print(VERSION, dict(Counter(type(find_setting(key)).__name__ for key in KEYS)))  # noqa: T201
