"""Unpickles state and keys without running code: others may be able to write to the checkpoint directory.

A pickle names the functions and classes that it calls: https://docs.python.org/3/library/pickle.html#restricting-globals.
Allowed are classes of values and the few functions that construct them. Refused are all other functions, code that
cloudpickle has pickled by value, and standard library classes that do more than hold a value, such as
``subprocess.Popen``.
"""

from __future__ import annotations

import io
import pickle
import re
import sys
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, final
from zoneinfo import ZoneInfo

from kafkastream.errors import DefinitionError
from kafkastream.model.common.immutable import FrozenMap
from kafkastream.operators.state.former_names import STATE_CLASSES
from kafkastream.operators.state.program_classes import MAIN_MODULE
from kafkastream.options.checkpoints import ALLOW_CODE

__all__ = ["check_code", "imported_packages", "loads", "read_state_of"]

_NAMES: Final[Mapping[str, str]] = FrozenMap(
    {
        "array": "array _array_reconstructor",
        "builtins": "bool bytearray bytes complex dict float frozenset int list object range set slice str tuple Ellipsis NotImplemented",
        "collections": "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque",
        "copyreg": "__newobj__ __newobj_ex__ _reconstructor",
        "datetime": "date datetime time timedelta timezone",
        "decimal": "Decimal",
        "fractions": "Fraction",
        "ipaddress": "IPv4Address IPv4Interface IPv4Network IPv6Address IPv6Interface IPv6Network",
        "numpy": "dtype ndarray",
        "numpy._core.multiarray": "_reconstruct scalar",
        "numpy._core.numeric": "_frombuffer",
        "numpy.core.multiarray": "_reconstruct scalar",
        "numpy.core.numeric": "_frombuffer",
        "pandas._libs.arrays": "NDArrayBacked __pyx_unpickle_NDArrayBacked",
        "pandas._libs.internals": "_unpickle_block",
        "pandas._libs.missing": "NA",
        "pandas._libs.tslibs.nattype": "__nat_unpickle",
        "pandas._libs.tslibs.timedeltas": "_timedelta_unpickle",
        "pandas._libs.tslibs.timestamps": "_unpickle_timestamp",
        "pandas.core.indexes.base": "_new_Index",
        "pandas.core.indexes.datetimes": "_new_DatetimeIndex",
        "pathlib": "Path PosixPath PurePath PurePosixPath PureWindowsPath WindowsPath",
        "pathlib._local": "Path PosixPath PurePath PurePosixPath PureWindowsPath WindowsPath",
        "pytz": "_UTC _p",
        "random": "Random",
        "re": "_compile",
        "time": "struct_time",
        "types": "SimpleNamespace",
        "uuid": "SafeUUID UUID",
        "zoneinfo": "ZoneInfo ZoneInfo._unpickle",
    }
)
"""Classes of values in the standard library, numpy and pandas, and the functions with which pickles construct them."""

_CODE: Final = frozenset({"cloudpickle", "pyspark"})
"""Packages that a pickle names only if it holds code: Spark has a copy of cloudpickle."""
_CLOSED: Final = (
    sys.stdlib_module_names
    | _CODE
    | {"confluent_kafka", "kafkastream", "numpy", "pandas", "psycopg", "py4j", "pyarrow"}
)
"""Packages of which only the names in ``_NAMES`` and modules in ``_VALUE_MODULES`` are allowed."""
_VALUE_MODULES: Final = (
    "kafkastream.keyed.",  # former names, in checkpoints of format 1
    "kafkastream.operators.state.",
    "kafkastream.spec.",
    "kafkastream.model.",
    "kafkastream.util.",
    "pandas._libs.tslibs.",
    "pandas.core.",
)

_SHORT_BYTES: Final = 256
_FRAMED: Final = frozenset({b"\x80\x04\x95", b"\x80\x05\x95"})
"""First bytes of pickles of protocols 4 and 5: the protocol, and the opcode FRAME, before the frame's length."""
_FRAME_BYTES: Final = 11
_MAY_NAME: Final = re.compile(rb"[\n\x82-\x84\x93]").search
"""Matches every pickle that may name something: by the opcodes EXT1, EXT2, EXT4 or STACK_GLOBAL, or by GLOBAL or INST, whose
arguments end with a newline.

https://github.com/python/cpython/blob/v3.14.0/Lib/pickletools.py
"""

