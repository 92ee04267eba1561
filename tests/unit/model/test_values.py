from __future__ import annotations

import pickle

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkastream.model.common.immutable import FrozenMap
from kafkastream.secret_masking import is_secret, redacted

mappings = st.dictionaries(st.text(), st.integers())


@given(mappings)
def test_a_frozen_map_equals_any_mapping_with_the_same_items(items: dict[str, int]) -> None:
    assert FrozenMap(items) == items
    assert items == FrozenMap(items)
    assert FrozenMap(reversed(items.items())) == FrozenMap(items)


@given(mappings)
def test_equal_frozen_maps_have_equal_hashes(items: dict[str, int]) -> None:
    assert hash(FrozenMap(items)) == hash(FrozenMap(reversed(items.items())))


@given(mappings)
def test_a_frozen_map_survives_pickling(items: dict[str, int]) -> None:
    assert pickle.loads(pickle.dumps(FrozenMap(items))) == FrozenMap(items)


@given(mappings, mappings)
def test_union_is_the_union_of_dictionaries(left: dict[str, int], right: dict[str, int]) -> None:
    assert FrozenMap(left) | right == left | right


def test_set_leaves_the_original_as_it_was() -> None:
    original = FrozenMap({"a": 1})
    assert original.set("a", 2) == {"a": 2}
    assert original == {"a": 1}


def test_a_frozen_map_does_not_follow_the_mapping_it_was_made_of() -> None:
    items = {"a": 1}
    frozen = FrozenMap(items)
    items["a"] = 2
    assert frozen["a"] == 1


def test_a_frozen_map_refuses_to_change() -> None:
    frozen = FrozenMap({"a": 1})
    with pytest.raises(AttributeError):
        frozen._items = {}
    with pytest.raises(AttributeError):
        del frozen._items
    with pytest.raises(TypeError):
        frozen["a"] = 2  # type: ignore[index]  # what this test is about


def test_a_frozen_map_is_no_other_thing() -> None:
    assert FrozenMap({"a": 1}) != [("a", 1)]


@pytest.mark.parametrize(
    "key",
    [
        "ssl.key.password",
        "SSL.TRUSTSTORE.PASSWORD",
        "sasl.jaas.config",
        "sasl.password",
        "sasl.oauthbearer.client.secret",
        "sasl.oauthbearer.client.credentials.client.secret",
        "aws.session.token",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "ssl.key.pem",
        "schema.registry.basic.auth.user.info",
        "avro-confluent.basic-auth.user-info",
        "rsa.private.key",
        "api-key",
    ],
)
def test_keys_of_secrets_are_recognised(key: str) -> None:
    assert is_secret(key)


@pytest.mark.parametrize(
    "key",
    ["bootstrap.servers", "group.id", "key.serializer", "ssl.keystore.location", "sasl.mechanism", "ssl.ca.location"],
)
def test_other_keys_are_shown(key: str) -> None:
    assert not is_secret(key)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:pw@host:8081/path", "http://***@host:8081/path"),
        ("http://user:p@ss,w@host", "http://***@host"),
        ("http://u:1@a,http://u:2@b", "http://***@a,http://***@b"),
        ("http://host:8081/a@b", "http://host:8081/a@b"),
        ("broker:9092", "broker:9092"),
    ],
)
def test_the_user_of_a_url_is_hidden(url: str, shown: str) -> None:
    assert redacted(url) == repr(shown)
    assert redacted({"url": url}) == repr({"url": shown})


def test_secrets_inside_mappings_are_hidden_too() -> None:
    assert redacted({"kafka": FrozenMap({"sasl.password": "pw"})}) == "{'kafka': {'sasl.password': '***'}}"


@given(st.text(min_size=20))
def test_no_repr_of_a_frozen_map_shows_a_password(password: str) -> None:
    assert password not in repr(FrozenMap({"sasl.password": password}))


def test_a_spec_hides_secrets_with_one_word() -> None:
    @attrs.frozen
    class Spec:
        properties: FrozenMap[str, str] = attrs.field(repr=redacted)

    assert "pw" not in repr(Spec(FrozenMap({"ssl.key.password": "pw"})))
