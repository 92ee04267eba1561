from __future__ import annotations

import socket
from pathlib import Path

import pytest

from kafkastream.errors import SetupError
from kafkastream.testing.launch import HOST, check_free, free_ports, write_properties


def written(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def test_broker_listens_only_on_this_machine(tmp_path: Path) -> None:
    write_properties(tmp_path, {"PLAINTEXT": 19092, "CONTROLLER": 19093}, {})
    server = written(tmp_path / "server.properties")
    assert server["listeners"] == "PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093"
    assert server["controller.quorum.voters"] == "1@127.0.0.1:19093"
    assert server["listener.security.protocol.map"] == "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"
    assert server["auto.create.topics.enable"] == "false"


def test_own_settings_win(tmp_path: Path) -> None:
    write_properties(tmp_path, {"CONTROLLER": 1}, {"auto.create.topics.enable": "true", "num.partitions": "3"})
    server = written(tmp_path / "server.properties")
    assert (server["auto.create.topics.enable"], server["num.partitions"]) == ("true", "3")


def test_listeners_speak_their_protocols(tmp_path: Path) -> None:
    write_properties(tmp_path, {"SASL_SSL": 1, "CONTROLLER": 2}, {})
    server = written(tmp_path / "server.properties")
    assert server["listener.security.protocol.map"] == "SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT"


def test_backslashes_are_kept(tmp_path: Path) -> None:
    write_properties(tmp_path, {"CONTROLLER": 1}, {"jaas": r'password="\""'})
    assert written(tmp_path / "server.properties")["jaas"] == r'password="\\""'  # Java reads two as one


def test_ports_differ() -> None:
    assert len(set(free_ports(("a", "b", "c")).values())) == 3


def test_port_in_use_is_refused_by_number() -> None:
    check_free(free_ports("a").values())
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SetupError, match=f"port {port} is in use") as raised:
            check_free([port])
    assert str(port) in raised.value.now
    check_free([port])
