import json

from kafkastream.kafka.statistics import ProducerStatistics


def window(messages: int) -> str:
    """Make the statistics of a second in which so many messages were sent; 3 ms in the queue, 4 ms on the way."""
    measured = {"int_latency": {"avg": 3000 * (messages > 0), "cnt": messages}, "rtt": {"avg": 4000, "cnt": 1}}
    return json.dumps({"brokers": {"one": measured}})


def test_send_time_is_that_of_the_last_records() -> None:
    """A second without records says nothing about them."""
    statistics = ProducerStatistics()
    statistics(window(0))
    assert statistics.send_time_ms == 0
    statistics(window(2))
    assert statistics.send_time_ms == 7
    statistics(window(0))
    assert statistics.send_time_ms == 7


def test_client_id_may_have_any_characters() -> None:
    statistics = ProducerStatistics()
    statistics('{ "name": "\\x"#producer-1", "client_id": "\\x"", "type": "producer", "tx": 7, "brokers": {} }')
    assert statistics.metric("request-total") == 7
