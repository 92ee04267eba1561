"""Spark's state server, which a task with state asks for each value: many requests in one round trip."""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, final

from pyspark.errors import PySparkRuntimeError
from pyspark.sql.streaming.stateful_processor import MapState

if TYPE_CHECKING:
    from pyspark.sql.streaming.proto.StateMessage_pb2 import MapStateCall

__all__ = ["change_map", "map_values"]

_AT_ONCE: Final = 100
"""Requests that are sent before their responses are read. Both sides wait if the other does not read what they write, and
a socket holds some 200 KB: of requests for values, or of responses to changes, far more than these.
"""
_HEADER: Final = struct.Struct(">ii")
_VERSION: Final = 0


def map_values(state: MapState, keys: Sequence[bytes]) -> Iterator[bytes | None]:
    """Yield the values of keys of a map of bytes, None for a key that is not in it.

    ``MapState.getValue`` waits for each value, and parses the schema of each as JSON.

    Raises:
        PySparkRuntimeError: The state store has failed.
    """

    def fill(call: MapStateCall, key: bytes) -> None:
        call.getValue.userKey = _row(key)

    for value in _responses(state, fill, keys):
        yield _column(value) if value else None


def change_map(state: MapState, changes: Mapping[bytes, bytes | None]) -> None:
    """Put values into a map of bytes, and remove the keys whose value is None.

    Raises:
        PySparkRuntimeError: The state store has failed.
    """

    def fill(call: MapStateCall, change: tuple[bytes, bytes | None]) -> None:
        key, value = change
        if value is None:
            call.removeKey.userKey = _row(key)
        else:
            call.updateValue.userKey = _row(key)
            call.updateValue.value = _row(value)

    for _ in _responses(state, fill, changes.items()):
        pass


def _responses(state: MapState, fill: Callable[[MapStateCall, Any], None], arguments: Iterable[Any]) -> Iterator[bytes]:
    """Yield the values of the responses to a call for each argument.

    The server answers requests in the order in which they come:
    https://github.com/apache/spark/blob/v4.2.1/sql/core/src/main/scala/org/apache/spark/sql/execution/python/streaming/TransformWithStateInPySparkStateServer.scala

    pyspark's own calls: https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/streaming/map_state_client.py
    """
    from pyspark.sql.streaming.proto.StateMessage_pb2 import StateRequest

    client = state._mapStateClient._stateful_processor_api_client
    remaining = iter(arguments)
    while some := list(islice(remaining, _AT_ONCE)):
        for argument in some:
            request = StateRequest()
            call = request.stateVariableRequest.mapStateCall
            call.stateName = state._stateName
            fill(call, argument)
            message = request.SerializeToString()
            client.sockfile.write(_HEADER.pack(_VERSION, len(message)))
            client.sockfile.write(message)
        client.sockfile.flush()
        responses = [client._receive_proto_message() for _ in some]
        for status, error, _ in responses:
            if status != 0:
                raise PySparkRuntimeError(f"The state store has failed: {error}")
        yield from (value for _, _, value in responses)


def _row(content: bytes) -> bytes:
    """Return a row of one column as the server reads it."""
    return pickle.dumps((content,), 5)


def _column(row: bytes) -> bytes:
    """Return the column of a row as the server writes it."""
    columns = _Row(io.BytesIO(row)).load()
    return bytes(columns[0])


@final
class _Row(pickle.Unpickler):
    """Reads a row as a tuple, without parsing its schema, which comes with each:
    https://github.com/apache/spark/blob/v4.2.1/python/pyspark/sql/types.py, ``_create_row_inbound_converter``.
    """

    def find_class(self, module: str, name: str, /) -> Any:
        if name not in _READERS:
            raise pickle.UnpicklingError(f"a row of bytes names {module}.{name}")
        return _READERS[name]


def _values_only(_: object) -> Callable[..., tuple[Any, ...]]:
    return lambda *values: values


_READERS: Final[Mapping[str, Callable[..., Any]]] = {
    "_create_row_inbound_converter": _values_only,
    "_parse_datatype_json_string": str,
    "bytearray": bytearray,
    "bytes": bytes,
}