_allowed_names: set[tuple[str, str]] = {
    *STATE_CLASSES,
    *((module, name) for module in _NAMES for name in _NAMES[module].split()),
}
_reads_code = False
_checkpoint = ""
_packages: frozenset[str] = frozenset()


def read_state_of(checkpoint: str, *, allows_code: bool, packages: Iterable[str] = ()) -> None:
    """Configure how state is read, for the job whose task this worker runs.

    Args:
        checkpoint: Its checkpoint folder, for errors.
        allows_code: Whether its state may hold code.
        packages: Packages that its program has imported; a worker started after a restart may not have imported them yet.
    """
    global _checkpoint, _reads_code, _packages
    _checkpoint, _reads_code, _packages = checkpoint, allows_code, frozenset(packages)


def imported_packages() -> tuple[str, ...]:
    """Return the packages that the program has imported: objects of their classes may be in state."""
    return tuple(sorted({name.partition(".")[0] for name in sys.modules} - _CLOSED - {MAIN_MODULE}))


def loads(pickled: bytes) -> Any:
    """Unpickle state or a key.

    Raises:
        DefinitionError: It names something other than a class of values.
    """
    if len(pickled) < _SHORT_BYTES and pickled[:3] in _FRAMED and not _MAY_NAME(pickled, _FRAME_BYTES):
        return pickle.loads(pickled)  # most entries and keys: the restricted unpickler takes twice the time
    return _StateUnpickler(io.BytesIO(pickled)).load()


def check_code(pickled: bytes) -> bytes:
    """Return pickled state, after checking that ``loads`` will accept it; it may hold code only if the job allows that.

    Raises:
        DefinitionError: It holds code.
    """
    if not _reads_code and b"cloudpickle" in pickled:
        loads(pickled)
    return pickled


@final
class _StateUnpickler(pickle.Unpickler):
    __slots__ = ()

    def find_class(self, module: str, name: str, /) -> Any:
        if _reads_code or (module, name) in _allowed_names:
            return pickle.Unpickler.find_class(self, module, name)
        if (module, name) == ("builtins", "getattr"):
            return _getattr_of_values
        package = module.partition(".")[0]
        if (package in sys.modules or package in _packages) and package not in _CODE:
            member = super().find_class(module, name)
            if (
                isinstance(member, type) and _may_be_named(module) and _may_be_named(member.__module__)
            ) or _is_builtin_error(member):
                _allowed_names.add((module, name))
                return member
        raise _refusal_error(module, name)


def _may_be_named(module: str) -> bool:
    return module.partition(".")[0] not in _CLOSED or module.startswith(_VALUE_MODULES)


def _is_builtin_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException) and value.__module__ == "builtins"


def _getattr_of_values(kind: object, name: str) -> Any:
    """Restricted ``getattr`` for pickles: members of enumerations (Python 3.11 and 3.12), and time zones by name."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind.__members__[name]
    if kind is ZoneInfo and name == "_unpickle":
        return ZoneInfo._unpickle  # type: ignore[attr-defined]  # https://docs.python.org/3/library/zoneinfo.html#pickle-serialization
    raise _refusal_error("builtins", "getattr")


def _refusal_error(module: str, name: str) -> DefinitionError:
    content = "code" if module.partition(".")[0] in _CODE else f"{module}.{name}"
    return DefinitionError(
        f"state or a key holds {content}, and not only values",
        where=f"checkpoint {_checkpoint}" if _checkpoint else "",
        now="If the program did not put it there, somebody else has written to the checkpoint. Keep values in state: of built-in types, and of classes that the main script or a module defines outside of functions, "
        f"and that the program has imported. {ALLOW_CODE.key}: true lets state hold anything; whoever can write to the checkpoint "
        "directory can then run code.",
    )
