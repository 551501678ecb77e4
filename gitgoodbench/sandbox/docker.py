"""The `docker` sandbox: one container per episode, without network, capabilities, or a root file system to write to.

The supervisor is the container's first process, as a user of its own, attached over one stream: a command then costs
about 2 ms, a fresh `docker exec` about 45 ms. No command can harm it, and when it ends, so does the container.
docs/security.md says what each setting is for.
"""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from gitgoodbench.errors import InfrastructureFailed, UserError
from gitgoodbench.owner import LABEL, Owner
from gitgoodbench.sandbox.attached import AttachedStream
from gitgoodbench.sandbox.autopsy import cause_of_death
from gitgoodbench.sandbox.base import Needs, Placed, SandboxDied, SandboxLimits, SandboxTaken
from gitgoodbench.sandbox.channel import ByteStream, ChannelBroken
from gitgoodbench.sandbox.daemon import (
    DEFAULT_IMAGE,
    DockerUnavailable,
    brief,
    connect_to_docker,
    docker_errors,
    remove_container,
)
from gitgoodbench.sandbox.lending import PLACE, PROBE, Lending
from gitgoodbench.sandbox.supervised import DEFAULT_GRACE_S, SupervisedSandbox
from gitgoodbench.sandbox.travelling import waiting_argv
from gitgoodbench.text import one_line

if TYPE_CHECKING:
    from docker.client import DockerClient
    from docker.models.containers import Container

WORK_DIR: Final = "/work"
_SCRATCH: Final = "/tmp"
_SCRATCH_SIZE: Final = 64 * 1024**2
_HOME_SIZE: Final = 512 * 1024**2
_SHARED_MEMORY: Final = 16 * 1024**2
COMMAND_USER: Final = 1000
SUPERVISOR_USER: Final = 1001
COMPANION_USER: Final = 1002
_LONGEST_LIFE_S: Final = 2 * 24 * 3600
"""A container that even `clean` never sees (its daemon on another machine, say) goes after so long."""


class DockerSandbox(SupervisedSandbox):
    """A container; see the module's docstring. Made by `DockerProvider`."""

    kind = "docker"
    isolated = True
    work_dir = WORK_DIR

    def __init__(
        self, container: Container, limits: SandboxLimits, grace_s: float, lending: Lending | None = None
    ) -> None:
        super().__init__(limits, grace_s)
        self.container = container
        self._stream: AttachedStream
        self._lending = lending

    def sees_lent_files(self) -> bool:
        """Whether the container sees this machine's files. From then on they can be shared; asked once."""
        if self._lending is None:
            return False
        seen = self.exec(["cat", f"{PLACE}/{PROBE}"]).stdout == self._lending.nonce.encode()
        if seen:
            self._lending.confirm()
            self.lent_folder = PLACE
        return seen

    def share(self, path: str, file: Path) -> None:
        """See `SharingSandbox.share`."""
        if not path.startswith(f"{PLACE}/") or self._lending is None or self.lent_folder is None:
            return super().share(path, file)
        self._lending.lend(path.removeprefix(f"{PLACE}/"), file)
        self.shared[path] = file
        return None

    def refill(self, files: Sequence[Placed] = (), keep: Collection[str] = ()) -> None:
        """See `SharingSandbox.refill`."""
        if self._lending is not None:
            for path in self.shared.keys() - set(keep):
                if path.startswith(f"{PLACE}/"):
                    self._lending.take_back(path.removeprefix(f"{PLACE}/"))
        super().refill(files, keep)

    def _connect(self) -> tuple[ByteStream, Mapping[str, Any]]:
        api: Any = self.container.client.api  # type: ignore[union-attr]
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        try:
            self._stream = AttachedStream(api.attach_socket(self.container.id, params=streams))
            self.container.start()
        except docker_errors() as problem:
            raise SandboxDied(f"the supervisor of the sandbox does not start: {brief(problem)}") from problem
        return self._stream, {
            "root": WORK_DIR,
            "home": _SCRATCH,
            "users": [SUPERVISOR_USER, COMMAND_USER],
            "life_s": _LONGEST_LIFE_S,
        }

    def accompany(self, argv: Sequence[str]) -> ByteStream:
        """See `Accompanied.accompany`."""
        api: Any = self.container.client.api  # type: ignore[union-attr]
        user = f"{COMPANION_USER}:{COMPANION_USER}"
        try:
            made = api.exec_create(self.container.id, list(argv), stdin=True, user=user, workdir="/")
            return AttachedStream(api.exec_start(made["Id"], socket=True))
        except docker_errors() as problem:
            raise InfrastructureFailed(f"nothing more can be started in the sandbox: {brief(problem)}") from problem

    def _autopsy(self, broken: ChannelBroken) -> SandboxDied:
        """Ask the daemon what has become of the container."""
        try:
            return cause_of_death(self.container, broken, self._stream.errors)
        except docker_errors() as problem:
            return SandboxTaken(f"the sandbox was lost, and Docker does not answer: {brief(problem)}")

    def _remove(self) -> None:
        try:
            remove_container(self.container)
        except docker_errors() as problem:
            name = self.container.name
            raise InfrastructureFailed(f"the container {name} cannot be removed: {brief(problem)}") from problem
        if self._lending is not None:
            self._lending.close()


