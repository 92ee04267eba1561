"""What Spark's JVM and its Python workers write to standard error: the users' own lines are shown, all of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kafkastream.spark.checkpoint import control_stream
from kafkastream.spark.session.jvm import own_words
from kafkastream.spark.session.worker_output import shown_lines

PYSPARK = "/venv/lib/python3.11/site-packages/pyspark"

END_OF_A_QUERY = f"""\
Traceback (most recent call last):
  File "{PYSPARK}/sql/streaming/python_streaming_source_runner.py", line 312, in main
    func_id = read_int(infile)
              ^^^^^^^^^^^^^^^^
  File "{PYSPARK}/serializers.py", line 595, in read_int
    raise EOFError
EOFError

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "<frozen runpy>", line 198, in _run_module_as_main
  File "/usr/lib/python3.11/socket.py", line 720, in readinto
    return self._sock.recv_into(b)
  File "{PYSPARK}/sql/streaming/python_streaming_source_runner.py", line 350, in <module>
    outfile.flush()
BrokenPipeError: [Errno 32] Broken pipe
"""
LATE_WORKER = f"""\
Traceback (most recent call last):
  File "<frozen runpy>", line 88, in _run_code
  File "{PYSPARK}/worker_util.py", line 204, in get_sock_file_to_executor
    sock_file, sock = local_connect_and_auth(conn_info, auth_secret)
pyspark.errors.exceptions.base.PySparkRuntimeError: [CANNOT_OPEN_SOCKET] Can not open socket: ["tried to connect"].
"""
IGNORED = f"""\
Exception ignored in: <_io.BufferedWriter name=5>
Traceback (most recent call last):
  File "{PYSPARK}/daemon.py", line 220, in manager
    code = worker(sock, authenticated)
BrokenPipeError: [Errno 32] Broken pipe
"""
CONTROL_STREAM = f"""\
Traceback (most recent call last):
  File "{control_stream.__file__}", line 140, in read
    return self._rows()
  File "{PYSPARK}/serializers.py", line 595, in read_int
    raise EOFError
EOFError
"""
OF_A_FUNCTION = f"""\
Traceback (most recent call last):
  File "{PYSPARK}/worker.py", line 2010, in main
    process()
  File "/home/me/pyspark/job.py", line 12, in send
    connection.write(value)
BrokenPipeError: [Errno 32] Broken pipe
"""
OF_A_MODULE = OF_A_FUNCTION.replace("/home/me/pyspark/job.py", "/home/me/lib/job.py")
ANOTHER_ERROR = f"""\
Traceback (most recent call last):
  File "{PYSPARK}/worker.py", line 2010, in main
    import pandas
ModuleNotFoundError: No module named 'pandas'
"""
OWN_TEXT = """\
Traceback (most recent call last): is how it begins
Exception ignored by my function

  indented
"""


def of(text: str) -> str:
    return b"".join(shown_lines(text.encode().splitlines(keepends=True))).decode()


@pytest.mark.parametrize(
    "helper", [END_OF_A_QUERY, LATE_WORKER, IGNORED, CONTROL_STREAM], ids=["end", "late", "ignored", "control"]
)
def test_tracebacks_of_helpers_whose_connection_is_lost_are_left_out(helper: str) -> None:
    assert of(helper) == ""
    assert of(f"before\n{helper}after\n\nend\n{helper}") == "before\nafter\n\nend\n"


@pytest.mark.parametrize("own", [OF_A_FUNCTION, OF_A_MODULE, ANOTHER_ERROR, OWN_TEXT])
def test_all_else_is_shown_as_it_is(own: str) -> None:
    assert of(own) == own
    assert of(f"{own}{LATE_WORKER}{own}") == own + own


def test_a_line_is_shown_before_the_next_one_comes() -> None:
    lines = iter([b"first\n", b"Traceback (most recent call last):\n", b"cut off"])
    out = shown_lines(lines)
    assert next(out) == b"first\n"
    assert next(lines).startswith(b"Traceback")
    assert b"".join(out) == b"cut off"


def test_unfinished_traceback_is_shown_at_the_end() -> None:
    text = 'Traceback (most recent call last):\n  File "<frozen runpy>", line 1, in x\n'
    assert of(text) == text


def test_remarks_of_the_jvm_are_left_out() -> None:
    text = "WARNING: Using incubator modules: jdk\nmine\n-- Streaming TransformWithStateInPandas Python worker --\n\nmine\n"
    assert of(text) == "mine\nmine\n"


def test_words_of_a_jvm_that_did_not_start() -> None:
    output = """\
        Picked up JAVA_TOOL_OPTIONS: -Dx=y
        Exception in thread "main" java.lang.IllegalArgumentException: 1m is too small
        \tat org.apache.spark.X.y(X.scala:1)
        \t... 3 more
        Usage: spark-submit
          --help
    """
    assert own_words(dedent(output)) == 'Exception in thread "main" java.lang.IllegalArgumentException: 1m is too small'
    assert own_words("\n".join(map(str, range(20)))).split() == [str(number) for number in range(12, 20)]
    assert own_words("") == ""
