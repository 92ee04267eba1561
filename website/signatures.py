"""Extension of griffe for this package: constructors by attrs, examples in docstrings, and public paths of types.

https://mkdocstrings.github.io/griffe/guide/users/extending/ describes the methods of an extension.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, final

import griffe

from website.reference import Reference, public_names

__all__ = ["Signatures"]

_ATTRS: Final = re.compile(r"attrs\.(frozen|define)\b(?!.*\binit=False)")
_EXAMPLE: Final = re.compile(r"^( *)Example:$", re.MULTILINE)
_ARGUMENTS: Final = re.compile(r"^ *Args:$", re.MULTILINE)


@final
class Signatures(griffe.Extension):
    """Adds the constructors that attrs makes, where a docstring describes the arguments, and makes types public.

    A type in a signature has the path under which the reference describes it; one that is not described has none.
    """

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Read ``Example:`` as the section with code that griffe calls ``Examples``."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(r"\1Examples:", obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Add constructors and paths when all modules are known."""
        for described in _with_described_fields(pkg):
            described.set_member("__init__", _constructor(described))
        reference = public_names(pkg)
        names = [name for described in _objects(pkg) for name in _types(described)]
        for name, path in [(name, name.canonical_path) for name in names]:
            _make_public(name, path, pkg, reference)


def _objects(parent: griffe.Object) -> Iterator[griffe.Object]:
    for member in list(parent.members.values()):
        if isinstance(member, griffe.Object):
            yield member
            yield from _objects(member)


def _types(described: griffe.Object) -> Iterator[griffe.ExprName]:
    """Yield the names in the signature of a function or attribute."""
    match described:
        case griffe.Function():
            overloads = [described, *(described.overloads or ())]
            parameters = [parameter for one in overloads for parameter in one.parameters]
            parts = (
                [one.returns for one in overloads]
                + [one.annotation for one in parameters]
                + [one.default for one in parameters]
            )
        case griffe.Attribute():
            parts = [described.annotation]
        case _:
            parts = []
    for part in parts:
        if isinstance(part, griffe.Expr):
            yield from (name for name in part.iterate(flat=True) if isinstance(name, griffe.ExprName))


def _make_public(name: griffe.ExprName, path: str, package: griffe.Module, reference: Reference) -> None:
    if path.startswith("kafkastream."):
        home = reference.home.get(_definition(path, package))
        name.parent = home.module if home else None


def _definition(path: str, package: griffe.Module) -> str:
    """Return the path of the definition that a path leads to."""
    try:
        return package.modules_collection[path].canonical_path
    except (KeyError, griffe.AliasResolutionError):
        return path


def _with_described_fields(package: griffe.Module) -> Iterator[griffe.Class]:
    """Yield the classes whose constructor attrs makes, and whose docstring describes the arguments."""
    for described in _objects(package):
        if isinstance(described, griffe.Class) and "__init__" not in described.members:
            text = described.docstring.value if described.docstring else ""
            if _is_by_attrs(described) and _ARGUMENTS.search(text):
                yield described


def _is_by_attrs(described: griffe.Class) -> bool:
    return any(_ATTRS.match(str(decorator.value)) for decorator in described.decorators)


def _constructor(described: griffe.Class) -> griffe.Function:
    fields = {field.name: field for one in (*reversed(described.mro()), described) for field in _fields(one)}
    by_name = any("kw_only=True" in str(decorator.value) for decorator in described.decorators)
    parameters = [griffe.Parameter("self"), *(_parameter(field, by_name=by_name) for field in fields.values())]
    return griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=described)


def _fields(described: griffe.Class) -> Iterator[griffe.Attribute]:
    """Yield the fields that a class adds, if attrs makes its constructor."""
    if _is_by_attrs(described):
        for member in described.members.values():
            if isinstance(member, griffe.Attribute) and _is_field(member):
                yield member


def _is_field(member: griffe.Attribute) -> bool:
    is_annotated = member.annotation is not None and "instance-attribute" in member.labels
    return is_annotated and _settings(member).get("init") != "False"


def _parameter(field: griffe.Attribute, *, by_name: bool) -> griffe.Parameter:
    kinds = griffe.ParameterKind
    kind = kinds.keyword_only if by_name or "kw_only" in _settings(field) else kinds.positional_or_keyword
    name = str(_settings(field).get("alias", field.name)).strip("\"'").lstrip("_")
    return griffe.Parameter(name, annotation=field.annotation, kind=kind, default=_default(field))


def _default(field: griffe.Attribute) -> str | griffe.Expr | None:
    """Return the default of a field; ``...`` for one that is computed."""
    if not isinstance(field.value, griffe.ExprCall):
        return field.value
    settings = _settings(field)
    if not str(field.value.function).startswith("attrs."):
        return "..."
    return settings.get("default", "..." if "factory" in settings else None)


def _settings(field: griffe.Attribute) -> dict[str, str | griffe.Expr]:
    """Return the arguments of ``attrs.field``."""
    arguments = field.value.arguments if isinstance(field.value, griffe.ExprCall) else ()
    return {one.name: one.value for one in arguments if isinstance(one, griffe.ExprKeyword)}
