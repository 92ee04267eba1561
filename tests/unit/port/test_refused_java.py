"""Java whose Python would give other results is left to a person, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from kafkastream.port.program import port_program

JOB: Final = """
public class Job {
    public static class Visit {
        public String guest;
        public Instant time;
    }

    public static class Stay {
        public List<Visit> visits;
    }

    public static void main(String[] args, Stay stay, ZonedDateTime time) {
        %s
    }
}
"""


@pytest.mark.parametrize(
    ("java", "reason"),
    [
        ("String json = new ObjectMapper().writeValueAsString(stay);", "Jackson writes Instant in its own way"),
        ("byte[] json = new ObjectMapper().writeValueAsBytes(new Visit());", "Jackson writes Instant in its own way"),
        ("Object schema = new JsonSerializationSchema<Visit>();", "Jackson writes Instant in its own way"),
        (
            "Gson gson = new GsonBuilder().setPrettyPrinting().create();",
            "GsonBuilder.setPrettyPrinting has no counterpart",
        ),
        ('String text = time.format(DateTimeFormatter.ofPattern("HH:mmXXX"));', "no directive for XXX"),
    ],
)
def test_it_is_marked(java: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "Job.java"
    file.write_text(JOB.replace("%s", java), encoding="utf-8")
    (mark,) = port_program([file]).marks
    assert reason in mark.reason


def test_json_without_times_is_written(tmp_path: Path) -> None:
    file = tmp_path / "Job.java"
    text = JOB.replace("Instant", "long").replace("%s", "String json = new ObjectMapper().writeValueAsString(stay);")
    file.write_text(text, encoding="utf-8")
    ported = port_program([file])
    assert ported.marks == ()
    assert "json_ = msgspec.json.encode(stay).decode()" in ported.text
