"""What decoders make of messages in a worker: how many each reads, and finds malformed; any other exception is named."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from hypothesis import settings

Batches = Iterator[pa.RecordBatch]


def chance() -> random.Random:
    """Return random numbers: the same ones in each run of the suite, others each time under ``make fuzz``."""
    is_fuzz = settings.default is settings.get_profile("fuzz")
    return random.Random(None if is_fuzz else 38)


def decoding(decoders: Callable[[], Mapping[str, Callable[[bytes], Any]]]) -> Callable[[Batches], Batches]:
    """Return the function for ``mapInArrow`` that counts outcomes of the decoders, which it makes in the worker."""

    def decode_all(batches: Batches) -> Batches:
        outcomes, decode_by = Counter[str](), decoders()
        for batch in batches:
            for message in batch["message"].to_pylist():
                for name, decode in decode_by.items():
                    try:
                        decode(message)
                        outcomes[f"{name} read"] += 1
                    except ValueError:
                        outcomes[f"{name} malformed"] += 1
                    except Exception as error:  # noqa: BLE001 - the test looks for them
                        outcomes[f"{name} {type(error).__name__} {message[:20]!r}"] += 1
        yield pa.RecordBatch.from_pydict({"outcome": list(outcomes), "number": list(outcomes.values())})

    return decode_all
