"""Stand-ins: PyFlink's classes that Spark cannot provide; they can be imported, and name an alternative when used."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any, Final

from kafkastream.errors import UnsupportedFeatureError

__all__ = ["FILES", "JAVA", "JVM", "MACHINERY", "QUERY", "Refused", "StandIn", "instead_of", "stand_in"]

FILES: Final = (
    "Text, CSV and Parquet work: FileSink and FileSource write and read them, FileSink writes Avro, too. Other files are "
    "Spark's: a query with spark.readStream reads them into a topic, one with DataFrame.writeStream writes a topic to them."
)
JAVA: Final = "Jobs here have none of Flink's Java objects: write it in Python."
JVM: Final = (
    "Flink's JVM does not run here. Settings go by Configuration, env.configure and env.get_config(), Spark's by "
    "spark-submit --conf; jars are not needed; what else is done in Java has to be written in Python."
)
QUERY: Final = "Write the query in SQL: t_env.sql_query gives a Table, t_env.execute_sql starts an INSERT."
MACHINERY: Final = "A part of PyFlink's own machinery without a counterpart here: leave it out."


class _Refusing(ABCMeta):
    """Metaclass of the stand-ins: calls and public attributes raise; Python itself may ask for names with an
    underscore.
    """

    _instead: str
    _replaced: type

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        raise _refusal(cls, f".{name}")

    if not TYPE_CHECKING:  # to type checkers, an object of the class comes of it

        def __call__(cls, *_: object, **__: object) -> None:
            raise _refusal(cls, "(…)")


def _refusal(used: _Refusing, how: str) -> UnsupportedFeatureError:
    path = f"{used._replaced.__module__}.{used._replaced.__qualname__}"
    return UnsupportedFeatureError(f"{used._replaced.__name__} is not supported", where=path + how, now=used._instead)


class StandIn(metaclass=_Refusing):
    """Base of the stand-ins; ``instead`` names the alternative. Subclasses of users are refused alike.

    Example:
        >>> class PulsarSource(StandIn, instead="Bring the messages into a topic."): ...
        >>> PulsarSource.builder()
        Traceback (most recent call last):
        kafkastream.errors.UnsupportedFeatureError: [unsupported-feature] PulsarSource is not supported
          at kafkastream.model.common.stand_ins.PulsarSource.builder
          Bring the messages into a topic.
    """

    if TYPE_CHECKING:

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def __init_subclass__(cls, *, instead: str = "", **_: object) -> None:
        if instead:
            cls._instead, cls._replaced = instead, cls


def stand_in(module: str, name: str, instead: str) -> Any:
    """Return the stand-in of a function.

    Args:
        module: Module of the function.
        name: Name of the function.
        instead: Alternative, as a sentence.
    """
    return _Refusing(name, (StandIn,), {"__module__": module}, instead=instead)


def instead_of(thing: object) -> str | None:
    """Return the alternative that a stand-in names; None if ``thing`` is not a stand-in."""
    return thing._instead if isinstance(thing, _Refusing) and thing._replaced is thing else None


class Refused:
    """Attribute of PyFlink that cannot exist here, such as a Java object; raises when it is read.

    Args:
        instead: Alternative, as a sentence.
        because: Reason.
    """

    def __init__(self, instead: str = JVM, because: str = "leads into Flink's JVM") -> None:
        self._instead = instead
        self._because = because

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        where = f"{owner.__name__}.{self._name}"
        raise UnsupportedFeatureError(f"{self._name} {self._because}", where=where, now=self._instead)
