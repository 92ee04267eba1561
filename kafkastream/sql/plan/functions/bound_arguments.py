"""Spark SQL that names its arguments, where a template repeats them or uses them in a lambda."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kafkastream.sql.plan.expression import Call

__all__ = ["bound", "bound_text", "read_by_name"]


def bound_text(template: str, texts: Sequence[str], name: str = "v") -> str:
    """Return the Spark SQL of a template whose arguments are evaluated once, outside of its lambdas.

    So an argument may call a Python function, which Spark does not call in a lambda.

    Args:
        template: Spark SQL, where ``{0}`` is the first argument; of at most ten.
        texts: Spark SQL of the arguments.
        name: Name of the struct of arguments, which no lambda of the template uses.

    Example:
        >>> print(bound_text("{0} + {0}", ["rand()"]))
        get(transform(array(named_struct('a0', rand())), v -> v.a0 + v.a0), 0)
    """
    places = re.compile(rf"\{{([0-{len(texts) - 1}])\}}")
    return read_by_name(texts, lambda names: places.sub(lambda place: names[int(place[1])], template), name)


def read_by_name(texts: Sequence[str], body: Callable[[Sequence[str]], str], name: str = "v") -> str:
    """Return the Spark SQL of a body that reads its arguments by name.

    Args:
        texts: Spark SQL of the arguments.
        body: Returns Spark SQL, given the arguments' names.
        name: Name of the struct of arguments, which no lambda of the body uses.
    """
    fields = ", ".join(f"'a{at}', {text}" for at, text in enumerate(texts))
    written = body([f"{name}.a{at}" for at in range(len(texts))])
    return f"get(transform(array(named_struct({fields})), {name} -> {written}), 0)"


def bound(template: str) -> Callable[[Call, Sequence[str]], str]:
    """Return a writer of Spark SQL by a template that repeats its arguments."""
    return lambda _, texts: bound_text(template, texts)
