"""The test kit's PostgreSQL is a real one, keeps what it is told to keep, and leaves nothing behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from kafkastream.errors import SetupError
from kafkastream.testing import EmbeddedPostgres, PostgresDatabase, wait_until
from kafkastream.testing import postgres as kit

OWNER = """
import signal
from kafkastream.testing import EmbeddedPostgres
postgres = EmbeddedPostgres().start()
import psycopg
with psycopg.connect(postgres.url) as connection:
    (directory,) = connection.execute("SHOW data_directory").fetchone()
print(postgres.port, directory, flush=True)
signal.pause()
"""


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_each_test_gets_an_empty_database(postgres: EmbeddedPostgres, postgres_database: PostgresDatabase) -> None:
    assert postgres_database.jdbc_url.startswith(f"jdbc:postgresql://127.0.0.1:{postgres.port}/test_each_test")
    with psycopg.connect(postgres_database.url) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == (postgres_database.database,)


def test_another_password_is_refused(postgres: EmbeddedPostgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.url, password="guessed")
    assert postgres.password not in repr(postgres)
    assert postgres.password not in repr(postgres._database)


def test_restart_cuts_connections_and_keeps_rows() -> None:
    with EmbeddedPostgres() as postgres:
        address = postgres.url
        before = psycopg.connect(address)
        before.execute("CREATE TABLE kept AS SELECT 1 AS number")
        before.commit()
        postgres.restart()
        with pytest.raises(psycopg.OperationalError):
            before.execute("SELECT 1")
        assert postgres.url == address
        with psycopg.connect(address) as after:
            assert after.execute("SELECT number FROM kept").fetchone() == (1,)
    assert not postgres.is_running()
    assert not listens(postgres.port)


def test_port_in_use_is_told() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(SetupError, match="in use"):
            EmbeddedPostgres(port=other.getsockname()[1]).start()


def test_server_of_a_killed_process_ends() -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        port, _, directory = owner.stdout.readline().strip().partition(" ")
        assert listens(int(port))
        owner.send_signal(signal.SIGKILL)
    wait_until(lambda: not listens(int(port)) and not Path(directory).parent.exists(), 20, "the server's end")


def test_program_that_its_user_may_not_read_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "_may_run", lambda program, user: False)
    with EmbeddedPostgres() as postgres, psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_missing_package_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kit, "_PACKAGE", "no_such_package")
    with pytest.raises(SetupError, match=r"pip install 'kafkastream\[testing\]'"):
        EmbeddedPostgres().start()
