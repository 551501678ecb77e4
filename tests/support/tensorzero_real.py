"""TensorZero as it is, on this machine: Postgres, its own migrations, and its gateway.

    with Postgres() as postgres:
        migrate(postgres.url, Clones.of_environment())
        with RealGateway(postgres.url, model=server.url) as gateway:
            requests.post(f"{gateway.url}/feedback", json=...)

The wheel has no SQL. It expects the tables of TensorZero's own migrations, so they are read from clones of the two
public repositories (see `Clones`), and applied as the gateway itself does.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

DURABLE_COMMIT: Final = "b5f2664bc12e154a3ed00281c1a14a8c7406eae1"
"""The version of durable that the gateway is built with."""

CORE_COMMIT: Final = os.environ.get("TESTS_TENSORZERO_COMMIT", "HEAD")
"""The commit of TensorZero whose migrations are applied. The wheel of 2026.6.0 expects those of 7a6159a."""

HOW: Final = (
    "TESTS_TENSORZERO_CLONE and TESTS_DURABLE_CLONE are to name clones of GitHub's repositories tensorzero/tensorzero "
    "and tensorzero/durable, whose SQL the wheel does not bring"
)

BRIDGE: Final = Path(__file__).with_name("tensorzero_bridge.py")
BINARIES: Final = Path(os.environ.get("TESTS_POSTGRES_BIN", "/usr/lib/postgresql/15/bin"))


@dataclass(frozen=True)
class Clones:
    """Clones of the repositories that have the SQL, with or without a working tree."""

    tensorzero: Path
    durable: Path

    @classmethod
    def of_environment(cls) -> Clones:
        """Those that the environment names.

        Raises:
            LookupError: it names none; the message says what to do.
        """
        named = [os.environ.get(name) for name in ("TESTS_TENSORZERO_CLONE", "TESTS_DURABLE_CLONE")]
        if not all(named):
            raise LookupError(HOW)
        return cls(*(Path(str(name)) for name in named))


class Postgres:
    """A database server of its own, in a folder, on a free port; it does not run as root."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tensorzero-"))
        self.folder.chmod(0o755)
        self.port = _free_port()
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/tensorzero"

    def __enter__(self) -> Self:
        data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self._run("initdb", "-D", str(data), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-sync")
        with (data / "postgresql.conf").open("a") as configuration:
            configuration.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n"
                "shared_preload_libraries = 'pg_cron'\ncron.database_name = 'tensorzero'\n"
            )
        self._run("pg_ctl", "-D", str(data), "-l", str(self.folder / "log"), "-w", "start")
        psql(self.url.replace("/tensorzero", "/postgres"), "CREATE DATABASE tensorzero")
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        other = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        with (self.folder / f"{program}.out").open("wb") as output:  # no pipe: the server would keep it open
            subprocess.run(
                [*other, str(BINARIES / program), *arguments], check=True, cwd="/", stdout=output, stderr=output
            )


