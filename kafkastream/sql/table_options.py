"""The options of WITH, read by their declarations."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar, cast, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import URL_USER, FrozenMap, Secret, is_secret, redacted
from kafkastream.options.option import Option, OptionFamily
from kafkastream.sql.option_references import resolved_options
from kafkastream.sql.table import Position, TableDefinition

__all__ = ["Declaration", "GivenOptions", "TableOptions", "did_you_mean"]

T = TypeVar("T")
D_co = TypeVar("D_co", bound="Declaration", covariant=True)
E = TypeVar("E", bound="Declaration")

_PLAIN = ("",)


class Declaration(Protocol):
    """A statement with options, or what it declares."""

    @property
    def subject(self) -> str:
        """Subject of errors about the options: what has them."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """The options as the user wrote them."""
        ...

    @property
    def positions(self) -> Mapping[str, Position]:
        """Positions of the options; under an empty key, that of all of them, if it is known."""
        ...


@final
@attrs.frozen
class GivenOptions(Generic[D_co]):
    """Options with their values, and where these are written.

    Args:
        definition: The table or catalog that has them.
        values: The options, with what they refer to in the environment and in files.
    """

    definition: D_co
    values: FrozenMap[str, str] = attrs.field(converter=FrozenMap[str, str], repr=redacted)

    @staticmethod
    def of(definition: E, environ: Mapping[str, str] | None = None) -> GivenOptions[E]:
        """The options of a table, or of a catalog.

        Args:
            definition: The table or catalog that has them.
            environ: The variables that values may refer to; this process's if not given.

        Raises:
            DefinitionError: A value refers to a variable or a file that is not there.
        """
        unresolved = GivenOptions(definition, FrozenMap(definition.options))
        variables = os.environ if environ is None else environ
        return GivenOptions(definition, FrozenMap(resolved_options(definition.options, variables, unresolved.where)))

    def get(self, option: Option[T], prefixes: Sequence[str] = _PLAIN) -> T:
        """The value of an option; its default where it is not given.

        Args:
            option: Its declaration.
            prefixes: What may stand before its key; the first that is given counts.

        Raises:
            DefinitionError: The text does not fit the option.
            UnsupportedFeatureError: The text asks for what is not to be had here.
        """
        key = self.spelling(option, prefixes)
        if key is None:
            return option.default
        try:
            return _as_secret(self.values[key], option.parse(self.values[key]))
        except UnsupportedFeatureError as error:
            raise UnsupportedFeatureError(error.what, where=self.where(key), now=error.now) from None
        except ValueError as error:
            # Not as its cause: the reason may hold what a reference stands for.
            raise self.refusal(
                f"Unsupported value {self.shown(key)} for {key!r}{self._reason(key, error)}", key, now=option.doc
            ) from None

    def _reason(self, key: str, error: ValueError) -> str:
        if isinstance(self.values[key], Secret):
            return ""
        return f": {error.what if isinstance(error, DefinitionError) else error}"

    def spelling(self, option: Option[T], prefixes: Sequence[str] = _PLAIN) -> str | None:
        """The key under which an option is given, if it is."""
        keys = (prefix + key for prefix in prefixes for key in option.keys)
        return next((key for key in keys if key in self.values), None)

    def has(self, option: Option[T]) -> bool:
        """Whether an option is given."""
        return self.spelling(option) is not None

    def under(self, family: OptionFamily, prefixes: Sequence[str] = _PLAIN) -> FrozenMap[str, str]:
        """The options of a family, by the ends of their keys."""
        starts = [prefix + family.prefix for prefix in prefixes]
        ends = ((start, key, value) for start in starts for key, value in self.values.items() if key.startswith(start))
        return FrozenMap({key.removeprefix(start): value for start, key, value in ends})

    def shown(self, key: str) -> str:
        """A value as the user wrote it; ``***`` for a secret."""
        return repr("***") if is_secret(key) else redacted(self.definition.options[key])

    def masked(self, key: str) -> str:
        """Return a value as it counts; ``***`` in place of secrets."""
        value = self.values[key]
        return "***" if is_secret(key) or isinstance(value, Secret) else URL_USER.sub("***@", value)

    def where(self, key: str | None = None) -> str:
        """The place of an option, or what has them."""
        option = () if key is None else (f"option {key!r}",)
        positions = self.definition.positions
        return ", ".join((self.definition.subject, *option, *self._at(positions.get(key or "", positions.get("")))))

    @staticmethod
    def _at(position: Position | None) -> tuple[str, ...]:
        return () if position is None else (str(position),)

    def refusal(self, what: str, key: str | None = None, now: str = "") -> DefinitionError:
        """An error about an option, or about what has them."""
        return DefinitionError(what, where=self.where(key), now=now)

    def missing(self, keys: Sequence[str], key: str | None = None) -> DefinitionError:
        """An error about options that must be given, and are not."""
        return self.refusal(
            f"One or more required options are missing. Missing required options are: {', '.join(keys)}",
            key,
            now=f"Add {keys[0]!r}.",
        )

    @contextmanager
    def reading(self, key: str | None = None) -> Iterator[None]:
        """Errors of values that are made within it get the place of the option."""
        try:
            yield
        except (DefinitionError, UnsupportedFeatureError) as error:
            raise type(error)(error.what, where=self.where(key), now=error.now) from None

    def column_refusal(self: GivenOptions[TableDefinition], what: str, name: str, now: str = "") -> DefinitionError:
        """An error about a column."""
        columns = self.definition.schema.columns
        position = next((column.position for column in columns if column.name == name), None)
        where = ", ".join((self.where(), f"column {name!r}", *self._at(position)))
        return DefinitionError(what, where=where, now=now)


TableOptions = GivenOptions[TableDefinition]
"""Options of a table."""


def _as_secret(given: str, parsed: T) -> T:
    """Keep texts secret that a parser has cut out of a secret."""
    if not isinstance(given, Secret):
        return parsed
    hidden: object = parsed
    if isinstance(parsed, str):
        hidden = Secret(parsed)
    elif isinstance(parsed, tuple):
        hidden = tuple(Secret(one) if isinstance(one, str) else one for one in parsed)
    return cast("T", hidden)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question about the known word that is closest; empty when none is close.

    Example:
        >>> did_you_mean("scan.startup.modes", ["topic", "scan.startup.mode"])
        "Did you mean 'scan.startup.mode'?"
    """
    closest = difflib.get_close_matches(word, sorted(known), n=1)
    return f"Did you mean {closest[0]!r}?" if closest else ""
