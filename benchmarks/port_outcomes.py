"""Runs Java programs on Flink, and their ports here, with the same input, and compares what they print.

    python benchmarks/port_outcomes.py FOLDER --flink JARS [--only NAME]

The programs are those of ``port_outcomes.yaml``, which has for each the settings of its environment: input topics,
arguments, what is replaced in the Java files before both sides see them, and what a person then changes in the port.
Each program gets a broker of its own, so both sides read the same records at the same offsets.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import yaml

from kafkastream.port.program import port_program
from kafkastream.testing import EmbeddedKafka, KafkaBroker, Record

_SETTINGS: Final = Path(__file__).with_suffix(".yaml")
_PACKAGES: Final = ("lang", "lang.invoke", "lang.reflect", "math", "net", "io", "nio", "text", "time", "util")
_JVM: Final = (
    "-XX:ActiveProcessorCount=1",  # Flink's local parallelism is the count of processors
    "-Xmx1g",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
    *(f"--add-opens=java.base/java.{one}=ALL-UNNAMED" for one in (*_PACKAGES, "util.concurrent")),
)
_PARALLELISM: Final = (
    (r"\.setParallelism\(\d+\)", ".setParallelism(1)"),
    (r"(\w+)\s*=\s*StreamExecutionEnvironment\.getExecutionEnvironment\(\w*\);", r"\g<0> \1.setParallelism(1);"),
)
_BOUNDED: Final = (
    (
        r"\.setStartingOffsets\((?:[^()]|\([^()]*\))*\)",
        ".setStartingOffsets(OffsetsInitializer.earliest()).setBounded(OffsetsInitializer.latest())",
    ),
    (
        r"'scan.startup.mode' *= *'[a-z-]*'",
        "'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset'",
    ),
)


@attrs.frozen
class Settings:
    """What a program needs to run here.

    Args:
        path: Java file, relative to the folder of all programs.
        arguments: Its arguments; ``{folder}`` is a folder with ``files``, ``{broker}`` the address of the broker.
        topics: Records of each input topic.
        output: Topic that the program writes, if it does not print its results.
        files: Texts of input files.
        copied: Pairs of a folder of the project and where a copy of it goes, for classes that the program lacks.
        java: Pairs of a pattern and its replacement in the Java files, which both sides get.
        hand: Pairs of a pattern of the port and what a person writes there.
        key: Pattern whose first group is the key of a line; lines of a key come in the same order on both sides.
        ignored: Pattern of what differs by its nature, such as random identifiers and the current time.
        note: What the settings change, in words.
    """

    path: str
    arguments: Sequence[str] = ()
    topics: Mapping[str, Sequence[Any]] = attrs.field(factory=dict)
    output: str | None = None
    files: Mapping[str, str] = attrs.field(factory=dict)
    copied: Sequence[tuple[str, str]] = ()
    java: Sequence[tuple[str, str]] = ()
    hand: Sequence[tuple[str, str]] = ()
    key: str = "()"
    ignored: str | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """Name of the program, with its repository."""
        module = self.path.split("/src/")[0].rsplit("/", 1)[-1] if "/src/" in self.path else ""
        repository = self.path.split("/")[0].split("+")[-1]
        return "/".join(one for one in (repository, module, Path(self.path).stem) if one and one != repository) or (
            repository
        )


@attrs.frozen
class Outcome:
    """What came of a program on both sides.

    Args:
        name: Name of the program.
        marks: Places that the port leaves to a person.
        hand: Lines that were changed in the port before it ran.
        lines: Lines that Flink gave.
        verdict: ``same``, or the reason why not.
        note: What the settings change, in words.
    """

    name: str
    marks: int
    hand: int
    lines: int
    verdict: str
    note: str


@attrs.frozen
class Sides:
    """A folder in which a program runs on both sides, with its broker.

    Args:
        settings: What the program needs.
        folder: Folder of the copies, classes and input files.
        kafka: Broker.
        jars: Jars of Flink.
    """

    settings: Settings
    folder: Path
    kafka: KafkaBroker
    jars: Path

    def prepare(self, sources: Path) -> None:
        """Copy the project with what is replaced, write input files, and produce the records."""
        project = self.settings.path.split("/")[0]
        shutil.copytree(sources / project, self.folder / project)
        for source, target in self.settings.copied:
            shutil.copytree(self.folder / project / source, self.folder / project / target, dirs_exist_ok=True)
        replaced = [(r'"(localhost|kafka):9092"', f'"{self.kafka.bootstrap_servers}"'), *_PARALLELISM, *_BOUNDED]
        replaced += [(r"'(localhost|kafka):9092'", f"'{self.kafka.bootstrap_servers}'")]
        for path in (self.folder / project).rglob("*.java"):
            text = path.read_text(encoding="utf-8", errors="replace")
            for pattern, replacement in (*replaced, *self.settings.java):
                text = re.sub(pattern, self._filled(replacement), text)
            path.write_text(text, encoding="utf-8")
        for name, text in self.settings.files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(self._filled(text), encoding="utf-8")
        for topic, records in self.settings.topics.items():
            self.kafka.create_topic(topic)
            self.kafka.produce(topic, [_record(one) for one in records])
        if self.settings.output is not None:
            self.kafka.create_topic(self.settings.output)

    def on_flink(self) -> list[str]:
        """Compile the program, run it on Flink, and return the lines that it gives."""
        main = self.folder / self.settings.path
        package = re.search(r"^package ([\w.]+);", main.read_text(encoding="utf-8"), re.MULTILINE)
        own = main.parents[package[1].count(".") + 1] if package else main.parent
        roots = [own, *sorted((self.folder / self.settings.path.split("/")[0]).rglob("src/main/java"))]
        files = [str(one) for one in port_program([main]).files]  # processors of annotations see only what is named
        classes = self.folder / "classes"
        jars = f"{self.jars}/*"
        sources = ":".join(map(str, roots))
        self._run("javac", "-nowarn", "-cp", jars, "-sourcepath", sources, "-d", str(classes), *files)
        name = f"{package[1]}.{main.stem}" if package else main.stem
        classpath = f"{classes}:{self.folder / 'resources'}:{jars}"
        return self._run("java", *_JVM, "-cp", classpath, name, *map(self._filled, self.settings.arguments))

    def here(self) -> tuple[int, int, list[str]]:
        """Port the program, and run it; return counts of marks and of changed lines, and the lines that it gives."""
        ported = port_program([self.folder / self.settings.path])
        text = ported.text
        (self.folder / "ported.py").write_text(text, encoding="utf-8")
        for old, new in self.settings.hand:
            text, count = re.subn(old, new.replace("\\", r"\\"), text, flags=re.DOTALL)
            if not count:
                raise ValueError(f"the port has no {old!r}")
        script = self.folder / "resources" / "job.py" if self.settings.files else self.folder / "job.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(text, encoding="utf-8")
        arguments = map(self._filled, self.settings.arguments)
        lines = self._run(sys.executable, "-m", "kafkastream", "run", "-q", script.name, *arguments, at=script.parent)
        return len(ported.marks), _changed(ported.text, text), lines

    def written(self) -> list[str]:
        """Return the records of the topic that the program writes."""
        records = self.kafka.consume(self.settings.output) if self.settings.output is not None else []
        return [(one.value or b"").decode() for one in records]

    def _filled(self, text: str) -> str:
        return text.replace("{folder}", str(self.folder)).replace("{broker}", self.kafka.bootstrap_servers)

    def _run(self, *command: str, at: Path | None = None) -> list[str]:
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=240, cwd=at or self.folder, errors="replace"
        )
        if run.returncode != 0:
            where = "here" if Path(command[0]).name.startswith("python") else "Flink"
            raise subprocess.SubprocessError(f"{where}: {_last(run.stderr or run.stdout)}\n{run.stderr[-4000:]}")
        return run.stdout.splitlines()


def _last(text: str) -> str:
    """Return the line of a report that names the error."""
    lines = [
        one for one in text.splitlines() if re.match(r"error:|Caused by|[\w./]*(Error|Exception)\b|.*: error:", one)
    ]
    return (lines or text.splitlines() or ["no message"])[-1][:160]


def _record(given: Any) -> Record:
    """A text, an object to write as JSON, or a mapping with ``value`` and a time or headers."""
    if isinstance(given, Mapping) and given.keys() & {"headers", "timestamp_ms"}:
        return Record(**{**given, "value": _text(given["value"])})
    return Record(_text(given))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _changed(before: str, after: str) -> int:
    """Return the count of lines that a person wrote or removed."""
    blocks = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    return sum(max(end - start, last - first) for tag, start, end, first, last in blocks if tag != "equal")


def difference(flink: Sequence[str], here: Sequence[str], settings: Settings) -> str:
    """Return ``same``, or how the lines differ: as a whole, or in the order of a key's lines."""
    ours, theirs = (_comparable(lines, settings) for lines in (here, flink))
    if not theirs:
        return "Flink gives no lines"
    if sorted(ours) != sorted(theirs):
        changes = difflib.unified_diff(sorted(theirs), sorted(ours), "Flink", "here", lineterm="", n=0)
        return "\n".join(["different", *list(changes)[:12]])
    if _by_key(ours, settings.key) != _by_key(theirs, settings.key):
        return "another order"
    return "same"


