"""Side outputs: elements that functions write to them, separated from their main output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from kafkastream.model.common.output_tag import OutputTag
from kafkastream.spark.worker.batches import Batch

__all__ = ["parted"]


def parted(batch: Batch) -> tuple[Batch, Mapping[str, Batch]]:
    """The elements of the main output, and those of each side output: pairs of a tag and an element.

    Example:
        >>> main, sides = parted(Batch([1, (OutputTag("odd"), 3)], [None, None], [0, 1]))
        >>> main.values, sides["odd"].values
        ([1], [3])
    """
    aside = [index for index, value in enumerate(batch.values) if type(value) is tuple and _is_tagged(value)]
    if not aside:
        return batch, {}
    by_tag: dict[str, list[int]] = defaultdict(list)
    for index in aside:
        by_tag[batch.values[index][0].tag_id].append(index)
    gone = set(aside)
    main = batch.rows([index for index in range(len(batch.values)) if index not in gone])
    sides = {tag: batch.rows(indices) for tag, indices in by_tag.items()}
    return main, {tag: side._replace(values=[value for _, value in side.values]) for tag, side in sides.items()}


def _is_tagged(value: tuple[object, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], OutputTag)
