"""Each setting is kept once, in the environment's configuration, whichever method or key it is set by."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from kafkastream.common import Configuration, Duration, RestartStrategies, RestartStrategyConfiguration, Time
from kafkastream.datastream import (
    CheckpointConfig,
    CheckpointingMode,
    EmbeddedRocksDBStateBackend,
    ExternalizedCheckpointRetention,
    FileSystemCheckpointStorage,
    HashMapStateBackend,
    JobManagerCheckpointStorage,
    StreamExecutionEnvironment,
    TimeCharacteristic,
)
from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.job.execution_config import ExecutionConfig
from kafkastream.model.job.job_result import JobSettings
from kafkastream.options.job import JOB_OPTIONS

Env = StreamExecutionEnvironment


@pytest.fixture
def env() -> Env:
    return StreamExecutionEnvironment.get_execution_environment()


def settings_of(**keys: str) -> JobSettings:
    """The settings of a job with these keys, in which ``_`` stands for ``.`` and ``__`` for ``-``."""
    configuration = Configuration()
    for key, value in keys.items():
        configuration.set_string(key.replace("__", "-").replace("_", "."), value)
    return StreamExecutionEnvironment.get_execution_environment(configuration)._settings("job")


GIVEN_BACK: list[tuple[Callable[[Env], Any], str, Any, Any]] = [
    (Env.get_config, "parallelism", 3, -1),
    (Env.get_config, "max_parallelism", 64, -1),
    (Env.get_config, "auto_watermark_interval", 50, 200),
    (Env.get_config, "latency_tracking_interval", 5, 0),
    (Env.get_config, "task_cancellation_interval", 7, 30_000),
    (Env.get_config, "task_cancellation_timeout", 0, 180_000),
    (Env.get_config, "global_job_parameters", {"a": "1", "b,c": "d:e"}, {}),
    (Env.get_checkpoint_config, "checkpoint_interval", 500, -1),
    (Env.get_checkpoint_config, "checkpointing_mode", CheckpointingMode.AT_LEAST_ONCE, CheckpointingMode.EXACTLY_ONCE),
    (Env.get_checkpoint_config, "checkpoint_timeout", 1, 600_000),
    (Env.get_checkpoint_config, "min_pause_between_checkpoints", 5, 0),
    (Env.get_checkpoint_config, "max_concurrent_checkpoints", 2, 1),
    (Env.get_checkpoint_config, "tolerable_checkpoint_failure_number", 3, 0),
    (
        Env.get_checkpoint_config,
        "externalized_checkpoint_retention",
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION,
        ExternalizedCheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
    ),
    (Env.get_checkpoint_config, "aligned_checkpoint_timeout", Duration.of_seconds(3), Duration.of_seconds(0)),
    (Env.get_checkpoint_config, "checkpoint_storage", FileSystemCheckpointStorage("/c"), None),
    (lambda env: env, "default_savepoint_directory", "/s", None),
    (lambda env: env, "buffer_timeout", -1, 100),
    (lambda env: env, "buffer_timeout", 0, 100),
    (lambda env: env, "stream_time_characteristic", TimeCharacteristic.ProcessingTime, TimeCharacteristic.EventTime),
    (lambda env: env, "restart_strategy", RestartStrategies.no_restart(), RestartStrategies.fall_back_restart()),
]


@pytest.mark.parametrize(("view", "name", "value", "default"), GIVEN_BACK, ids=[name for _, name, *_ in GIVEN_BACK])
def test_what_is_set_is_given_back(
    env: Env, view: Callable[[Env], Any], name: str, value: object, default: object
) -> None:
    before = view(env)
    assert getattr(before, f"get_{name}")() == default
    getattr(view(env), f"set_{name}")(value)
    assert getattr(before, f"get_{name}")() == value
    known = {key for option in JOB_OPTIONS for key in option.keys}
    assert set(env.get_configuration().to_dict()) <= known
    env._settings(None)


SWITCHES: list[tuple[Callable[[Env], Any], str, str, str, bool]] = [
    (Env.get_config, "enable_closure_cleaner", "disable_closure_cleaner", "is_closure_cleaner_enabled", True),
    (Env.get_config, "enable_object_reuse", "disable_object_reuse", "is_object_reuse_enabled", False),
    (Env.get_config, "disable_generic_types", "enable_generic_types", "has_generic_types_disabled", False),
    (Env.get_config, "enable_force_kryo", "disable_force_kryo", "is_force_kryo_enabled", False),
    (Env.get_config, "enable_force_avro", "disable_force_avro", "is_force_avro_enabled", False),
    (
        Env.get_config,
        "enable_auto_generated_uids",
        "disable_auto_generated_uids",
        "has_auto_generated_uids_enabled",
        True,
    ),
    (
        Env.get_checkpoint_config,
        "enable_unaligned_checkpoints",
        "disable_unaligned_checkpoints",
        "is_unaligned_checkpoints_enabled",
        False,
    ),
]


@pytest.mark.parametrize(("view", "on", "off", "asked", "default"), SWITCHES, ids=[on for _, on, *_ in SWITCHES])
def test_switches_can_be_asked_for(
    env: Env, view: Callable[[Env], Any], on: str, off: str, asked: str, *, default: bool
) -> None:
    assert getattr(view(env), asked)() is default
    for switch, expected in ((on, True), (off, False)):
        getattr(view(env), switch)()
        assert getattr(view(env), asked)() is expected


def test_switches_that_take_a_value(env: Env) -> None:
    checkpoints = env.get_checkpoint_config()
    assert checkpoints.is_fail_on_checkpointing_errors()
    assert not checkpoints.set_fail_on_checkpointing_errors(False).is_fail_on_checkpointing_errors()
    assert checkpoints.set_force_unaligned_checkpoints().is_force_unaligned_checkpoints()
    assert (env.is_unaligned_checkpoints_enabled(), env.is_force_unaligned_checkpoints()) == (False, True)
    assert not checkpoints.is_externalized_checkpoints_enabled()
    checkpoints.enable_externalized_checkpoints(ExternalizedCheckpointRetention.DELETE_ON_CANCELLATION)
    assert checkpoints.is_externalized_checkpoints_enabled()
    assert env.get_config().set_use_snapshot_compression(True).is_use_snapshot_compression()
    assert env.enable_changelog_state_backend(True).is_changelog_state_backend_enabled()
    assert not env.disable_operator_chaining().is_chaining_enabled()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda env: env.set_max_parallelism(0),
        lambda env: env.get_config().set_max_parallelism(32_769),
        lambda env: env.get_config().set_parallelism(0),
        lambda env: env.get_config().set_auto_watermark_interval(-1),
        lambda env: env.get_checkpoint_config().set_checkpoint_timeout(0),
        lambda env: env.get_checkpoint_config().set_min_pause_between_checkpoints(-1),
        lambda env: env.get_checkpoint_config().set_max_concurrent_checkpoints(0),
        lambda env: env.get_checkpoint_config().set_tolerable_checkpoint_failure_number(-1),
        lambda env: env.set_default_local_parallelism(0),
    ],
)
def test_numbers_that_flink_refuses_are_refused(env: Env, wrong: Callable[[Env], object]) -> None:
    with pytest.raises(DefinitionError):
        wrong(env)
    assert env.get_configuration().to_dict() == {}


def test_parallelism_may_be_left_to_spark_again(env: Env) -> None:
    config = env.set_parallelism(4).get_config()
    assert config.set_parallelism(ExecutionConfig.PARALLELISM_UNKNOWN).get_parallelism() == 4
    assert config.set_parallelism(ExecutionConfig.PARALLELISM_DEFAULT).get_parallelism() == -1
    assert env._settings(None).parallelism is None


def test_parallelism_is_at_most_the_maximum(env: Env) -> None:
    env.set_parallelism(5).set_max_parallelism(4)
    with pytest.raises(DefinitionError, match="parallelism 5 is more than the maximum parallelism 4"):
        env._settings(None)
    assert env.set_max_parallelism(5)._settings(None).max_parallelism == 5


def test_job_parameters_come_by_method_and_key(env: Env) -> None:
    env.get_config().set_global_job_parameters({"region": "north", "limit": 5})
    assert env._settings(None).parameters == {"region": "north", "limit": "5"}
    assert settings_of(pipeline_global__job__parameters="a:1, b:2").parameters == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("strategy", "keys"),
    [
        (RestartStrategies.no_restart(), {"restart__strategy_type": "off"}),
        (
            RestartStrategies.fixed_delay_restart(3, datetime.timedelta(seconds=10)),
            {
                "restart__strategy": "fixeddelay",
                "restart__strategy_fixed__delay_attempts": "3",
                "restart__strategy_fixed__delay_delay": "10 s",
            },
        ),
        (
            RestartStrategies.failure_rate_restart(2, Time.minutes(5), Duration.of_millis(10)),
            {
                "restart__strategy_type": "failure-rate",
                "restart__strategy_failure__rate_max__failures__per__interval": "2",
                "restart__strategy_failure__rate_failure__rate__interval": "5 min",
                "restart__strategy_failure__rate_delay": "10",
            },
        ),
        (
            RestartStrategies.exponential_delay_restart(1_000, 60_000, 1.5, 3_600_000, 0.1),
            {"restart__strategy_type": "exponential-delay"},
        ),
    ],
)
def test_a_strategy_is_the_same_by_method_and_by_keys(
    env: Env, strategy: RestartStrategyConfiguration, keys: dict[str, str]
) -> None:
    env.set_restart_strategy(strategy)
    assert env.get_restart_strategy() == env._settings(None).restarts == settings_of(**keys).restarts == strategy
    env.get_config().set_restart_strategy(RestartStrategies.fall_back_restart())
    assert env._settings(None).restarts == RestartStrategies.fall_back_restart()


def test_strategies_tell_what_they_are() -> None:
    fixed = RestartStrategies.fixed_delay_restart(3, 10_000)
    assert (fixed.get_restart_attempts(), fixed.get_delay_between_attempts_interval()) == (
        3,
        datetime.timedelta(seconds=10),
    )
    rate = RestartStrategies.failure_rate_restart(2, 60_000, 5)
    assert (rate.get_max_failure_rate(), rate.get_failure_interval()) == (2, datetime.timedelta(minutes=1))
    assert rate.get_delay_between_attempts_interval() == datetime.timedelta(milliseconds=5)
    descriptions = [
        strategy.get_description()
        for strategy in (
            RestartStrategies.no_restart(),
            RestartStrategies.fall_back_restart(),
            fixed,
            rate,
            RestartStrategies.exponential_delay_restart(1, 2, 1.5, 3, 0.1),
        )
    ]
    assert descriptions == [
        "Restart deactivated.",
        "Cluster level default restart strategy",
        "Restart with fixed delay (10000 ms). #3 restart attempts.",
        "Failure rate restart with maximum of 2 failures within interval 60000 ms and fixed delay 5 ms.",
        (
            "Restart with exponential delay: starting at 1 ms, increasing by 1.500000, with maximum 2 ms. "
            "Delay resets after 3 ms with jitter 0.100000"
        ),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RestartStrategies.fixed_delay_restart(-1, 0),
        lambda: RestartStrategies.fixed_delay_restart(1, -1),
        lambda: RestartStrategies.failure_rate_restart(0, 1, 0),
        lambda: RestartStrategies.failure_rate_restart(1, 0, 0),
        lambda: RestartStrategies.exponential_delay_restart(0, 1, 1.5, 1, 0.1),
        lambda: RestartStrategies.exponential_delay_restart(2, 1, 1.5, 1, 0.1),
        lambda: RestartStrategies.exponential_delay_restart(1, 1, 1.0, 1, 0.1),
        lambda: RestartStrategies.exponential_delay_restart(1, 1, 1.5, 1, 1.1),
        lambda: RestartStrategies.fixed_delay_restart(1, "1 s"),  # type: ignore[arg-type]  # what this test is about
    ],
)
def test_strategies_that_flink_refuses_are_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(DefinitionError):
        wrong()


def test_a_strategy_that_is_none_is_told_with_its_key() -> None:
    with pytest.raises(DefinitionError, match=r"'sometimes' is not a valid value for 'restart-strategy\.type'"):
        settings_of(restart__strategy="sometimes")


def test_checkpoints_are_kept_where_the_storage_says(env: Env) -> None:
    def checkpoint_dir(set_storage: Callable[[CheckpointConfig], object]) -> str | None:
        set_storage(env.get_checkpoint_config())
        return env._settings(None).checkpoint_dir

    assert checkpoint_dir(lambda config: config.set_checkpoint_storage(JobManagerCheckpointStorage())) is None
    assert checkpoint_dir(lambda config: config.set_checkpoint_storage("/by-path")) == "/by-path"
    file_system = FileSystemCheckpointStorage("/by-storage")
    assert checkpoint_dir(lambda config: config.set_checkpoint_storage(file_system)) == "/by-storage"
    assert file_system.get_checkpoint_path() == "/by-storage"
    assert JobManagerCheckpointStorage().get_checkpoint_path() is None


def test_state_backends_are_taken(env: Env) -> None:
    assert isinstance(env.get_state_backend(), HashMapStateBackend)
    given = env.set_state_backend(EmbeddedRocksDBStateBackend(True)).get_state_backend()
    assert isinstance(given, EmbeddedRocksDBStateBackend)
    assert given.is_incremental_checkpoints_enabled()
    assert isinstance(env.set_state_backend(HashMapStateBackend()).get_state_backend(), HashMapStateBackend)


def test_what_workers_need_comes_by_method_and_key(env: Env, caplog: pytest.LogCaptureFixture) -> None:
    env.add_python_file("one.py")
    env.add_python_file("two.zip")
    env.set_python_executable("/usr/bin/python3")
    env.set_python_requirements("requirements.txt")
    settings = env._settings(None)
    assert (settings.python_files, settings.python_executable) == (("one.py", "two.zip"), "/usr/bin/python3")
    assert ["python.requirements has no effect" in record.getMessage() for record in caplog.records] == [True]
    assert settings_of(python_files="a.py,b.py").python_files == ("a.py", "b.py")


def test_what_is_not_to_be_had_is_refused_by_method_and_key(env: Env) -> None:
    env.add_python_archive("data.zip", "data")
    with pytest.raises(UnsupportedFeatureError, match="--archives"):
        env._settings(None)
    with pytest.raises(UnsupportedFeatureError, match="--archives"):
        settings_of(python_archives="data.zip")
    other = StreamExecutionEnvironment.get_execution_environment()
    other.set_stream_time_characteristic(TimeCharacteristic.IngestionTime)
    with pytest.raises(UnsupportedFeatureError, match="no ingestion time"):
        other._settings(None)


def test_a_job_may_ask_for_a_uid_of_every_operator(env: Env) -> None:
    env.get_config().disable_auto_generated_uids()
    numbers = env.from_elements(1).uid("numbers")
    numbers.union(env.from_elements(2).uid("more")).map(str).print().uid("shown")
    with pytest.raises(DefinitionError, match="these operators have none: Map\n"):
        env.get_execution_plan()
