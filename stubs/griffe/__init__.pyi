from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

class Kind(Enum):
    CLASS = "class"
    FUNCTION = "function"

class ParameterKind(Enum):
    positional_or_keyword = "positional or keyword"
    keyword_only = "keyword-only"

class AliasResolutionError(Exception): ...

class Docstring:
    value: str

class Decorator:
    value: str | Expr

class Object:
    name: str
    members: dict[str, Object | Alias]
    docstring: Docstring | None
    labels: set[str]
    parent: Module | Class | None
    @property
    def kind(self) -> Kind: ...
    @property
    def path(self) -> str: ...
    @property
    def canonical_path(self) -> str: ...
    @property
    def module(self) -> Module: ...
    @property
    def exports(self) -> list[str | ExprName] | None: ...
    @property
    def modules_collection(self) -> Mapping[str, Object | Alias]: ...
    def __getitem__(self, path: str) -> Any: ...
    def set_member(self, name: str, member: Object) -> None: ...

class Alias:
    @property
    def canonical_path(self) -> str: ...
    @property
    def final_target(self) -> Object: ...

class Module(Object): ...

class Class(Object):
    bases: Sequence[str | Expr]
    decorators: list[Decorator]
    @property
    def inherited_members(self) -> dict[str, Alias]: ...
    def mro(self) -> list[Class]: ...

class Function(Object):
    parameters: Parameters
    returns: str | Expr | None
    overloads: list[Function] | None
    def __init__(self, name: str, *, parameters: Parameters, parent: Class) -> None: ...

class Attribute(Object):
    annotation: str | Expr | None
    value: str | Expr | None

class Parameter:
    annotation: str | Expr | None
    default: str | Expr | None
    def __init__(
        self,
        name: str,
        *,
        annotation: str | Expr | None = None,
        kind: ParameterKind | None = None,
        default: str | Expr | None = None,
    ) -> None: ...

class Parameters:
    def __init__(self, *parameters: Parameter) -> None: ...
    def __iter__(self) -> Iterator[Parameter]: ...

class Expr:
    def iterate(self, *, flat: bool = True) -> Iterable[str | Expr]: ...

class ExprName(Expr):
    name: str
    parent: str | Module | Class | None
    @property
    def canonical_path(self) -> str: ...

class ExprCall(Expr):
    function: Expr
    arguments: Sequence[str | Expr]

class ExprKeyword(Expr):
    name: str
    value: str | Expr

class Extension:
    def on_object(self, *, obj: Object, **kwargs: Any) -> None: ...
    def on_package(self, *, pkg: Module, **kwargs: Any) -> None: ...

def load(
    package: str, *, search_paths: Sequence[Path], resolve_aliases: bool = False, resolve_external: bool = False
) -> Module: ...
