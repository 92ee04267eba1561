from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.errors import DefinitionError
from kafkastream.model.job.configuration import Configuration
from kafkastream.options import checkpoints, job


def _filled() -> Configuration:
    return (
        Configuration()
        .set_string("str", "v1")
        .set_integer("int", 2)
        .set_boolean("bool", True)
        .set_float("float", 0.5)
        .set_bytearray("bytes", bytearray(b"\x01\x02"))
    )


def test_what_was_set_can_be_read() -> None:
    conf = _filled()
    assert conf.get_string("str", "") == "v1"
    assert conf.get_integer("int", 0) == 2
    assert conf.get_boolean("bool", False) is True
    assert conf.get_float("float", 0) == 0.5
    assert conf.get_bytearray("bytes", bytearray()) == bytearray(b"\x01\x02")


def test_what_was_not_set_is_the_default() -> None:
    conf = Configuration()
    assert conf.get_string("k", "d") == "d"
    assert conf.get_integer("k", 3) == 3
    assert conf.get_boolean("k", True) is True
    assert conf.get_float("k", 1) == 1.0
    assert conf.get_bytearray("k", bytearray(b"d")) == bytearray(b"d")


def test_text_is_read_as_the_type_asked_for() -> None:
    conf = Configuration().set_string("n", "12").set_string("b", "TRUE").set_string("f", "1.5")
    assert (conf.get_integer("n", 0), conf.get_boolean("b", False), conf.get_float("f", 0)) == (12, True, 1.5)
    assert conf.get_bytearray("n", bytearray()) == bytearray(b"12")


def test_a_value_of_another_type_is_refused_with_its_key() -> None:
    conf = Configuration().set_string("retries", "many")
    with pytest.raises(DefinitionError, match="'many' is not a valid value for 'retries': expected a whole number"):
        conf.get_integer("retries", 0)


def test_all_values_are_text_in_the_dict() -> None:
    conf = _filled().set_float("big", 1e10)
    conf.remove_config("bytes")
    assert conf.to_dict() == {"str": "v1", "int": "2", "bool": "true", "float": "0.5", "big": "1.0E10"}


def test_values_keep_their_types_in_a_given_dict() -> None:
    target: dict[str, object] = {}
    _filled().add_all_to_dict(target)
    assert target == {"str": "v1", "int": 2, "bool": True, "float": 0.5, "bytes": bytearray(b"\x01\x02")}


def test_a_configuration_takes_over_another_with_a_prefix() -> None:
    conf = Configuration().set_string("k1", "v1")
    assert Configuration().add_all(conf).add_all(conf, "p_").to_dict() == {"k1": "v1", "p_k1": "v1"}


def test_keys_can_be_asked_for_and_removed() -> None:
    conf = Configuration().set_string("k1", "v1").set_string("empty", "")
    assert conf.key_set() == {"k1", "empty"}
    assert (conf.remove_config("k1"), conf.remove_config("k1"), conf.contains_key("k1")) == (True, False, False)
    assert conf.remove_config("empty")


def test_copies_are_equal_and_independent() -> None:
    conf = Configuration().set_string("k1", "v1")
    for twin in (Configuration(conf), copy.deepcopy(conf), pickle.loads(pickle.dumps(conf))):
        assert twin == conf
        assert hash(twin) == hash(conf)
        assert twin.set_string("k1", "v2") != conf


@pytest.mark.parametrize("key", ["execution.checkpointing.dir", "state.checkpoints.dir"])
def test_an_option_is_read_under_its_key_and_its_older_key(key: str) -> None:
    assert Configuration().set_string(key, "/tmp/c").get(checkpoints.CHECKPOINT_DIR) == "/tmp/c"


def test_the_current_key_wins_over_an_older_one() -> None:
    conf = Configuration().set_string("state.checkpoints.dir", "/old").set_string("execution.checkpointing.dir", "/new")
    assert conf.get(checkpoints.CHECKPOINT_DIR) == "/new"


@given(st.integers())
def test_an_option_is_read_from_a_typed_value(value: int) -> None:
    assert Configuration().set_integer("parallelism.default", value).get(job.PARALLELISM) == value


def test_lists_are_written_with_semicolons_or_as_in_yaml() -> None:
    expected = ["jar1", "jar2", "jar3"]
    for written in ("jar1;jar2;jar3", "[jar1, jar2, jar3]", "- jar1\n- jar2\n- jar3"):
        assert Configuration.parse_list_value(written) == expected
    assert Configuration.parse_list_value("") == []


def test_secrets_are_not_shown() -> None:
    assert "pw" not in str(Configuration().set_string("s3.secret-key", "pw"))
