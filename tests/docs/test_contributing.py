"""The files that the recipes of docs/contributing.md name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
RECIPES = PAGE[PAGE.index("## Recipes") :].partition("\n## ")[0]


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:kafkastream|tests|docs)/[\w/]*(?:\.\w+)?)`", RECIPES))))
def test_files_of_recipes_exist(path: str) -> None:
    folder, _, name = path.rpartition("/")
    assert (ROOT / folder).is_dir()
    assert "NAME" in name or (ROOT / path).exists()
