"""The house's own rules: what imports what, what a module offers, how it speaks."""

from __future__ import annotations

import ast
import importlib
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.conftest import LONG
from tests.package import MODULES, ROOT, trees

HEAVY = {"confluent_kafka", "pandas", "pyarrow", "pyspark"}


def constants_then_classes(name: str) -> tuple[bool, bool, str]:
    is_constant = name.isupper() and len(name) > 1
    return not is_constant, not name[0].isupper(), name


def test_import_is_light() -> None:
    doors = "kafkastream, kafkastream.common, kafkastream.datastream.connectors.kafka"
    program = f"import sys, {doors}; print(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_building_a_job_is_light() -> None:
    program = (
        "import sys; from kafkastream import StreamExecutionEnvironment as E;"
        "env = E.get_execution_environment(); env.from_elements(1).map(str).print(); env.get_execution_plan();"
        f"print(*sorted({HEAVY} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []


def test_what_modules_offer_is_sorted_and_there() -> None:
    offered = {name: list(getattr(importlib.import_module(name), "__all__", [])) for name in MODULES}
    absent = {name: [one for one in names if not hasattr(sys.modules[name], one)] for name, names in offered.items()}
    assert {name: names for name, names in absent.items() if names} == {}
    expected = {name: sorted(set(names), key=constants_then_classes) for name, names in offered.items()}
    assert {name: names for name, names in offered.items() if names != expected[name]} == {}


def test_every_module_says_what_it_is() -> None:
    first_lines = {name: (importlib.import_module(name).__doc__ or "").partition("\n")[0] for name in MODULES}
    assert [name for name, line in first_lines.items() if not line.strip()] == []


def test_packages_of_many_modules_have_a_map() -> None:
    """The docstring of a package says what is in it and where to begin."""
    folders = Counter(str(Path(path).parent) for path in trees())
    lines = {
        folder: (ast.get_docstring(trees()[f"{folder}/__init__.py"]) or "").splitlines()
        for folder, modules in folders.items()
        if modules > _MODULES_WITHOUT_MAP and f"{folder}/__init__.py" in trees()
    }
    assert [folder for folder, doc in lines.items() if len(doc) < _MAP_LINES and folder not in _PYFLINK_PATHS] == []


def test_layers_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run([command, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert " 0 broken" in run.stdout


_INDIRECT: Final = re.compile(r"(The same|It|Its|Those|These|They|One|What|Which|Whether|Where|Who|By what|How)\b")

_NAMES: Final = "the user|a user|Spark|Flink|Kafka|Java|Python|PyFlink"
_FORMER_PHRASES: Final = re.compile(
    r"(?<![Tt]here )\b(is|are) no (?!longer\b|more\b|less\b|other\b|such\b)[\w`]"  # is not a
    r"|\b[Bb]ehind ([A-Z]{3,}\b|a keyed|keyed|an operat)"  # after
    rf"|\bof ({_NAMES})'s(?=[.,;:)]| (that|which|and|in|on|has|have|is|are|with|without|into)\b)"  # of Flink, user-defined
    r"|\bin (the )?place of\b"  # instead of
    r"|\banew\b"  # again
    r"|\b(is|are|was|be) told\b|\btells? \w+ apart\b"  # is reported, distinguishes
    r"|\bgo(es)? on\b"  # continues
    r"|(?<!-)\bbeside\b"  # next to, together with
    r"|\bstands? (for|in|at|where|there|before|behind)\b"  # is, means, represents
    r"|, say[.)]"  # for example
)

_FORMER_MODULES: Final = (
    "flow|chain|keyed_chain|continuation|frames|compile|streams|encoding|opened|layout|control|event_time|shipping|tether|stores|outcome"
    "|running_part|slots|identities|scope|of_node|of_operation|of_call|entries|long_lists|counted|sides|text|bounds|shapes|mixture|ranks"
    "|computed|resolution|found_tables|references|masking|positions|record_parts|lenient|keyed_refusals"
)
_FORMER_NAMES: Final = "KeyedScope|Flow|Stage|Opened|Run|Extent|Entries|Sides|Rows|QueryFrames|FollowedQuery|SlotTask|_Making|_Part|carry_out"
_ONE_MEANING: Final = (
    "Planner|Window|EventTime|Source|Function|StateBackend|IntervalJoin|ProcessOperator|keyed_operator|resolved|joined|converted|encoded"
    "|plain|row_type|data_type|common_type"
)

_MODULE_LINES: Final = 400
_BODY_LINES: Final = 50
_MEDIAN_LINES: Final = 6
_MODULES_WITHOUT_MAP: Final = 9
_MAP_LINES: Final = 4
_PYFLINK_PATHS: Final = frozenset({"kafkastream/datastream/connectors"})

_RECURRING_FILES: Final = 58
_RECURRING_NAMES: Final = 47


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """Docstrings are written as Flink, Kafka and Spark write them: the thing or the deed first, no pronoun for it."""
    assert [f"{path}:{line} {doc}" for path, line, doc in _docstrings() if _INDIRECT.match(doc)] == []


def test_former_phrases_do_not_come_back() -> None:
    """Docstrings, comments, messages and pages say things in the words of other open-source projects."""
    files = [*sorted(ROOT.glob("kafkastream/**/*.py")), *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("*.md"))]
    lines = [
        f"{file.relative_to(ROOT)}:{number} {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if _FORMER_PHRASES.search(line)
    ]
    assert lines == []


def test_modules_and_functions_fit_on_a_few_screens() -> None:
    lengths = {path: tree.body[-1].end_lineno or 0 for path, tree in trees().items() if tree.body}
    assert [path for path, length in lengths.items() if length > _MODULE_LINES] == []
    bodies = dict(_bodies())
    assert [place for place, length in bodies.items() if length > _BODY_LINES] == []
    assert statistics.median(bodies.values()) <= _MEDIAN_LINES


def test_replaced_names_do_not_come_back() -> None:
    modules = [path for path in trees() if re.fullmatch(_FORMER_MODULES, Path(path).stem)]
    assert _more_often_than(0, [*modules, *_places(_FORMER_NAMES)]) == []


def test_a_name_means_one_thing() -> None:
    assert _more_often_than(1, _places(_ONE_MEANING)) == []


def test_file_names_and_public_names_recur_no_more_often_than_now() -> None:
    """A name tells tabs, tracebacks and search results apart; PyFlink's paths and classes are the reason for most that recur.

    Lower the figures when fewer recur; rather find a name of its own than raise them.
    """
    files = Counter(Path(path).name for path in trees() if not path.endswith("__init__.py"))
    names = Counter(name for name, _ in {(name, path) for path, name in _definitions() if _is_shared(path, name)})
    assert sum(count > 1 for count in files.values()) <= _RECURRING_FILES
    assert sum(count > 1 for count in names.values()) <= _RECURRING_NAMES


def _is_shared(path: str, name: str) -> bool:
    """Whether a name is public, and not one of ``port``, whose nodes have the names of Java's grammar."""
    return not name.startswith("_") and not path.startswith("kafkastream/port/")


def _more_often_than(most: int, places: list[str]) -> list[str]:
    counted = Counter(map(_name, places))
    return [place for place in places if counted[_name(place)] > most]


def _places(names: str) -> list[str]:
    """Where classes and functions with these names stand at the top of modules: ``kafkastream/model/windows/windows.py:Window``."""
    return [f"{path}:{name}" for path, name in _definitions() if re.fullmatch(names, name)]


def _name(place: str) -> str:
    return place.rpartition(":")[2].rpartition("/")[2]


def _bodies() -> Iterator[tuple[str, int]]:
    """Where functions begin, and how many lines their bodies have without the docstring."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[ast.get_docstring(node) is not None :]
                yield f"{path}:{node.lineno}", (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _docstrings() -> Iterator[tuple[str, int, str]]:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, getattr(node, "lineno", 1), (ast.get_docstring(node) or "").partition("\n")[0]


def _definitions() -> Iterator[tuple[str, str]]:
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield path, node.name


def test_long_tests_are_there() -> None:
    assert [name for name in sorted(LONG) if not (ROOT / "tests" / name).is_file()] == []
