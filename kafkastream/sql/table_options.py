"""Options of WITH, read by their declarations."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar, cast, final

import attrs

from kafkastream.errors import DefinitionError, UnsupportedFeatureError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.options.option import Option, OptionFamily
from kafkastream.secret_masking import Secret, is_secret, masked_value, redacted
from kafkastream.sql.option_references import resolved_options
from kafkastream.sql.table import Position, TableDefinition

__all__ = ["Declaration", "GivenOptions", "TableOptions", "did_you_mean"]

T = TypeVar("T")
D_co = TypeVar("D_co", bound="Declaration", covariant=True)
E = TypeVar("E", bound="Declaration")

_PLAIN = ("",)


class Declaration(Protocol):
    """A statement with options, or its result."""

    @property
    def subject(self) -> str:
        """Return the subject of errors about options."""
        ...

    @property
    def options(self) -> Mapping[str, str]:
        """Return the options as the user wrote them."""
        ...

    @property
    def positions(self) -> Mapping[str, Position]:
        """Return the positions of the options; the empty key has that of the whole list, if known."""
        ...


@final
@attrs.frozen
class GivenOptions(Generic[D_co]):
    """Options with resolved values and their positions.

    Args:
        definition: Table or catalog with the options.
        values: Options with references to the environment and files resolved.
    """

    definition: D_co
    values: FrozenMap[str, str] = attrs.field(converter=FrozenMap[str, str], repr=redacted)

    @staticmethod
    def of(definition: E, environ: Mapping[str, str] | None = None) -> GivenOptions[E]:
        """Return the options of a table or a catalog.

        Args:
            definition: Table or catalog with the options.
            environ: Environment variables for references; default: those of this process.

        Raises:
            DefinitionError: A value refers to a variable or a file that does not exist.
        """
        unresolved = GivenOptions(definition, FrozenMap(definition.options))
        variables = os.environ if environ is None else environ
        return GivenOptions(definition, FrozenMap(resolved_options(definition.options, variables, unresolved.where)))

    def get(self, option: Option[T], prefixes: Sequence[str] = _PLAIN) -> T:
        """Return the value of an option; its default if it is not given.

        Args:
            option: Declaration of the option.
            prefixes: Possible prefixes of its key; the first one that is given counts.

        Raises:
            DefinitionError: The value is invalid.
            UnsupportedFeatureError: The value is not supported.
        """
        key = self.spelling(option, prefixes)
        if key is None:
            return option.default
        try:
            return _as_secret(self.values[key], option.parse(self.values[key]))
        except UnsupportedFeatureError as error:
            raise UnsupportedFeatureError(error.what, where=self.where(key), now=error.now) from None
        except ValueError as error:
            # Without a cause, whose text may contain the value of a reference.
            raise self.refusal(
                f"Unsupported value {self.shown(key)} for {key!r}{self._reason(key, error)}", key, now=option.doc
            ) from None

    def _reason(self, key: str, error: ValueError) -> str:
        if isinstance(self.values[key], Secret):
            return ""
        return f": {error.what if isinstance(error, DefinitionError) else error}"

    def spelling(self, option: Option[T], prefixes: Sequence[str] = _PLAIN) -> str | None:
        """Return the key under which an option is given, if it is."""
        keys = (prefix + key for prefix in prefixes for key in option.keys)
        return next((key for key in keys if key in self.values), None)

    def has(self, option: Option[T]) -> bool:
        """Return whether an option is given."""
        return self.spelling(option) is not None

    def under(self, family: OptionFamily, prefixes: Sequence[str] = _PLAIN) -> FrozenMap[str, str]:
        """Return the options of a family, by the rest of their keys."""
        starts = [prefix + family.prefix for prefix in prefixes]
        ends = ((start, key, value) for start in starts for key, value in self.values.items() if key.startswith(start))
        return FrozenMap({key.removeprefix(start): value for start, key, value in ends})

    def shown(self, key: str) -> str:
        """Return a value as the user wrote it; ``***`` for a secret."""
        return repr("***") if is_secret(key) else redacted(self.definition.options[key])

    def masked(self, key: str) -> str:
        """Return a resolved value, with ``***`` instead of secrets."""
        return masked_value(key, self.values[key])

    def where(self, key: str | None = None) -> str:
        """Return the position of an option, or the subject of the options."""
        option = () if key is None else (f"option {key!r}",)
        positions = self.definition.positions
        return ", ".join((self.definition.subject, *option, *self._at(positions.get(key or "", positions.get("")))))

    @staticmethod
    def _at(position: Position | None) -> tuple[str, ...]:
        return () if position is None else (str(position),)

    def refusal(self, what: str, key: str | None = None, now: str = "") -> DefinitionError:
        """Return an error about an option, or about all options."""
        return DefinitionError(what, where=self.where(key), now=now)

    def missing(self, keys: Sequence[str], key: str | None = None) -> DefinitionError:
        """Return an error about missing options."""
        return self.refusal(
            f"One or more required options are missing. Missing required options are: {', '.join(keys)}",
            key,
            now=f"Add {keys[0]!r}.",
        )

    @contextmanager
    def reading(self, key: str | None = None) -> Iterator[None]:
        """Add the position of an option to errors of values within a ``with`` block."""
        try:
            yield
        except (DefinitionError, UnsupportedFeatureError) as error:
            raise type(error)(error.what, where=self.where(key), now=error.now) from None

    def column_refusal(self: GivenOptions[TableDefinition], what: str, name: str, now: str = "") -> DefinitionError:
        """Return an error about a column."""
        columns = self.definition.schema.columns
        position = next((column.position for column in columns if column.name == name), None)
        where = ", ".join((self.where(), f"column {name!r}", *self._at(position)))
        return DefinitionError(what, where=where, now=now)


TableOptions = GivenOptions[TableDefinition]
"""Options of a table."""


def _as_secret(given: str, parsed: T) -> T:
    """Return parsed texts of a secret as secrets."""
    if not isinstance(given, Secret):
        return parsed
    hidden: object = parsed
    if isinstance(parsed, str):
        hidden = Secret(parsed)
    elif isinstance(parsed, tuple):
        hidden = tuple(Secret(one) if isinstance(one, str) else one for one in parsed)
    return cast("T", hidden)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the closest known word; empty if none is close.

    Example:
        >>> did_you_mean("scan.startup.modes", ["topic", "scan.startup.mode"])
        "Did you mean 'scan.startup.mode'?"
    """
    closest = difflib.get_close_matches(word, sorted(known), n=1)
    return f"Did you mean {closest[0]!r}?" if closest else ""
