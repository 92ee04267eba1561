"""Maps the sources of a program to the progress in its checkpoint folder, or refuses the program.

Flink maps state to operators by their uids and refuses state that it cannot map. The same rules hold here for the
progress of sources. A source is recognized by its uid, else by its name, else by the topics that it reads, if no other
source reads the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, count
from typing import Final, NamedTuple, final

import attrs

from kafkastream.errors import DefinitionError
from kafkastream.options.checkpoints import IGNORE_UNCLAIMED_STATE
from kafkastream.spark.checkpoint.control_content import CONTROL_NAME
from kafkastream.spark.checkpoint.folder_names import distinct_folder
from kafkastream.spark.checkpoint.record import PartRecord, SourceRecord

__all__ = ["ContinuedPart", "ProgramPart", "ProgramSource", "continued"]

_ANEW: Final = "Or start under another job name, or with another checkpoint directory, and read everything again."

Progress = Callable[[str], Collection[str]]
"""Function from a query folder to the keys of the sources that its query has read from; none without progress."""


@final
@attrs.frozen
class ProgramSource:
    """A source as the program defines it.

    Args:
        name: Its name.
        uid: Its uid, if it has one.
        reads: The topics, pattern or partitions that it reads; empty for a collection.
    """

    name: str
    uid: str | None = None
    reads: str = ""

    def __str__(self) -> str:
        shown = repr(self.name) if self.uid is None else f"{self.name!r} with uid {self.uid!r}"
        return f"source {shown} ({self.reads or 'a collection'})"


@final
@attrs.frozen
class ProgramPart:
    """A connected part of the program's graph.

    Args:
        folder: The folder that its query gets if it is new.
        sources: Its sources, in the order of the graph.
        sinks: The names of its sinks.
        is_named: Whether the sources can have names in Spark; otherwise their order identifies them.
    """

    folder: str
    sources: tuple[ProgramSource, ...]
    sinks: tuple[str, ...]
    is_named: bool = True


@final
@attrs.frozen
class ContinuedPart:
    """Continuation of a part of the program: the query folder and the sources that it continues from.

    Args:
        folder: Its query's folder.
        sources: Its sources, in the order of the graph.
        keys: Key of each source in Spark's log of offsets, in the order of the graph.
        added: Sources that the query reads for the first time.
        dropped: Keys of sources whose progress is discarded.
        is_named: Whether the sources have their keys as names in Spark; otherwise their order identifies them.
    """

    folder: str
    sources: tuple[ProgramSource, ...]
    keys: tuple[str, ...]
    added: tuple[ProgramSource, ...] = ()
    dropped: tuple[str, ...] = ()
    is_named: bool = True


class _Place(NamedTuple):
    """A source, by the index of its part and its index in the part."""

    part: int
    source: int


def continued(
    program: Sequence[ProgramPart],
    recorded: Sequence[PartRecord],
    progress: Progress,
    *,
    ignores_unclaimed: bool,
) -> tuple[ContinuedPart, ...]:
    """Map the parts of a program to the queries in its checkpoint folder.

    Args:
        program: Parts of the program.
        recorded: Queries of the last start.
        progress: Returns the sources that a query has read from.
        ignores_unclaimed: Whether to discard the progress of sources that the program no longer has.

    Raises:
        DefinitionError: There is progress of a source that the program lacks, or the sources of one query are now in
            several, or the other way round.
    """
    known = _matched(program, recorded)
    _refuse_unclaimed(program, recorded, known, progress, ignores_unclaimed=ignores_unclaimed)
    folders = _folders(program, recorded, known)
    return tuple(
        _continued(part, recorded[old] if old is not None else None, folder, number, known, recorded, progress)
        for number, (part, (old, folder)) in enumerate(zip(program, folders, strict=True))
    )


def _matched(program: Sequence[ProgramPart], recorded: Sequence[PartRecord]) -> Mapping[_Place, _Place]:
    """Return the recorded place of each recognized source of the program; the best matches are made first."""
    news = [_Place(p, s) for p, part in enumerate(program) for s in range(len(part.sources))]
    olds = [_Place(p, s) for p, part in enumerate(recorded) for s in range(len(part.sources))]
    ranked = sorted(
        (rank, new, old)
        for new in news
        for old in olds
        if (rank := _rank(program[new.part], new.source, recorded[old.part], old.source)) is not None
    )
    found: dict[_Place, _Place] = {}
    for _, new, old in ranked:
        if new not in found and old not in found.values():
            found[new] = old
    left_new, left_old = (
        [place for place in all_ if place not in taken] for all_, taken in ((news, found), (olds, found.values()))
    )
    of_new = {place: program[place.part].sources[place.source] for place in left_new}
    of_old = {place: recorded[place.part].sources[place.source] for place in left_old}
    return {**found, **_by_what_they_read(of_new, of_old)}


def _rank(part: ProgramPart, number: int, old_part: PartRecord, old_number: int) -> tuple[int, bool, bool] | None:
    """Rank how well a source matches a recorded one, by uid or name; None if it does not. The order breaks ties."""
    new, old = part.sources[number], old_part.sources[old_number]
    if new.uid is not None and old.uid is not None:
        named = 0 if new.uid == old.uid else None
    elif new.uid is not None and new.uid == old.name:
        named = 1
    else:
        named = 2 if new.name == old.name else None
    if named is None or bool(new.reads) != bool(old.reads):
        return None
    return named, Counter(part.sinks) != Counter(old_part.sinks), new.reads != old.reads


def _by_what_they_read(
    news: Mapping[_Place, ProgramSource], olds: Mapping[_Place, SourceRecord]
) -> Mapping[_Place, _Place]:
    """Match renamed sources: those that read exactly the topics of one recorded source, if both are the only ones."""
    found = {}
    for new, source in news.items():
        alike = [other for other in news.values() if other.reads == source.reads]
        same = [old for old, recorded in olds.items() if recorded.reads == source.reads]
        if source.reads and len(alike) == len(same) == 1 and (source.uid is None or olds[same[0]].uid is None):
            found[new] = same[0]
    return found


def _refuse_unclaimed(
    program: Sequence[ProgramPart],
    recorded: Sequence[PartRecord],
    known: Mapping[_Place, _Place],
    progress: Progress,
    *,
    ignores_unclaimed: bool,
) -> None:
    claimed = set(known.values())
    unclaimed = [
        source
        for p, part in enumerate(recorded)
        for s, source in enumerate(part.sources)
        if _Place(p, s) not in claimed and source.reads and source.key in progress(part.folder)
    ]
    if unclaimed and not ignores_unclaimed:
        new = [
            source
            for p, part in enumerate(program)
            for s, source in enumerate(part.sources)
            if _Place(p, s) not in known
        ]
        raise _unclaimed(unclaimed, new)


def _unclaimed(unclaimed: Sequence[SourceRecord], new: Sequence[ProgramSource]) -> DefinitionError:
    first = unclaimed[0]
    others = f" (and of {len(unclaimed) - 1} more)" if len(unclaimed) > 1 else ""
    appeared = f", which has instead {', '.join(map(str, new))}" if new else ", which does not have it"
    uid = first.uid or first.name
    return DefinitionError(
        f"cannot map the checkpoint's progress of {_recorded(first)}{others} to the program{appeared}",
        now=f"Put the source back, or give the one in its place uid({uid!r}); discard its progress with "
        f"{IGNORE_UNCLAIMED_STATE.key}: true. {_ANEW}",
    )


def _recorded(source: SourceRecord) -> str:
    return str(ProgramSource(source.name, source.uid, source.reads))


def _folders(
    program: Sequence[ProgramPart], recorded: Sequence[PartRecord], known: Mapping[_Place, _Place]
) -> Sequence[tuple[int | None, str]]:
    """Return the recorded query that each part continues, if any, and its folder."""
    of_parts = [
        sorted({old.part for new, old in known.items() if new.part == number}) for number in range(len(program))
    ]
    for part, olds in zip(program, of_parts, strict=True):
        if len(olds) > 1:
            raise _regrouped(part, "one query now", f"{len(olds)} queries")
    uses = Counter(chain.from_iterable(of_parts))
    for part, olds in zip(program, of_parts, strict=True):
        if olds and uses[olds[0]] > 1:
            raise _regrouped(part, f"{uses[olds[0]]} queries now", "one query")
    taken = {part.folder for part in recorded}
    folders: list[tuple[int | None, str]] = []
    for part, olds in zip(program, of_parts, strict=True):
        folder = recorded[olds[0]].folder if olds else distinct_folder(part.folder, taken)
        taken.add(folder)
        folders.append((olds[0] if olds else None, folder))
    return folders


def _regrouped(part: ProgramPart, now: str, before: str) -> DefinitionError:
    sources = ", ".join(map(str, part.sources))
    return DefinitionError(
        f"the sources read by {now} were read by {before} in the checkpoint: {sources}; Spark can neither merge nor "
        "split the progress of queries",
        now=f"Connect the streams as before. {_ANEW}",
    )


def _continued(
    part: ProgramPart,
    old: PartRecord | None,
    folder: str,
    number: int,
    known: Mapping[_Place, _Place],
    recorded: Sequence[PartRecord],
    progress: Progress,
) -> ContinuedPart:
    read = set(progress(folder)) if old is not None else set()
    if not part.is_named or (old is not None and not old.is_named and read):
        return _in_order(part, old if read else None, folder)
    known_keys = {
        new.source: recorded[found.part].sources[found.source].key for new, found in known.items() if new.part == number
    }
    taken = {CONTROL_NAME, *(source.key for source in old.sources)} if old is not None else {CONTROL_NAME}
    keys: list[str] = []
    for place, source in enumerate(part.sources):
        key = known_keys.get(place) or _distinct(_spark_name(source.uid or source.name), taken)
        taken.add(key)
        keys.append(key)
    added = tuple(source for place, source in enumerate(part.sources) if read and place not in known_keys)
    _refuse_added_collections(added)
    dropped = () if old is None else tuple(one.key for one in old.sources if one.key not in keys)
    return ContinuedPart(folder, part.sources, tuple(keys), added, dropped)


def _in_order(part: ProgramPart, old: PartRecord | None, folder: str) -> ContinuedPart:
    """Refuse changed sources of a query without source names: Spark numbers them, so their order must stay the same."""
    numbers = count()
    keys = tuple(
        str(next(numbers)) if source.reads else f"collection_{place}" for place, source in enumerate(part.sources)
    )
    if old is not None:
        before, now = ([one.reads for one in sources if one.reads] for sources in (old.sources, part.sources))
        if before != now or old.is_named:
            raise DefinitionError(
                f"the query read {'; '.join(before)} in the checkpoint, and reads {'; '.join(now)} now: with several "
                "stateful operations, Spark identifies sources only by their order",
                now=f"Write the tables of the query as before. {_ANEW}",
            )
    return ContinuedPart(folder, part.sources, keys, is_named=False)


def _refuse_added_collections(added: Iterable[ProgramSource]) -> None:
    """Refuse new collections in a running query: their elements come before the first micro-batch, which is over."""
    for source in added:
        if not source.reads:
            raise DefinitionError(
                f"{source} was added to a query that has read before: its elements would never be read",
                now=f"Write them to a topic that the query reads. {_ANEW}",
            )


def _spark_name(name: str) -> str:
    """Return a name of ASCII letters, digits and underscores only, as Spark requires.

    Example:
        >>> _spark_name("Kafka Source"), _spark_name("订单")
        ('Kafka_Source', '__')
    """
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name) or "source"


def _distinct(name: str, taken: Collection[str]) -> str:
    """Return the name, or the first of its numbered forms that is free."""
    numbered = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(one for one in numbered if one not in taken)
