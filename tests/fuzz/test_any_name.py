"""Names of jobs, queries and operators are any text, and become folders and keys that differ and stay in their place."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.graph.job_graph import distinct_names
from kafkastream.spark.checkpoint.folder_names import own_folder, query_folders, slug

PARTS = [
    "..",
    ".",
    "/",
    "\\",
    "~",
    "*",
    "job",
    "Job",
    ".json",
    "-2",
    "_2",
    "%2e",
    "${env:HOME}",
    "é",
    "e\u0301",
    "\0",
    "\n",
]
NAMES = st.one_of(
    st.text(max_size=300),
    st.text(st.characters(), max_size=20),  # also halves of surrogate pairs
    st.lists(st.sampled_from(PARTS), max_size=8).map("".join),
)
MOST_BYTES = 255
LONGEST_ENDING = "..extents.json~.crc"


@given(st.lists(NAMES, max_size=6, unique=True))
def test_jobs_have_folders_of_their_own(names: list[str]) -> None:
    folders = [PurePosixPath(own_folder("/checkpoints", name)) for name in names]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert folder.parent == PurePosixPath("/checkpoints")
        assert folder.name not in (".", "..")
        assert len(folder.name.encode()) <= MOST_BYTES


@given(st.lists(NAMES, max_size=6))
def test_queries_have_folders_of_their_own(names: list[str]) -> None:
    folders = query_folders(names)
    assert len({folder.casefold() for folder in folders}) == len(names)
    for folder in folders:
        assert PurePosixPath(f"/job/{folder}").parts == ("/", "job", folder)
        assert folder not in (".", "..")
        assert not folder.endswith(".json")
        assert len(folder.encode()) + len(LONGEST_ENDING) <= MOST_BYTES


@given(NAMES)
def test_operating_system_takes_the_folder(name: str) -> None:
    folder = Path(own_folder("/tmp/kafkastream-fuzz", name))
    assert not folder.exists()  # neither too long nor with a character that it refuses, which raise


@given(st.lists(NAMES, max_size=8))
def test_operators_have_ids_of_their_own(names: list[str]) -> None:
    ids = distinct_names(map(slug, names))
    assert len(set(ids)) == len(names)
    assert not [identity for identity in ids if "/" in identity or not identity]