class DockerProvider:
    """Makes containers of one image, which stays the same image if its tag moves.

    image: None takes the one that the agent needs, else that of `gitgoodbench image build`. needs: of the agent.
    host: see `connect_to_docker`.

    Raises:
        DockerUnavailable: Docker does not answer, or has not the image.
        UserError: the image is not fit, or the limits contradict each other.
    """

    kind = "docker"
    isolated = True
    engine: ClassVar[str] = "Docker"
    _sandbox: ClassVar[type[DockerSandbox]] = DockerSandbox

    def __init__(
        self,
        image: str | None = None,
        limits: SandboxLimits | None = None,
        *,
        grace_s: float = DEFAULT_GRACE_S,
        needs: Needs | None = None,
        host: str | None = None,
    ) -> None:
        self._host = host
        self._named, self._needs = image, needs
        self.image = image or (needs and needs.image) or DEFAULT_IMAGE
        self.limits = limits or SandboxLimits()
        self._grace_s = grace_s
        self._client: DockerClient | None = None
        self._lends = True
        self._lock = threading.Lock()
        _check_limits(self.limits, 0 if needs is None or needs.home is None else _HOME_SIZE)
        self.image_id, self._facts = self._inspect_image()
        self._daemon = self._docker().info()
        self._versions: dict[str, str] | None = None

    @property
    def summary(self) -> str:
        """See `EquippingProvider.summary`."""
        unenforced = self.unenforced()
        caveat = f"; this daemon does not enforce {', '.join(unenforced)}" if unenforced else ""
        return f"sandbox docker: image {self.image} ({self.image_id[:19]}){caveat}"

    def equipped(self, needs: Needs) -> DockerProvider:
        """See `EquippingProvider.equipped`."""
        return type(self)(self._named, self.limits, grace_s=self._grace_s, needs=needs, host=self._host)

    def open(self, *, run_id: str, episode_id: str) -> DockerSandbox:
        """See `SandboxProvider.open`."""
        labels = {
            **Owner.current().labels(),
            f"{LABEL}.run": run_id,
            f"{LABEL}.episode": episode_id,
        }
        lending = self._lending()
        try:
            sandbox = self._started(labels, lending)
        except SandboxDied as problem:
            raise InfrastructureFailed(f"no container of {self.image}: {brief(problem)}") from problem
        except docker_errors() as problem:
            if lending is None:
                raise InfrastructureFailed(f"no container of {self.image}: {brief(problem)}") from problem
            self._lends = False  # the daemon may know no such folder: its disk is another one
            return self.open(run_id=run_id, episode_id=episode_id)
        if lending is not None and not sandbox.sees_lent_files():
            self._lends = False
        return sandbox

    def _lending(self) -> Lending | None:
        """A folder to lend files in; None where that does not work."""
        if self._lends:
            try:
                return Lending()
            except (OSError, UserError):  # no cache: nothing to lend
                self._lends = False
        return None

    def _started(self, labels: dict[str, str], lending: Lending | None) -> DockerSandbox:
        container = None
        try:
            settings = self._settings()
            if lending is not None:
                settings["mounts"].append(_mount(lending))
            container = self._docker().containers.create(self.image_id, labels=labels, **settings)
            sandbox = self._sandbox(container, self.limits, self._grace_s, lending)
            sandbox.start()
        except BaseException:
            if container is not None:
                with contextlib.suppress(*docker_errors()):
                    remove_container(container)
            if lending is not None:
                lending.close()
            raise
        return sandbox

    def describe(self) -> Mapping[str, str]:
        """See `SandboxProvider.describe`."""
        if self._versions is None:
            with self.open(run_id="describe", episode_id="describe") as sandbox:
                self._versions = {
                    program: sandbox.exec([program, "--version"]).stdout.decode("utf-8", "replace").strip()
                    for program in ("git", "python3")
                } | self._programs(sandbox)
        return {
            "kind": self.kind,
            "image": self.image,
            "image_id": self.image_id,
            **self._facts,
            "docker": str(self._daemon.get("ServerVersion")),
            **self._versions,
            "memory": str(self.limits.memory),
            "work_size": str(self.limits.work_size),
            "cpus": str(self._cpus()),
            "pids": str(self.limits.pids),
            "command_timeout_s": str(self.limits.command_timeout_s),
            "not_enforced": ", ".join(self.unenforced()),
        }

    def _programs(self, sandbox: DockerSandbox) -> dict[str, str]:
        """What the agent's programs say of their versions.

        Raises:
            UserError: the image has not got one.
        """
        versions = {}
        for name, argv in ({} if self._needs is None else self._needs.programs).items():
            result = sandbox.exec(argv, env=self._needs_environment())
            if result.returncode != 0:
                reason = one_line((result.stderr or result.stdout)[-300:].decode("utf-8", "replace"))
                raise UserError(f"image {self.image} has no working {name} ({reason}){self._how_to_build()}")
            versions[name] = one_line(result.stdout.decode("utf-8", "replace"), 100)
        return versions

    def _needs_environment(self) -> dict[str, str]:
        home = (self._needs and self._needs.home) or _SCRATCH
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LC_ALL": "C.UTF-8"}

    def _how_to_build(self) -> str:
        build = "gitgoodbench image build" if self._needs is None else self._needs.build or "gitgoodbench image build"
        if self._named is not None and self._needs is not None and self._needs.build is not None:
            return f": leave --image out, for the agent's own image, which `{build}` makes, or name another"
        return f": make it with `{build}`, or name another with --image"

    def unenforced(self) -> list[str]:
        """What this daemon does not enforce: limits (a rootless one without cgroups), the filter of system calls."""
        capabilities = {"memory": "MemoryLimit", "cpus": "CpuCfsQuota", "pids": "PidsLimit"}
        missing = [limit for limit, capability in capabilities.items() if self._daemon.get(capability) is False]
        filtered = any("seccomp" in option for option in self._daemon.get("SecurityOptions") or [])
        return missing if filtered else [*missing, "seccomp"]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def _docker(self) -> DockerClient:
        with self._lock:
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> DockerClient:
        return connect_to_docker(self._host)

    def _inspect_image(self) -> tuple[str, dict[str, str]]:
        """Its id; its digest and, of an image that was made for an agent, what it is."""
        import docker.errors

        try:
            image = self._docker().images.get(self.image)
        except docker.errors.ImageNotFound as problem:
            raise DockerUnavailable(f"{self.engine} has no image {self.image}{self._how_to_build()}") from problem
        except docker_errors() as problem:
            raise DockerUnavailable(
                f"{self.engine} cannot say whether it has image {self.image}: {brief(problem)}"
            ) from problem
        if image.attrs.get("Config", {}).get("Volumes"):
            raise UserError(
                f"image {self.image} declares volumes, which no limit would hold: use an image without VOLUME"
            )
        digest = {"image_digest": next(iter(image.attrs.get("RepoDigests") or []), "")}
        named = {name.removeprefix(f"{LABEL}."): value for name, value in (image.labels or {}).items()}
        agent = {name.replace("-", "_"): value for name, value in named.items() if name.startswith("agent")}
        return str(image.id), digest | agent

    def _mounts(self) -> list[dict[str, Any]]:
        from docker.types import Mount

        mounts = {} if self._needs is None else self._needs.mounts
        return [Mount(path, str(folder), type="bind", read_only=True) for path, folder in mounts.items()]

    def _cpus(self) -> float:
        return min(self.limits.cpus, float(self._daemon.get("NCPU") or self.limits.cpus))

    def _settings(self) -> dict[str, Any]:
        size = self.limits.work_size
        home = {} if self._needs is None or self._needs.home is None else {self._needs.home: _own_folder(_HOME_SIZE)}
        return {
            "name": f"gitgoodbench-{uuid.uuid4().hex[:16]}",
            "hostname": "sandbox",
            "entrypoint": waiting_argv("python3"),
            "command": [],
            "stdin_open": True,
            "user": "0:0",
            "working_dir": "/",
            "init": False,
            "auto_remove": True,
            "healthcheck": {"test": ["NONE"]},
            "network_mode": "none",
            "ipc_mode": "private",
            "cap_drop": ["ALL"],
            "cap_add": ["SETUID", "SETGID", "SETPCAP"],
            "security_opt": ["no-new-privileges"],
            "read_only": True,
            "tmpfs": {
                WORK_DIR: _own_folder(size),
                _SCRATCH: f"mode=1777,size={_SCRATCH_SIZE},nr_inodes={_SCRATCH_SIZE // 4096}",
                **home,
            },
            "mounts": self._mounts(),
            "shm_size": _SHARED_MEMORY,
            "mem_limit": self.limits.memory,
            "memswap_limit": self.limits.memory,
            "nano_cpus": int(self._cpus() * 1e9),
            "pids_limit": self.limits.pids,
            "ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
            "log_config": {"Type": "none", "Config": {}},
            "use_config_proxy": False,
        }


def _own_folder(size: int) -> str:
    """A folder in memory for the commands' user, who may run what lies there."""
    return f"exec,mode=0755,uid={COMMAND_USER},gid={COMMAND_USER},size={size},nr_inodes={size // 4096}"


def _mount(lending: Lending) -> Any:
    from docker.types import Mount

    return Mount(PLACE, str(lending.folder), type="bind", read_only=True, propagation="rprivate")


def _check_limits(limits: SandboxLimits, home: int) -> None:
    filled = limits.work_size + home + _SCRATCH_SIZE + _SHARED_MEMORY
    if limits.memory <= filled:
        raise UserError(
            f"a sandbox with {limits.memory} bytes of memory cannot hold a work folder of {limits.work_size} bytes, "
            f"which lives in memory: allow more than {filled} bytes of memory, or a smaller work folder"
        )
