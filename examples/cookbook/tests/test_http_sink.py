"""On the driver the sink keeps its elements; its writer is called with a batch, and answers of the service."""

from runpy import run_path
from unittest.mock import patch

from kafkastream.connect import WriteContext
from kafkastream.datastream import RuntimeContext
from kafkastream.testing import JobTestDriver


def test_the_service_gets_each_order() -> None:
    with JobTestDriver.of("examples/cookbook/http_sink.py") as driver:
        driver.send("orders", "ann cup")
        assert driver.sink("service") == ["ann cup"]


def test_an_order_that_the_service_refuses_is_rejected_alone() -> None:
    writer = run_path("examples/cookbook/http_sink.py")["HttpWriter"]("http://orders", RuntimeContext(task_name="post"))
    context = WriteContext([None, None])
    with patch.object(writer, "post", side_effect=lambda orders: 422 if "" in orders else 200):
        writer.write(["ann cup", ""], context)
    assert list(context.rejected) == [1]
