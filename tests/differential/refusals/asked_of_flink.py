"""Asks real Flink what it refuses: ``PYTHON asked_of_flink.py < request.json > answer.json`` with apache-flink.

Needs nothing of kafkastream. Flink's parser and validator are asked, which run nothing.
"""

from __future__ import annotations

import importlib
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Takes = Callable[[str], bool]
_MOST_TRIED = 3
"""Calls of a function whose arguments are replaced one by one."""
_SIGNATURES = re.compile(r"Supported (?:form\(s\)|signatures are): ?\s*(.*?)(?:\n\tat |\nCaused by|\Z)", re.DOTALL)


def main() -> None:
    table = importlib.import_module("pyflink.table")  # not installed where this is type-checked
    request = json.load(sys.stdin)
    t_env = table.TableEnvironment.create(table.EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("table.local-time-zone", "UTC")
    for statement in request["tables"]:
        t_env.execute_sql(statement)
    t_env.explain_sql("SELECT * FROM t")
    parser = t_env._j_tenv.getParser()

    def error(query: str) -> str | None:
        try:
            parser.parse(query)
        except Exception as failure:  # noqa: BLE001 - the golden says that Flink refuses
            return str(getattr(failure, "java_exception", failure)) or type(failure).__name__
        return None

    version = importlib.import_module("pyflink.version").__version__
    json.dump({"apache-flink": version, **_ASKED[request["of"]](request, error, parser)}, sys.stdout)


def words(request: Mapping[str, Any], error: Callable[[str], str | None], parser: Any) -> dict[str, Any]:
    """Keywords of Flink's grammar, and those that it refuses in each place."""
    constants = (
        parser.getClass().getClassLoader().loadClass("org.apache.flink.sql.parser.impl.FlinkSqlParserImplConstants")
    )
    images = (str(one) for one in constants.getField("tokenImage").get(None))
    found = sorted(image[1:-1] for image in images if re.fullmatch(r'"[A-Z][A-Z_0-9]*"', image))
    refused = {
        place: [word for word in found if "parse failed" in (error(query.replace("%", word)) or "")]
        for place, query in request["places"].items()
    }
    jvm = importlib.import_module("pyflink.java_gateway").get_gateway().jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()

    def names_field(word: str) -> bool:
        try:
            jvm.org.apache.flink.table.types.logical.utils.LogicalTypeParser.parse(f"ROW<{word} INT>", loader)
        except Exception:  # noqa: BLE001 - the golden says that Flink refuses
            return False
        return True

    return {"words": found, "refused": {**refused, "type": [word for word in found if not names_field(word)]}}


def texts(request: Mapping[str, Any], error: Callable[[str], str | None], _: Any) -> dict[str, Any]:
    """The first line of the error of each statement."""
    return {"errors": {one: first(error(one)) for one in request["statements"]}}


def first(found: str | None) -> str | None:
    """Return what an error says, without its class."""
    return found and re.sub(r"^[\w.]+(?:Exception|Error): ", "", found.splitlines()[0])[:300]


def calls(request: Mapping[str, Any], error: Callable[[str], str | None], _: Any) -> dict[str, Any]:
    """Kinds of arguments that Flink takes, for each number of them; and the signatures that its errors show."""
    kinds, bases = request["kinds"], request["bases"]
    signatures: dict[str, list[str]] = {}

    def asked(name: str) -> Takes:
        def takes(text: str) -> bool:
            found = error(f"SELECT {text} FROM t")
            if found and name not in signatures and (shown := _SIGNATURES.search(found)):
                signatures[name] = [line.strip().strip("'") for line in shown[1].splitlines() if line.strip()]
            return found is None

        return takes

    accepted: dict[str, list[str]] = {}
    for count in range(request["most"] + 1):
        for name in request["functions"]:
            before = accepted.get(f"{name}/{count - 1}", [])
            accepted[f"{name}/{count}"] = taken(called(name, count), count, asked(name), kinds, bases, before)
            sys.stderr.write(f"{name}/{count} {' '.join(accepted[f'{name}/{count}'])}\n")
    for name, template in request["templates"].items():
        count = len(set(re.findall(r"\{(\d)\}", template)))
        accepted[name] = taken(template, count, asked(name), kinds, bases, [])
    return {"accepted": accepted, "signatures": signatures}


def called(name: str, count: int) -> str:
    return f"{name}({', '.join(f'{{{place}}}' for place in range(count))})"


def taken(
    template: str, count: int, takes: Takes, kinds: Mapping[str, str], bases: Sequence[str], before: Sequence[str]
) -> list[str]:
    """Return the tuples of kinds that Flink takes, one letter for each argument."""

    def tries(each: Sequence[str]) -> bool:
        return takes(template.format(*(kinds[one] for one in each)))

    if count <= 2:
        return ["".join(each) for each in itertools.product(kinds, repeat=count) if tries(each)]
    tried: Iterator[tuple[str, ...]] = itertools.product(bases, repeat=count)
    if count > 3:
        shorter = before[:: max(1, len(before) // 8)][:8]
        tried = itertools.chain(((*one, more) for one in shorter for more in bases), ((one,) * count for one in bases))
    found = set()
    for base in itertools.islice(filter(tries, tried), _MOST_TRIED):
        for place, kind in itertools.product(range(count), kinds):
            each = (*base[:place], kind, *base[place + 1 :])
            if tries(each):
                found.add("".join(each))
    return sorted(found)


_ASKED: Mapping[str, Callable[..., dict[str, Any]]] = {"words": words, "texts": texts, "calls": calls}


if __name__ == "__main__":
    main()
