"""``FileSink``, what it is built of, and what its files are called."""

from __future__ import annotations

import datetime
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.common import Encoder
from kafkastream.datastream.connectors.file_system import (
    BucketAssigner,
    DefaultRollingPolicy,
    FileSink,
    OutputFileConfig,
    RollingPolicy,
    StreamingFileSink,
)
from kafkastream.errors import ArgumentError, DefinitionError, StorageError, UnsupportedFeatureError
from kafkastream.model.common.date_pattern import DatePattern, zone_of
from kafkastream.spark.worker.part_files import PartCommitter, PartNames, WrittenParts

UTF8 = Encoder.simple_string_encoder()


def test_sink_keeps_what_it_is_told() -> None:
    named = OutputFileConfig.builder().with_part_prefix("words").with_part_suffix(".txt").build()
    builder = FileSink.for_row_format("/data", UTF8).with_output_file_config(named).with_bucket_check_interval(1)
    policy, assigner = RollingPolicy.on_checkpoint_rolling_policy(), BucketAssigner.base_path_bucket_assigner()
    sink = builder.with_rolling_policy(policy).with_bucket_assigner(assigner).disable_compact().build()
    assert (named.get_part_prefix(), named.get_part_suffix()) == ("words", ".txt")
    assert sink == FileSink(
        base_path="/data", encoder=UTF8, rolling_policy=policy, bucket_assigner=assigner, output_file_config=named
    )
    assert pickle.loads(pickle.dumps(sink)) == sink
    assert policy.most_bytes is None


def test_defaults_are_flinks() -> None:
    sink = FileSink.for_row_format("/data", UTF8).build()
    assert sink.rolling_policy == DefaultRollingPolicy(134217728, 60000, 60000)
    assert sink.bucket_assigner.pattern == DatePattern("yyyy-MM-dd--HH")
    assert sink.output_file_config == OutputFileConfig("part", "")


def test_the_older_sink_writes_the_same() -> None:
    with pytest.warns(DeprecationWarning, match="Use FileSink"):
        older = StreamingFileSink.for_row_format("/data", UTF8).build()
    assert older.to_sink() == FileSink.for_row_format("/data", UTF8).build()


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/data", "/data"),
        ("file:///data/a%20b", "/data/a b"),
        ("file:/data", "/data"),
        ("out", str(Path("out").absolute())),
    ],
)
def test_path_is_one_of_a_local_disk(path: str, meant: str) -> None:
    assert FileSink.for_row_format(path, UTF8).build().base_path == meant


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "object store": (lambda: FileSink.for_row_format("s3://data/a", UTF8), UnsupportedFeatureError, "s3://"),
    "no path": (lambda: FileSink.for_row_format("", UTF8), DefinitionError, "empty"),
    "bulk": (lambda: FileSink.for_bulk_format("/data", None), ArgumentError, "must be a BulkWriterFactory"),  # type: ignore[arg-type]  # what this is about
    "old bulk": (
        lambda: StreamingFileSink.for_bulk_format("/data", "parquet"),  # type: ignore[arg-type]  # what this is about
        ArgumentError,
        "must be a BulkWriterFactory",
    ),
    "compaction": (
        lambda: FileSink.for_row_format("/data", UTF8).enable_compact(None, None),
        UnsupportedFeatureError,
        "not compacted",
    ),
    "charset": (lambda: Encoder.simple_string_encoder("UTF-7.5"), DefinitionError, "UTF-7.5"),
    "zone": (lambda: BucketAssigner.date_time_bucket_assigner("yyyy", "Mars/Base"), DefinitionError, "Mars/Base"),
    "pattern": (lambda: BucketAssigner.date_time_bucket_assigner("yyyy-MMM"), DefinitionError, "'MMM'"),
    "quote": (lambda: BucketAssigner.date_time_bucket_assigner("yyyy 'x"), DefinitionError, "'x"),
    "slash": (lambda: OutputFileConfig("a/b", ""), DefinitionError, "slash"),
    "size": (lambda: RollingPolicy.default_rolling_policy(part_size=0), DefinitionError, "greater than 0"),
    "type": (lambda: FileSink.for_row_format("/data", "UTF-8"), ArgumentError, "must be an Encoder"),  # type: ignore[arg-type]  # what this is about
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_at_the_call(name: str) -> None:
    call, error, told = REFUSED[name]
    with pytest.raises(error, match=told):
        call()


