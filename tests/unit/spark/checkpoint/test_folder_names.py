"""Folders in a checkpoint directory: those of earlier versions stay, and no name reaches beyond its own."""

from __future__ import annotations

import json

import pytest

from kafkastream.datastream import StreamExecutionEnvironment
from kafkastream.errors import DefinitionError
from kafkastream.model.graph.job_graph import distinct_names
from kafkastream.model.job.job_result import JobSettings
from kafkastream.spark.checkpoint.folder_names import is_plain_folder, own_folder, query_folders
from kafkastream.spark.checkpoint.record import FORMAT, JobRecord

FOLDERS = {
    "orders": "orders",
    "Orders_v1.2+a-b": "Orders_v1.2+a-b",
    "_orders": "_orders",
    ".orders": ".orders",
    "etl.": "etl.",
    "заказы": "заказы",
    "job 1": "job-1-5ba23c87",
    "job/1": "job-1-cf3e4537",
    "-a-": "a-a75a468f",
    "": "job-e3b0c442",
    "x" * 240: "x" * 240,
    "x" * 241: f"{'x' * 200}-7dbf0577",
}
"""Folders of jobs as they have always been named: a job with a checkpoint continues in it."""


@pytest.mark.parametrize(("job", "folder"), FOLDERS.items())
def test_jobs_keep_the_folders_of_earlier_versions(job: str, folder: str) -> None:
    assert own_folder("file:///checkpoints/", job) == f"file:///checkpoints/{folder}"


@pytest.mark.parametrize(
    "name", ["..", ".", "...", "../..", "/", "..\\..", "a\0b", "\n", "~", "*", "%2e%2e", "a:b", "\ud800"]
)
def test_hostile_names_are_plain_folders(name: str) -> None:
    folders = [own_folder("", name).removeprefix("/"), *query_folders([name, name])]
    assert all(map(is_plain_folder, folders))
    assert len(set(folders)) == len(folders)
    assert not {"*", "?", "[", "{", ":", "~", "%", "\n", "\0"} & set("".join(folders))


def test_queries_have_folders_that_differ_by_more_than_case() -> None:
    names = ["orders", "Orders", "orders_2", "a b", "a/b", "é", "e\u0301", "owner.json", "x.extents.json"]
    folders = query_folders(names)
    assert len({folder.casefold() for folder in folders}) == len(names)
    assert not [folder for folder in folders if folder.endswith(".json")]


def test_numbered_names_differ_from_given_ones() -> None:
    assert distinct_names(["Map-2", "Map", "Map", "Map"]) == ["Map-2", "Map", "Map-3", "Map-4"]


def test_name_that_is_no_unicode_is_refused_where_it_is_given() -> None:
    stream = StreamExecutionEnvironment.get_execution_environment().from_collection([1])
    for give in (stream.map(str).name, stream.map(str).uid, lambda name: JobSettings(name=name)):
        with pytest.raises(DefinitionError, match="half of a surrogate pair"):
            give("orders \ud800")


def test_record_of_a_query_outside_its_folder_is_refused() -> None:
    record = {"format": FORMAT, "job": "orders", "parts": [{"folder": "..", "sources": []}]}
    with pytest.raises(DefinitionError, match=r"the folder '\.\.' of a query lies outside"):
        JobRecord.of_text(json.dumps(record), "here")
