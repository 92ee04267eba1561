"""YAML that is made to exhaust its reader is refused within seconds, with the place where it is so."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from kafkastream.cdc.document.tree import parse_tree
from kafkastream.cdc.document.variables import Variables
from kafkastream.errors import DefinitionError

LETTERS = "abcdefghij"
LISTS = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in pairwise(LETTERS)]
MERGES = [f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 9)}]}}" for old, new in pairwise(LETTERS)]
KEYS = ", ".join(f"k{number}: 1" for number in range(45_000))
TOO_LARGE = "too large, or nested too deeply"
DEEP = "nested too deeply: 50 levels at most"
HOSTILE = {
    "aliases of aliases": ("\n".join(["a: &a [x, x]", *LISTS]), TOO_LARGE),
    "merges of merges": ("\n".join(["a: &a {x: 1}", *MERGES]), TOO_LARGE),
    "alias of itself": ("a: &a [*a]", TOO_LARGE),
    "merge of itself": ("a: &a {<<: *a}", TOO_LARGE),
    "large text many times": (f"a: &a {'x' * 900_000}\nb: [{','.join(['*a'] * 20_000)}]", TOO_LARGE),
    "large variable many times": (f"a: &a '${{large}}'\nb: [{','.join(['*a'] * 90_000)}]", TOO_LARGE),
    "merges of a large and an empty mapping": (
        f"a: &a {{{KEYS}}}\ne: &e {{}}\nb: {{<<: [*a, {', '.join(['*e'] * 30_000)}]}}",
        TOO_LARGE,
    ),
    "open brackets": (f"a: {'[' * 900_000}", DEEP),
    "open mappings": (f"a: {'{a: ' * 200_000}", DEEP),
    "indented blocks": ("\n".join(f"{' ' * depth}a:" for depth in range(1000)), DEEP),
    "question marks": ("? " * 400_000, DEEP),
    "object": ("a: !!python/object/apply:os.system ['id']", "tag 'tag:yaml.org,2002:python/object/apply:os.system'"),
    "name": ("a: !!python/name:os.system x", "tag 'tag:yaml.org,2002:python/name:os.system'"),
    "set": ("a: !!set {b, c}", "tag 'tag:yaml.org,2002:set'"),
    "document of a class": ("!config\na: 1", "tag '!config'"),
    "key twice": ("a: 1\na: 2", "'a' is given twice"),
    "sections to indent": (
        "\n".join(f"k{number}: 1\n route:" for number in range(20_000)),
        "'route' is given twice|mapping",
    ),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("text", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_document_is_refused_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(DefinitionError, match=reason) as refused:
        parse_tree(text, "job.yaml", Variables({"large": "x" * 10_000}, {}).resolve)
    assert re.fullmatch(r"job\.yaml, line \d+, column \d+", refused.value.where)
