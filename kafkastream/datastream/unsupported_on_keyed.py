"""Methods of ``DataStream`` that Flink refuses on a ``KeyedStream``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from kafkastream.errors import DefinitionError

__all__ = ["UnsupportedOnKeyed"]


def _refused(method: str) -> Callable[..., NoReturn]:
    def refuse(self: UnsupportedOnKeyed, *_: object, **__: object) -> NoReturn:
        raise DefinitionError(
            f"{method} cannot be called on a keyed stream, which is not an operator",
            where=f"KeyedStream.{method}",
            now="Call it before key_by, or on the result of an operation on the keyed stream.",
        )

    refuse.__doc__ = f"Refused, as in Flink: call ``{method}`` before ``key_by``, or on the result of an operation."
    return refuse


class UnsupportedOnKeyed:
    """Mixin that refuses the methods of operators and of physical partitioning: a keyed stream is not an operator."""

    name = _refused("name")
    get_name = getName = _refused("get_name")
    uid = _refused("uid")
    set_uid_hash = setUidHash = _refused("set_uid_hash")
    set_description = setDescription = _refused("set_description")
    set_parallelism = setParallelism = _refused("set_parallelism")
    set_max_parallelism = setMaxParallelism = _refused("set_max_parallelism")
    force_non_parallel = forceNonParallel = _refused("force_non_parallel")
    set_buffer_timeout = setBufferTimeout = _refused("set_buffer_timeout")
    start_new_chain = startNewChain = _refused("start_new_chain")
    disable_chaining = disableChaining = _refused("disable_chaining")
    slot_sharing_group = slotSharingGroup = _refused("slot_sharing_group")
    cache = _refused("cache")
    shuffle = _refused("shuffle")
    rebalance = _refused("rebalance")
    rescale = _refused("rescale")
    forward = _refused("forward")
    broadcast = _refused("broadcast")
    partition_custom = partitionCustom = _refused("partition_custom")
    get_side_output = getSideOutput = _refused("get_side_output")
