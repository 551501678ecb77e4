"""Nothing of the truth is where the agent is: not in the exported environment, not in the layers of its image."""

from __future__ import annotations

import json
import subprocess
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitgoodbench.git.process import Git
from gitgoodbench.harbor.verify import unpack_repository
from gitgoodbench.sandbox.docker import DockerProvider
from tests.support.harbor import CHAIN, MERGE

MCR, ICC, IR = f"mcr-{MERGE}", f"icc-{CHAIN}", f"ir-{CHAIN}"


def truth_of(task: Path, folder: Path) -> tuple[Git, list[str], list[str]]:
    """The verifier's repository, the commits that the agent begins with, and the objects that only the truth has."""
    told = json.loads((task / "tests/task.json").read_bytes())
    git = Git(unpack_repository(task / "tests/repository.pack", told["refs"], folder / "truth", told["algorithm"]))
    everything = objects_of(git, "rev-list", "--objects", "--no-object-names", "--all")
    begun = workspace(task, folder)
    known = objects_of(begun, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return git, sorted(known), sorted(everything - known)


def objects_of(git: Git, *command: str) -> set[str]:
    return set(git.run(*command).decode("ascii").split())


def workspace(task: Path, folder: Path) -> Git:
    with tarfile.open(task / "environment/workspace.tar") as archive:
        archive.extractall(folder / "work", filter="data")
    return Git(folder / "work" / ".git")


def secrets_of(git: Git, hidden: list[str]) -> dict[str, bytes]:
    """What must not be found: ids of hidden objects, as text and as bytes, and contents of hidden files."""
    found = {f"id {name}": name.encode() for name in hidden}
    found |= {f"bytes of {name}": bytes.fromhex(name) for name in hidden}
    for name in hidden:
        kind = git.line("cat-file", "-t", name)
        data = git.run("cat-file", kind, name)
        if kind == "blob":
            found[f"content of {name}"] = data
        elif kind == "commit":
            found[f"message of {name}"] = data.partition(b"\n\n")[2]
    return found


def files_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a folder, those in archives, too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield str(path), path.read_bytes()
        if path.suffix == ".tar":
            with tarfile.open(path) as archive:
                yield from members_of(archive, path.name)


def members_of(archive: tarfile.TarFile, where: str) -> Iterator[tuple[str, bytes]]:
    for member in archive.getmembers():
        file = archive.extractfile(member) if member.isfile() else None
        yield f"{where}:{member.name}", b"" if file is None else file.read()


@pytest.mark.parametrize("name", [MCR, ICC])
def test_the_environment_has_no_id_and_no_content_of_the_truth(tasks: Path, tmp_path: Path, name: str) -> None:
    git, known, hidden = truth_of(tasks / name, tmp_path)
    truth = json.loads((tasks / name / "tests/task.json").read_bytes())["refs"]
    commits = [commit for commit in truth.values() if commit in hidden]
    assert commits
    secrets = secrets_of(git, hidden)
    assert any(what.startswith("content of") for what in secrets)
    agents = Git(tmp_path / "work" / ".git")
    places = list(files_of(tasks / name / "environment"))
    places += [(f"object {known_id}", agents.run("cat-file", "-p", known_id)) for known_id in known]
    places.append(("instruction.md", (tasks / name / "instruction.md").read_bytes()))
    found = [(what, where) for what, secret in secrets.items() for where, data in places if secret in data]
    assert found == []
    assert not any(hidden_id[2:] in where for where, _ in places for hidden_id in hidden)


def test_a_rebase_begins_with_all_that_the_verifier_knows(tasks: Path, tmp_path: Path) -> None:
    """The agent has the chain itself; what is good about a rebase is known to nobody."""
    _, _, hidden = truth_of(tasks / IR, tmp_path)
    assert hidden == []


@pytest.mark.parametrize("name", [MCR, ICC])
def test_the_search_finds_what_is_planted(tasks: Path, tmp_path: Path, name: str) -> None:
    git, _, hidden = truth_of(tasks / name, tmp_path)
    secret = next(data for what, data in secrets_of(git, hidden).items() if what.startswith("content of"))
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted/notes").write_bytes(b"see: " + secret)
    assert [where for where, data in files_of(tmp_path / "planted") if secret in data]


def test_no_layer_of_the_agents_image_has_the_truth(
    tasks: Path, tmp_path: Path, docker_provider: DockerProvider
) -> None:
    task, base = tasks / MCR, docker_provider.image
    git, _, hidden = truth_of(task, tmp_path)
    tag = f"gitgoodbench-test-{uuid.uuid4().hex}"
    context = tmp_path / "context"
    context.mkdir()
    for path in (task / "environment").iterdir():
        (context / path.name).write_bytes(path.read_bytes())
    dockerfile = context / "Dockerfile"
    dockerfile.write_text(dockerfile.read_text().replace("gitgoodbench-sandbox:latest", base))
    docker("build", "--quiet", "--network", "none", "--tag", tag, str(context))
    try:
        docker("save", "--output", str(tmp_path / "image.tar"), tag, base)
    finally:
        docker("rmi", "--force", tag)
    with tarfile.open(tmp_path / "image.tar") as image:
        own = own_layers(image, f"{tag}:latest")
        secrets = secrets_of(git, hidden)
        seen = []
        for layer in own:
            with tarfile.open(fileobj=image.extractfile(layer)) as archive:
                for where, data in members_of(archive, layer):
                    seen.append(where)
                    assert not [what for what, secret in secrets.items() if secret in data], where
    assert any("work/.git/HEAD" in where for where in seen)
    assert not any(part in where for where in seen for part in (":tests", ":solution"))


def own_layers(image: tarfile.TarFile, tag: str) -> list[str]:
    """The layers that only the image of this tag has."""
    manifest = image.extractfile("manifest.json")
    assert manifest is not None
    images = json.loads(manifest.read())
    (mine,) = [entry["Layers"] for entry in images if tag in (entry["RepoTags"] or ())]
    others = {layer for entry in images if tag not in (entry["RepoTags"] or ()) for layer in entry["Layers"]}
    return [layer for layer in mine if layer not in others]


def docker(*args: str) -> None:
    subprocess.run(["docker", *args], check=True, capture_output=True)
