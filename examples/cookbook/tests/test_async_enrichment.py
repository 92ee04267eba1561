"""A service that refuses the first request is asked again; here, the test answers instead of the service."""

from io import BytesIO
from unittest.mock import patch
from urllib.error import URLError

from kafkastream.testing import JobTestDriver


def test_a_refused_request_is_repeated() -> None:
    with (
        patch("urllib.request.urlopen", side_effect=[URLError("busy"), BytesIO(b"3.50")]) as service,
        JobTestDriver.of("examples/cookbook/async_enrichment.py", "--service", "http://prices") as driver,
    ):
        driver.send("orders", "cup")
        assert driver.values("priced-orders") == [b"cup costs 3.50"]
        assert [call.args for call in service.call_args_list] == [("http://prices/cup",)] * 2