def _comparable(lines: Sequence[str], settings: Settings) -> list[str]:
    return [re.sub(settings.ignored, "…", one) if settings.ignored else one for one in lines]


def _by_key(lines: Sequence[str], pattern: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in lines:
        key = re.search(pattern, line)
        found.setdefault(key[1] if key else "", []).append(line)
    return found if pattern != "()" else {"": sorted(lines)}


def outcome_of(settings: Settings, sources: Path, jars: Path, kept: Path) -> Outcome:
    """Run a program on both sides; lines of Flink that are kept from an earlier run are taken again."""
    folder = Path(tempfile.mkdtemp(prefix="port-outcome-"))
    digest = hashlib.sha256(repr(attrs.evolve(settings, hand=(), key="", note="", ignored=None)).encode()).hexdigest()[
        :12
    ]
    record = kept / f"{settings.name.replace('/', '.')}-{digest}.txt"
    marks = hand = 0
    flink = record.read_text(encoding="utf-8").split("\n") if record.exists() else []
    try:
        with EmbeddedKafka() as kafka:
            sides = Sides(settings, folder, kafka, jars)
            sides.prepare(sources)
            if not flink:
                flink = [*sides.on_flink(), *sides.written()]
                record.write_text("\n".join(flink), encoding="utf-8")
            before = len(sides.written())
            marks, hand, printed = sides.here()
            verdict = difference(flink, [*printed, *sides.written()[before:]], settings)
    except Exception as error:  # noqa: BLE001 - a failure is a result
        verdict = str(error)
    return Outcome(settings.name, marks, hand, len(flink), f"{verdict}\n{folder}", settings.note)


def table_of(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| Program | Lines changed by hand | Runs | Same as Flink | Lines of output | Adapted for both |"
    yield "|---|---|---|---|---|---|"
    for one in outcomes:
        first = one.verdict.splitlines()[0]
        runs = "yes" if first in ("same", "different", "another order") else "no"
        same = "yes" if first == "same" else first
        yield f"| {one.name} | {one.hand} | {runs} | {same} | {one.lines} | {one.note} |"


def programs() -> Iterator[Settings]:
    """Yield the settings of the programs, with the records that their topics name."""
    document = yaml.safe_load(_SETTINGS.read_text(encoding="utf-8"))
    for one in document["programs"]:
        topics = {topic: document["inputs"][name] for topic, name in one.get("topics", {}).items()}
        yield Settings(**{**one, "topics": topics})


def main() -> None:
    """Run the programs, and print the table, also of those that ran before."""
    parser = argparse.ArgumentParser(description="Compare ported programs with Flink.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--flink", type=Path, required=True, help="folder of the jars")
    parser.add_argument(
        "--kept", type=Path, default=Path(tempfile.gettempdir()), help="folder for Flink's lines and the outcomes"
    )
    parser.add_argument("--only", action="append", help="part of the names of programs to run")
    given = parser.parse_args()
    record = given.kept / "outcomes.json"
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    for one in programs():
        if given.only and not any(part in one.name for part in given.only):
            continue
        start = time.monotonic()
        outcome = outcome_of(one, given.folder.resolve(), given.flink.resolve(), given.kept)
        print(f"{outcome.name}: {outcome.verdict} ({time.monotonic() - start:.0f} s)", file=sys.stderr)
        known[outcome.name] = attrs.asdict(outcome)
        record.write_text(json.dumps(known, indent=1, ensure_ascii=False), encoding="utf-8")
    print("\n".join(table_of([Outcome(**known[one.name]) for one in programs() if one.name in known])))


if __name__ == "__main__":
    main()
