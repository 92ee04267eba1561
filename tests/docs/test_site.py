"""The site has each page of the documentation, and its checks find what is wrong with a built site; ``make docs`` builds it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from kafkastream.spark.session.spark_versions import TESTED
from tests.package import ROOT
from website.chapters import chapters
from website.checks import faults
from website.nav import nav_modules, nav_pages
from website.pages import lay_out


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    lay_out(folder)
    return folder


def test_contents_name_every_page_once() -> None:
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    named = [page for page in nav_pages() if not page.startswith(("files/", "reference/"))]
    parts = [chapter.place for chapter in chapters()[1:]]
    assert sorted(named) == sorted([*pages, *parts, "index.md", "changes.md"])


def test_site_says_which_version_it_describes() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (version,) = re.findall(r'^version = "(.*)"$', project, re.MULTILINE)
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"\ncopyright: kafkastream {version}, " in settings
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    assert f"describes kafkastream {version}," in page
    minors = sorted(map(int, re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', project)))
    oldest, newest = re.findall(r"[\d.]+", TESTED)
    before = f"{newest.partition('.')[0]}.{int(newest.partition('.')[2]) - 1}.x"
    row = f"| {version} | Flink and PyFlink 2.2 | 3.{minors[0]} to 3.{minors[-1]} | {oldest} to {before} "
    assert row in page


def test_contents_name_only_pages_that_are_laid_out(laid_out: Path) -> None:
    named = [page for page in nav_pages() if not page.startswith("reference/")]
    assert [page for page in named if not (laid_out / page).is_file()] == []


def test_reference_describes_each_module_of_the_support_page() -> None:
    support = (ROOT / "docs" / "support.md").read_text(encoding="utf-8")
    modules = re.findall(r"^## `(kafkastream[\w.]+)`$", support, re.MULTILINE)
    assert modules
    assert set(modules) <= set(nav_modules())


@pytest.mark.parametrize("module", nav_modules())
def test_modules_of_the_reference_have_public_names(module: str) -> None:
    assert importlib.import_module(module).__all__


def test_links_lead_to_pages_of_the_site(laid_out: Path) -> None:
    index = (laid_out / "index.md").read_text(encoding="utf-8")
    assert "](porting/from-pyflink.md#as-it-is)" in index
    assert "](files/LICENSE.md)" in index
    assert "](../files/examples/sql/orders_per_minute.sql.md)" in (laid_out / "sql" / "flink-sql.md").read_text()
    assert "](extending.md)" in (laid_out / "changes.md").read_text()


def test_sections_of_the_support_page_are_pages(laid_out: Path) -> None:
    sections = re.findall(r"^## (.*)$", (ROOT / "docs" / "support.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [chapter.title for chapter in chapters()[1:]] == sections
    udf = (laid_out / "support" / "kafkastream.table.udf.md").read_text(encoding="utf-8")
    assert udf.startswith("# `kafkastream.table.udf`\n")
    assert "](../porting/" in "".join(page.read_text(encoding="utf-8") for page in (laid_out / "support").iterdir())


def test_links_to_sections_of_the_support_page_lead_to_their_pages(laid_out: Path) -> None:
    assert "](support/stand-ins.md#stand-ins)" in (laid_out / "architecture.md").read_text(encoding="utf-8")
    index = (laid_out / "support.md").read_text(encoding="utf-8")
    assert "](support/kafkastream.metrics.md#kafkastreammetrics)" in index
    assert "](from-pyflink.md)" not in index


def test_links_within_code_stay_and_hidden_comments_go(laid_out: Path) -> None:
    page = (laid_out / "kafka-sink.md").read_text(encoding="utf-8")
    assert "<!--" in (ROOT / "docs" / "kafka-sink.md").read_text(encoding="utf-8")
    assert "<!--" not in page
    assert '"localhost:9092"' in page


def test_examples_have_a_page_each(laid_out: Path) -> None:
    contents = (laid_out / "files" / "examples.md").read_text(encoding="utf-8")
    assert "| [copy_topic.py](examples/copy_topic.py.md) | Copy a topic to another, value by value |" in contents
    listing = (laid_out / "files" / "examples" / "copy_topic.py.md").read_text(encoding="utf-8")
    assert (ROOT / "examples" / "copy_topic.py").read_text(encoding="utf-8").rstrip() in listing


def test_sound_site_has_no_faults(tmp_path: Path) -> None:
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top">Start</h1><a href="guide/">Guide</a><a href="https://x.org">X</a>'
    )
    (tmp_path / "guide" / "index.html").write_text('<a href="../#top">Start</a><img src="/picture.svg">')
    (tmp_path / "picture.svg").write_text("<svg/>")
    assert faults(tmp_path) == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="away.html">there</a>', "leads nowhere: away.html"),
        ('<a href="#below">there</a>', "leads nowhere: #below"),
        ('<img src="picture.png">', "leads nowhere: picture.png"),
        ('<script src="https://example.org/a.js"></script>', "asks another host for https://example.org/a.js"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "asks another host for //example.org/a.css"),
        (
            '<h3 id="kafkastream.common.Row.getKind">getKind</h3>',
            "repeats kafkastream.common.Row.getKind in Java's spelling",
        ),
        ("<p>kafkastream.model.windows.Window</p>", "shows the private path kafkastream.model.windows.Window"),
        ('<a title="kafkastream.spark.job">it</a>', "shows the private path kafkastream.spark.job"),
    ],
)
def test_faults_of_a_site_are_found(html: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "index.html").write_text(html)
    assert faults(tmp_path) == [f"reference/index.html: {fault}"]


def test_site_without_pages_is_a_fault(tmp_path: Path) -> None:
    assert faults(tmp_path) == [f"{tmp_path} has no pages"]