def psql(url: str, *statements: str, file: bytes | None = None, one_transaction: bool = False) -> list[list[str]]:
    """Run SQL; gives the rows of what is asked."""
    command = ["psql", url, "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"]
    command += [part for statement in statements for part in ("-c", statement)]
    command += ["-1"] * one_transaction + (["-f", "-"] if file is not None else [])
    done = subprocess.run(command, input=file or b"", capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return [line.split("\t") for line in done.stdout.decode().splitlines()]


def migrate(url: str, clones: Clones) -> int:
    """Apply the migrations, each once; gives how many."""
    core = "crates/tensorzero-core/src/db/postgres"
    auth, stored = "crates/tensorzero-auth/src/postgres", "crates/tensorzero-stored-config/src/postgres"
    number = _apply(url, clones.tensorzero, CORE_COMMIT, f"{auth}/migrations", "tensorzero_auth__sqlx_migrations")
    number += _apply(url, clones.durable, DURABLE_COMMIT, "src/postgres/migrations", "durable__sqlx_migrations")
    number += _apply(url, clones.tensorzero, CORE_COMMIT, f"{core}/migrations", "_sqlx_migrations")
    number += _apply(
        url, clones.tensorzero, CORE_COMMIT, f"{stored}/migrations", "tensorzero_stored_config__sqlx_migrations"
    )
    psql(url, file=_show(clones.tensorzero, CORE_COMMIT, f"{core}/pgcron_setup.sql"))
    psql(url, "CREATE EXTENSION IF NOT EXISTS pg_trgm", *_indexes())
    return number


def _indexes() -> list[str]:
    tables = ("chat_inference_data", "json_inference_data", "chat_datapoints", "json_datapoints")
    return [
        f"CREATE INDEX IF NOT EXISTS idx_{table}_{column}_trgm ON tensorzero.{table} "
        f"USING gin (CAST({column} AS TEXT) gin_trgm_ops)"
        for table in tables
        for column in ("input", "output")
    ]


def _apply(url: str, clone: Path, commit: str, folder: str, table: str) -> int:
    psql(
        url,
        f"CREATE TABLE IF NOT EXISTS {table} (version BIGINT PRIMARY KEY, description TEXT NOT NULL, installed_on "
        "TIMESTAMPTZ NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, checksum BYTEA NOT NULL, "
        "execution_time BIGINT NOT NULL)",
    )
    listed = subprocess.run(
        ["git", "-C", str(clone), "ls-tree", "-r", "--name-only", commit, folder], capture_output=True, check=True
    )
    names = sorted(name for name in listed.stdout.decode().splitlines() if name.endswith(".sql"))
    for name in names:
        content = _show(clone, commit, name)
        match = re.fullmatch(r"(\d+)_(.*)\.sql", Path(name).name)
        assert match is not None, name
        psql(url, file=content, one_transaction=b"-- no-transaction" not in content.split(b"\n", 1)[0])
        checksum = hashlib.sha384(content).hexdigest()
        psql(url, f"INSERT INTO {table} VALUES ({match[1]}, '{match[2]}', now(), true, '\\x{checksum}', 0)")
    return len(names)


def _show(clone: Path, commit: str, name: str) -> bytes:
    return subprocess.run(["git", "-C", str(clone), "show", f"{commit}:{name}"], capture_output=True, check=True).stdout


CONFIGURATION: Final = """
[gateway.observability]
enabled = true
backend = "postgres"

[models.scripted]
routing = ["scripted"]
[models.scripted.providers.scripted]
type = "openai"
model_name = "scripted"
api_base = "@MODEL@"
api_key_location = "env::OPENAI_API_KEY"

[functions.coder]
type = "chat"
[functions.coder.variants.base]
type = "chat_completion"
model = "scripted"

[functions.other]
type = "chat"
[functions.other.variants.base]
type = "chat_completion"
model = "scripted"

[metrics.ted_reward]
type = "float"
level = "inference"
optimize = "max"
[metrics.episode_reward]
type = "float"
level = "episode"
optimize = "max"
[metrics.kept]
type = "boolean"
level = "inference"
optimize = "max"
"""


class RealGateway:
    """The gateway as a process of its own, which can be killed."""

    def __init__(self, database: str, model: str) -> None:
        self.database, self.model = database, model
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="tensorzero-")
        self.config = Path(self._folder.name) / "tensorzero.toml"
        self.config.write_text(CONFIGURATION.replace("@MODEL@", self.model))
        self.start()
        return self

    def start(self) -> None:
        """Start the process, at the same address each time, and wait until it answers."""
        self.process = subprocess.Popen(
            [sys.executable, str(BRIDGE), str(self.config), self.database, str(self.port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENAI_API_KEY": "none"},
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline().decode().strip() == self.url, "the gateway did not start"

    def kill(self) -> None:
        """Kill it, as a machine that loses power does."""
        self.process.kill()
        self.process.communicate()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.kill()
        self._folder.cleanup()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