@pytest.mark.parametrize(
    ("pattern", "zone", "written"),
    [
        ("yyyy-MM-dd--HH", "UTC", "2026-03-01--00"),
        ("uuuu/M/d H:m:s", "+1", "2026/3/1 1:5:9"),
        ("yy''MM'T'mmss", "Z", "26'03T0509"),
        ("yyyy-MM-dd HH:mm", "GMT-08:30", "2026-02-28 15:35"),
        ("HH", "UTC+0530", "05"),
        ("HH", "America/Los_Angeles", "16"),
    ],
)
def test_directories_are_named_by_the_time(pattern: str, zone: str, written: str) -> None:
    now = datetime.datetime(2026, 3, 1, 0, 5, 9, tzinfo=datetime.timezone.utc)
    assert BucketAssigner.date_time_bucket_assigner(pattern, zone).bucket(now) == written
    assert now.astimezone(zone_of(zone)) == now


@given(st.integers(0, 2**63), st.text(), st.text(), st.booleans())
def test_names_differ_where_tasks_do(batch: int, sink: str, origin: str, is_partition: bool) -> None:
    names = PartNames.of("slots", sink, batch, origin, is_partition=is_partition)
    others = [
        PartNames.of("other", sink, batch, origin, is_partition=is_partition),
        PartNames.of("slots", f"{sink}2", batch, origin, is_partition=is_partition),
        PartNames.of("slots", sink, batch + 1, origin, is_partition=is_partition),
        PartNames.of("slots", sink, batch, f"{origin}2", is_partition=is_partition),
        PartNames.of("slots", sink, batch, origin, is_partition=not is_partition),
    ]
    assert names.name("part", 0, "") not in [other.name("part", 0, "") for other in others]
    assert names == PartNames.of("slots", sink, batch, origin, is_partition=is_partition)


def written(folder: Path, names: PartNames, *numbers: int) -> WrittenParts:
    parts = {}
    for number in numbers:
        path = folder / names.name("part", number, "")
        parts[path] = folder / f".{path.name}.inprogress.{number}"
        parts[path].write_text(str(number))
    return WrittenParts(names, parts)


def test_first_commit_of_a_run_clears_what_others_have_left(tmp_path: Path) -> None:
    sink = FileSink.for_row_format(str(tmp_path), UTF8).build()
    earlier, again, other = (
        PartNames.of(slots, "sink", batch, "source-t-0", is_partition=True)
        for slots, batch in [("job", 6), ("job", 7), ("other", 7)]
    )
    first = PartCommitter(sink)
    first.commit([written(tmp_path, earlier, 0)], 7)
    first.commit([written(tmp_path, again, 0, 1, 2)], 7)
    PartCommitter(sink).commit([written(tmp_path, other, 0)], 7)
    kept = {earlier.name("part", 0, ""), other.name("part", 0, "")}
    written(tmp_path, again, 5)
    written(tmp_path, other, 5)
    (tmp_path / "bucket").mkdir()
    (tmp_path / "bucket" / again.name("part", 9, "")).touch()
    (tmp_path / "users").touch()
    PartCommitter(sink).commit([written(tmp_path, again, 0, 1)], 7)
    hidden = f".{other.name('part', 5, '')}.inprogress.5"
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {*kept, again.name("part", 0, ""), again.name("part", 1, ""), hidden, "users"}


def test_commit_without_a_shared_disk_says_so(tmp_path: Path) -> None:
    sink = FileSink.for_row_format(str(tmp_path), UTF8).build()
    names = PartNames.of("job", "sink", 0, "source", is_partition=False)
    with pytest.raises(StorageError, match="No such file") as raised:
        PartCommitter(sink).commit([WrittenParts(names, {tmp_path / "part": tmp_path / ".part"})], 7)
    assert "all workers share" in str(raised.value)
