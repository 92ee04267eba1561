"""Which exceptions mean that a record is malformed, and the limits for records."""

import decimal
import subprocess
import sys

import pytest

from kafkastream.common import Configuration
from kafkastream.errors import DefinitionError, SetupError
from kafkastream.model.formats.ignore_errors import or_none
from kafkastream.model.formats.malformed import RecordLimits, is_malformed, malformed
from kafkastream.model.job.job_settings import job_settings


@pytest.mark.parametrize(
    "error",
    [
        ValueError(),
        OverflowError(),
        decimal.InvalidOperation(),
        RecursionError(),
        KeyError(),
        TypeError(),
        MemoryError(),
    ],
)
def test_malformed(error: Exception) -> None:
    assert is_malformed(error)
    assert isinstance(malformed(error), ValueError)


@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), SystemExit(), ConnectionError(), TimeoutError(), ImportError(), SetupError("no extra")],
)
def test_not_the_records_fault(error: BaseException) -> None:
    def decode(_: bytes) -> None:
        raise error

    assert not is_malformed(error)
    with pytest.raises(type(error)):
        or_none(decode)(b"")
    if isinstance(error, Exception):
        with pytest.raises(type(error)):
            malformed(error)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
def test_a_lack_of_memory_is_not_the_records_fault() -> None:
    program = (
        "import resource; from kafkastream.model.formats.malformed import is_malformed\n"
        "def error(size):\n"
        "    try: bytearray(size)\n"
        "    except MemoryError as error: return error\n"
        "limit = 512 * 2**20; resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
        "print(is_malformed(error(2 * limit)))\n"
        "rest, size = [], 16 * 2**20\n"
        "try:\n"
        "    while True: rest.append(bytearray(size))\n"
        "except MemoryError as error: print(is_malformed(error))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]


def test_limits_come_from_the_configuration() -> None:
    assert job_settings(Configuration(), None).limits == RecordLimits()
    configuration = Configuration()
    configuration.set_string("kafkastream.records.max-depth", "500")
    configuration.set_string("kafkastream.records.max-digits", "5000")
    configuration.set_string("kafkastream.records.max-empty-items", "7")
    configuration.set_string("kafkastream.records.max-schema-size", "1 mb")
    assert job_settings(configuration, None).limits == RecordLimits(500, 5000, 7, 2**20)


@pytest.mark.parametrize("depth", ["0", "-1", "1001", "deep"])
def test_limits_are_checked(depth: str) -> None:
    with pytest.raises(DefinitionError, match="max-depth"):
        job_settings(Configuration().set_string("kafkastream.records.max-depth", depth), None)
