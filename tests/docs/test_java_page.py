"""Each row of the table on the page From Java is ported, and gives the Python beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from kafkastream.port.program import port_program

PAGE: Final = Path(__file__).parents[2] / "docs" / "porting" / "from-java.md"
ROWS: Final = re.findall(
    r"^\| `([^`]+;(?: \})?|[^`]+\})` \| `([^`]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)

JAVA: Final = """
public class Page {
    private static final Logger LOG = LoggerFactory.getLogger(Page.class);

    public static void main(String[] args) {}

    static void show(
            String[] args, StreamExecutionEnvironment env, TableEnvironment tableEnv, DataStream<String> lines,
            DataStream<Tuple2<String, Integer>> pairs, String name, int count, double ratio, Map<String, Integer> counts,
            List<String> names, JsonNode node) {
        %s
    }
}
"""


def test_the_page_has_rows() -> None:
    assert len(ROWS) > 25


@pytest.mark.parametrize(("java", "python"), ROWS)
def test_a_line_of_java_becomes_the_python_beside_it(java: str, python: str, tmp_path: Path) -> None:
    file = tmp_path / "Page.java"
    parameters = JAVA.replace("JsonNode node", "JsonNode tree") if "JsonNode node =" in java else JAVA
    file.write_text(parameters.replace("%s", java), encoding="utf-8")
    ported = port_program([file])
    assert ported.marks == ()
    assert python in (line.strip() for line in ported.text.splitlines()), ported.text
