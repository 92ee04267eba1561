"""Lays out the API reference: a page for each module that ``mkdocs.yml`` lists, made of its ``__all__``.

``python -m website.reference FOLDER`` writes pages of directives, which mkdocstrings replaces by docstrings. A name that
several modules offer is described by the first of them in the contents, or by a module below that one; the pages of the
others link to it. Stand-ins for what Spark cannot give are left out, as the support page lists them.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, final

import attrs
import griffe

from website.nav import ROOT, nav_modules

__all__ = ["Reference", "public_names", "write_reference"]

_JAVA_SPELLING: Final = re.compile(r"[a-z0-9]+[A-Z]")
_DESCRIBED: Final = frozenset({griffe.Kind.CLASS, griffe.Kind.FUNCTION})


@final
@attrs.frozen
class Name:
    """A public name.

    Args:
        path: The name, with the module that offers it.
        described: What it means, wherever that is defined.
    """

    path: str
    described: griffe.Object

    @property
    def module(self) -> str:
        return self.path.rpartition(".")[0]

    @property
    def last(self) -> str:
        return self.path.rpartition(".")[2]


@final
@attrs.frozen
class Reference:
    """The public names by module.

    Args:
        names: Names of classes and functions that each module offers.
        home: The name under which each class and function is described, by the path of its definition.
    """

    names: Mapping[str, tuple[Name, ...]]
    home: Mapping[str, Name]

    def page(self, module: griffe.Object) -> str:
        """Return the page of a module."""
        names = self.names[module.path]
        own = [name for name in names if self._home(name) == name]
        parts = [f"# {module.path}", _first_line(module), *self._renamed(names), *self._elsewhere(names)]
        return "\n\n".join([*parts, *map(self._directive, own)]) + "\n"

    def _home(self, name: Name) -> Name:
        return self.home[name.described.path]

    def _renamed(self, names: tuple[Name, ...]) -> Iterator[str]:
        """Yield a sentence on the names of classes that are described under another one, here or elsewhere."""
        homes = [(name.last, self._home(name)) for name in names if self._home(name).last != name.last]
        if homes:
            pairs = (f"`{last}` for {_link(home, names[0].module)}" for last, home in homes)
            yield f"Second names: {', '.join(pairs)}."

    def _elsewhere(self, names: tuple[Name, ...]) -> Iterator[str]:
        """Yield a list of the names that pages of other modules describe."""
        others = [self._home(name) for name in names if self._home(name).last == name.last]
        links = [_link(home, names[0].module) for home in others if home.module != names[0].module]
        if links:
            yield f"Described with their own modules: {', '.join(links)}."

    def _directive(self, name: Name) -> str:
        inherited = sorted(self._inherited(name.described)) if isinstance(name.described, griffe.Class) else []
        return f"::: {name.path}\n    options:\n      inherited_members: [{', '.join(inherited)}]"

    def _inherited(self, described: griffe.Class) -> Iterator[str]:
        """Yield names of the members that a class has from classes without a description of their own."""
        for name, member in described.inherited_members.items():
            parent = member.final_target.parent
            is_public = not name.startswith("_") and not _JAVA_SPELLING.match(name)
            if is_public and parent is not None and parent.path not in self.home:
                yield name


def public_names(package: griffe.Module) -> Reference:
    """Return what the modules of the contents offer."""
    modules = [package[path.removeprefix("kafkastream.")] for path in nav_modules()]
    names = {module.path: tuple(_names(module)) for module in modules}
    return Reference(names, _homes(names))


def write_reference(folder: Path) -> None:
    """Write a page for each module of the contents."""
    package = griffe.load("kafkastream", search_paths=[ROOT], resolve_aliases=True, resolve_external=False)
    reference = public_names(package)
    folder.mkdir(parents=True, exist_ok=True)
    for path in reference.names:
        module = package[path.removeprefix("kafkastream.")]
        (folder / f"{path}.md").write_text(reference.page(module), encoding="utf-8")


def _names(module: griffe.Object) -> Iterator[Name]:
    """Yield the classes and functions of ``__all__``, also those that are assigned to a second name."""
    for exported in map(str, module.exports or ()):
        described = _described(module.members[exported])
        if described is not None and described.kind in _DESCRIBED and not _is_stand_in(described):
            yield Name(f"{module.path}.{exported}", described)


def _described(member: griffe.Object | griffe.Alias) -> griffe.Object | None:
    """Return what a name means; None if it is a name of another package."""
    try:
        described = member.final_target if isinstance(member, griffe.Alias) else member
    except griffe.AliasResolutionError:
        return None
    if isinstance(described, griffe.Attribute) and isinstance(described.value, griffe.ExprName):
        assert described.module is not None
        return _described(described.module.members[described.value.name])
    return described


def _is_stand_in(described: griffe.Object) -> bool:
    return isinstance(described, griffe.Class) and any(str(base) in {"StandIn", "Refused"} for base in described.bases)


def _homes(names: Mapping[str, tuple[Name, ...]]) -> dict[str, Name]:
    """Return where each class and function is described, by the path of its definition."""
    offered = defaultdict(list)
    for name in (one for several in names.values() for one in several):
        offered[name.described.path].append(name)
    return {path: _home(several) for path, several in offered.items()}


def _home(names: list[Name]) -> Name:
    """Return the first of several names of a class or function, or one of a module below; its own name, if it has that."""
    own = [name for name in names if name.last == name.described.name] or names
    return next((name for name in own if name.module.startswith(f"{own[0].module}.")), own[0])


def _link(name: Name, module: str) -> str:
    page = "" if name.module == module else f"{name.module}.md"
    return f"[`{name.last}`]({page}#{name.path})"


def _first_line(module: griffe.Object) -> str:
    return (module.docstring.value if module.docstring else "").partition("\n")[0].replace("``", "`")


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
