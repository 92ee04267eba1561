from __future__ import annotations

import functools
from typing import Any

import pytest

from kafkastream.errors import UnsupportedFeatureError
from kafkastream.model.common.stream_functions import MapFunction, function_name
from kafkastream.model.functions.process_functions import ProcessFunction, TimerService
from kafkastream.model.functions.runtime_context import RuntimeContext


class Upper(MapFunction[str, str]):
    def map(self, value: str) -> str:
        return value.upper()


def test_contexts_answer_as_in_flink() -> None:
    context = RuntimeContext(task_name="upper", subtask=1, parallelism=4, attempt=2, job_parameters={"a": "b"})
    assert context.get_task_name() == "upper"
    assert context.get_task_name_with_subtasks() == "upper (2/4)"
    assert (context.get_index_of_this_subtask(), context.get_number_of_parallel_subtasks()) == (1, 4)
    assert context.get_attempt_number() == 2
    assert [context.get_job_parameter(key, "default") for key in "ax"] == ["b", "default"]


def test_open_and_close_have_nothing_to_do_by_default() -> None:
    function = Upper()
    function.open(RuntimeContext(task_name="upper"))
    function.close()
    assert function.map("a") == "A"


def test_a_function_must_do_its_work() -> None:
    with pytest.raises(TypeError, match="abstract"):
        MapFunction()  # type: ignore[abstract]  # what this test is about


@pytest.mark.parametrize(
    ("function", "name"),
    [(Upper(), "Upper"), (str.upper, "upper"), (lambda _: _, "<lambda>"), (functools.partial(int, base=2), "partial")],
)
def test_functions_have_names_to_show(function: Any, name: str) -> None:
    assert function_name(function) == name


def test_process_functions_know_the_wall_clock_but_no_watermark() -> None:
    context = ProcessFunction.Context()
    assert context.timestamp() is None
    assert context.timer_service().current_processing_time() > 1_700_000_000_000
    with pytest.raises(UnsupportedFeatureError, match="watermark"):
        TimerService().current_watermark()
