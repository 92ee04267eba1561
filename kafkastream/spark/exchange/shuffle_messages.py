"""Messages between the chains of a keyed job: elements in buckets of keys, watermarks, and reports.

A bucket has the keys of one subtask. All of its messages go through every stateful stage, which takes those for its own
operators and forwards the rest; the reports at the end are for the driver.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

import attrs
import pyarrow as pa

from kafkastream.errors import JobError, UserFunctionError
from kafkastream.model.common.coercion import Coercion, MistypedError, coercion_of
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.model.common.stream_functions import Function, KeySelector, method_of, overrides_close
from kafkastream.model.common.types import TypeInformation
from kafkastream.model.common.value_printing import shown
from kafkastream.model.functions.runtime_context import RuntimeContext
from kafkastream.model.graph.job_graph import KeyedInput
from kafkastream.operators.state.key_encoding import NO_KEY, bucket_of, key_encoder
from kafkastream.operators.stream.keyed_operators import KeyedElements
from kafkastream.spark.internals.pickles import element_dumps
from kafkastream.spark.worker.batches import Batch, ElementError, each
from kafkastream.spark.worker.chain_sinks import SinkOperator
from kafkastream.spark.worker.chained_operators import TaskScope
from kafkastream.spark.worker.declared_type import coerced, mistyped
from kafkastream.spark.worker.failures import element_failed, said
from kafkastream.spark.worker.reports import Report, ReportKind

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MESSAGE_SCHEMA",
    "ExchangeOperator",
    "Message",
    "OperatorInput",
    "SendingOperator",
    "Watermarks",
    "as_sent",
    "message_batches",
    "message_frame",
    "messages_of",
]

_AT_ONCE = 16
_TYPES = (pa.int32(), pa.string(), pa.int32(), pa.string(), pa.int64(), pa.bool_(), pa.binary())
MESSAGE_SCHEMA = "bucket int, kind string, node int, origin string, number bigint, behind boolean, payload binary"


class Message(NamedTuple):
    """A row between chains.

    Args:
        bucket: Label of its bucket.
        kind: Value of its ``ReportKind``.
        node: Node of the operator that elements are for, or that reports.
        origin: Task that has sent it.
        number: Sequence number among the messages of that task to the bucket.
        behind: Whether elements come after the micro-batch's watermark: all but those emitted before or at it.
        payload: Its content, pickled.
    """

    bucket: int
    kind: str
    node: int
    origin: str
    number: int
    behind: bool
    payload: bytes


class Watermarks(NamedTuple):
    """Watermarks and processing time, for stateful stages.

    Args:
        event_times: Watermark before the elements of a micro-batch, in ms, by the identity of the keyed operator.
        now: Wall clock, in ms.
        gone: Identities of operators whose state is to be deleted.
        last: Watermark after the elements, if the input ends with them.
    """

    event_times: Mapping[str, int]
    now: int
    gone: Sequence[str] = ()
    last: Mapping[str, int] = FrozenMap()


class OperatorInput(NamedTuple):
    """Input of a keyed operator in a micro-batch, in the order of processing.

    Args:
        before: Elements that earlier operators emitted before or at the watermark, which must not overtake them.
        marks: Watermarks; None if there is nothing new.
        behind: The other elements, including all from sources.
    """

    before: Iterable[KeyedElements]
    marks: Watermarks | None
    behind: Iterable[KeyedElements]

    @staticmethod
    def of(messages: Iterable[Message], marks: Watermarks | None) -> OperatorInput:
        """Return the input in messages, which are read one by one."""
        in_order = as_sent(messages)
        before, behind = ([one for one in in_order if one.behind is side] for side in (False, True))
        return OperatorInput(_elements(before), marks, _elements(behind))


def _elements(messages: Iterable[Message]) -> Iterator[KeyedElements]:
    return (KeyedElements(*pickle.loads(message.payload)) for message in messages)


def message_batches(messages: Iterable[Message]) -> Iterator[pa.RecordBatch]:
    """Yield messages as Arrow batches."""
    remaining = iter(messages)
    while some := list(islice(remaining, _AT_ONCE)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, _TYPES, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, list(Message._fields))


def message_frame(messages: Iterable[Message]) -> pd.DataFrame:
    """Return messages as a pandas DataFrame, which a stateful stage yields."""
    import pandas as pd  # half a second of CPU, which the process that plans a query's state need not spend

    return pd.DataFrame(list(messages), columns=list(Message._fields))


def messages_of(reports: Iterable[Report], label: int) -> Iterator[Message]:
    """Yield reports as messages; those without a bucket get the one with this label."""
    for report in reports:
        if report.kind is ReportKind.EXCHANGE:
            yield report.content
        else:
            yield Message(label, report.kind.value, report.node, "", 0, True, report.payload())


def as_sent(messages: Iterable[Message]) -> list[Message]:
    """Return messages in the order in which their tasks have sent them, which a shuffle does not keep."""
    return sorted(messages, key=lambda message: (message.behind, message.origin, message.number))


class _NotPickledError(Exception):
    """An element cannot be pickled."""


class _MistypedElementError(Exception):
    """A part of an element is not of its declared type."""


def _check_pickled(element: Any) -> None:
    try:
        element_dumps(element)
    except Exception as error:
        raise _NotPickledError(said(error)) from error


@attrs.define(eq=False)
class SendingOperator(SinkOperator):
    """Sends elements on as messages.

    Args:
        target: Node that they are for.
    """

    has_metrics = False
    kind: ClassVar[ReportKind]
    target: int
    _origin: str = attrs.field(default="", init=False)
    _number: int = attrs.field(default=0, init=False)
    _behind: bool = attrs.field(default=True, init=False)
    _pending: list[Message] = attrs.field(factory=list, init=False)

    def begin(self, task: TaskScope) -> None:
        """Note the origin of the elements, by which the receiver restores their order."""
        self._origin, self._number, self._pending = task.origin, 0, []
        self._behind = True

    def behind_watermark(self, *, is_behind: bool) -> None:
        """Send the next elements as those after the watermark."""
        self._behind = is_behind

    def send(self, bucket: int, payload: bytes) -> None:
        """Send a message to the bucket with this label."""
        message = Message(bucket, self.kind.value, self.target, self._origin, self._number, self._behind, payload)
        self._pending.append(message)
        self._number += 1

    def apply(self, batch: Batch) -> Batch:
        """Send a batch.

        Raises:
            ElementError: One of its elements cannot be pickled.
        """
        try:
            return super().apply(batch)
        except ElementError:
            raise
        except Exception:
            each(_check_pickled, batch.values)
            raise

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """An element cannot be pickled."""
        return UserFunctionError(
            f"an element cannot be sent to operator {self.name!r}, since it cannot be pickled: {error}",
            where=f"{position}; element {shown(element)}",
            now="Emit only picklable elements; keep connections, locks and generators within one function.",
        )

    def drain(self) -> Iterator[Report]:
        """Return the messages so far."""
        pending, self._pending = self._pending, []
        return (Report(ReportKind.EXCHANGE, self.target, message) for message in pending)


@final
@attrs.define(eq=False)
class ExchangeOperator(SendingOperator):
    """Sends elements to the buckets of their keys, for a keyed operator.

    Args:
        side: Index of the operator's input.
        keyed: The input: its key selector and key type; without a selector, elements stay with their subtask or are
            broadcast to every bucket.
        labels: Labels of all buckets.
        giver: Name of the operator that the elements come from, for errors.
        element_type: Declared type that elements are coerced to after key extraction; None if they are already.
    """

    kind = ReportKind.EXCHANGE
    side: int
    keyed: KeyedInput
    labels: Sequence[int]
    giver: str = ""
    element_type: TypeInformation[Any] | None = None
    _key_coercion: Coercion | None = attrs.field(default=None, init=False)
    _coercion: Coercion | None = attrs.field(default=None, init=False)
    _subtask: int = attrs.field(default=0, init=False)
    _encode: Callable[[Hashable], bytes] = attrs.field(factory=key_encoder, init=False)

    def open(self, context: RuntimeContext) -> None:
        """Open the selector."""
        self._key_coercion = coercion_of(self.keyed.key_type)
        self._coercion = coercion_of(self.element_type)
        self._subtask = context.get_index_of_this_subtask()
        if isinstance(self.keyed.selector, Function):
            self.keyed.selector.open(context)

    def close(self) -> None:
        """Close the selector."""
        if isinstance(self.keyed.selector, Function):
            self.keyed.selector.close()

    @property
    def overrides_close(self) -> bool:
        """True if the key selector overrides ``close``."""
        return overrides_close(self.keyed.selector)

    def begin(self, task: TaskScope) -> None:
        """Note the origin of the elements, with the operator's input."""
        # Broadcast elements come before those that look them up, and collections before the records of Kafka.
        turn = f"{int(not self.keyed.is_broadcast)}{int(bool(task.split))}"
        super().begin(task._replace(origin=f"{turn}/{task.origin}/{self.target}/{self.side}"))

    def write(self, batch: Batch) -> None:
        """Send elements to the buckets of their keys."""
        if self.keyed.selector is None:
            self._write_without_keys(batch)
            return
        keys = self._keys(batch.values)
        values = self._typed(batch.values)
        sorted_out: dict[int, KeyedElements] = {}
        for key, value, timestamp in zip(keys, values, batch.timestamps, strict=True):
            bucket = bucket_of(key, len(self.labels))
            elements = sorted_out.get(bucket)
            if elements is None:
                elements = sorted_out[bucket] = KeyedElements(self.side, [], [], [])
            elements.keys.append(key)
            elements.values.append(value)
            elements.timestamps.append(timestamp)
        for bucket, elements in sorted_out.items():
            self.send(self.labels[bucket], element_dumps(tuple(elements)))

    def _keys(self, values: Sequence[Any]) -> list[bytes]:
        """Return the keys of elements as bytes; keys that their declared type coerces to equal values are equal."""
        assert self.keyed.selector is not None
        call, encode = method_of(self.keyed.selector, KeySelector, "get_key"), self._encode
        if self._key_coercion is None:
            return each(lambda value: encode(call(value)), values)
        return each(encode, coerced(self._key_coercion, each(call, values)))

    def _typed(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return the elements coerced to their type; keys are extracted before, as in PyFlink."""
        try:
            return values if self._coercion is None else coerced(self._coercion, values)
        except ElementError as error:
            raise ElementError(error.index) from _MistypedElementError(str(error.__cause__))

    def _write_without_keys(self, batch: Batch) -> None:
        keys = [NO_KEY] * len(batch.values)
        payload = element_dumps((self.side, keys, list(batch.values), list(batch.timestamps)))
        own = self.labels[self._subtask % len(self.labels)]
        for bucket in self.labels if self.keyed.is_broadcast else (own,):
            self.send(bucket, payload)

    def failure(self, element: object, position: str, error: BaseException | None) -> JobError:
        """Return the error of an element: its selector raised, the key is invalid, or it cannot be pickled."""
        if isinstance(error, _NotPickledError):
            return super().failure(element, position, error)
        if isinstance(error, _MistypedElementError) and self.element_type is not None:
            return mistyped(f"operator {self.giver!r} gave an element", element, self.element_type, position, error)
        if isinstance(error, MistypedError) and self.keyed.key_type is not None:
            what = f"the key selector of operator {self.name!r} gave a key"
            return mistyped(what, element, self.keyed.key_type, position, error)
        return element_failed(f"{self.name} (its key selector)", element, position, error)
