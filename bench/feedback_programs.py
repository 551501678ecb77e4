"""Run real assistants against a scripted model, and see whether their sources read what they write.

    python bench/feedback_programs.py FOLDER [PROGRAM ...]

It needs npm and pip with their registries, and no key: each program is installed into FOLDER/programs (kept for the
next time) and runs with a home of its own. In a fresh repository each plays the story of `feedback_model`: write a
file, edit it, commit, and show it in an answer; and once more where it may not edit. A line for each: the version,
edits by outcome, commits and answers found, what of the log was not understood, and what is wrong. Exit status 1 where
anything is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from feedback_model import LAST, MODEL, served

from gitgoodbench.feedback.contract import Place
from gitgoodbench.feedback.records import Edit, Outcome, Reading
from gitgoodbench.feedback.registry import load_sources

SECONDS = 180
"""What one program may take for the story."""


@dataclass(frozen=True)
class Stay:
    """Where one program plays once. port: of the model."""

    folder: Path
    port: int
    denied: bool

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def app(self) -> Path:
        return self.folder / "app"

    @property
    def model(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def configure(self, path: str, content: object) -> None:
        """Write a file of the home, JSON unless it is text."""
        (self.home / path).parent.mkdir(parents=True, exist_ok=True)
        (self.home / path).write_text(content if isinstance(content, str) else json.dumps(content))


@dataclass(frozen=True)
class Program:
    """One version of one assistant. command: after the path of its program. denies: it has a mode without edits."""

    source: str
    package: str
    binary: str
    command: Callable[[Stay], list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    denies: bool = False
    registry: Literal["npm", "pip"] = "npm"


def claude(stay: Stay) -> list[str]:
    mode = "default" if stay.denied else "bypassPermissions"
    allowed = [] if stay.denied else ["--allowedTools", "Bash,Write,Edit"]
    if mode == "bypassPermissions" and os.geteuid() == 0:
        mode = "acceptEdits"  # root may not bypass
    return ["-p", "write hello.py", "--model", "claude-sonnet-4-5", "--permission-mode", mode, *allowed]


def codex(stay: Stay) -> list[str]:
    stay.configure(
        ".codex/config.toml",
        f'model = "{MODEL}"\nmodel_provider = "own"\napproval_policy = "never"\n'
        f'sandbox_mode = "danger-full-access"\n[model_providers.own]\nname = "own"\nwire_api = "responses"\n'
        f'base_url = "{stay.model}/v1"\nenv_key = "OPENAI_API_KEY"\n',
    )
    return ["exec", "--skip-git-repo-check", "write hello.py"]


def opencode(stay: Stay) -> list[str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible", "name": "own", "models": {MODEL: {"name": MODEL}},
        "options": {"baseURL": f"{stay.model}/v1", "apiKey": "none"},
    }  # fmt: skip
    allowed = "ask" if stay.denied else "allow"  # nobody is there to say yes; what is denied is not even offered
    stay.configure(
        ".config/opencode/opencode.json",
        {"provider": {"own": provider}, "model": f"own/{MODEL}", "small_model": f"own/{MODEL}",
         "permission": {"edit": allowed, "bash": allowed}},
    )  # fmt: skip
    return ["run", "--model", f"own/{MODEL}", "write hello.py"]


def gemini(stay: Stay) -> list[str]:
    stay.configure(".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    return ["-m", "gemini-2.5-flash", "-p", "write hello.py", "--yolo"]


def qwen(_: Stay) -> list[str]:
    return ["--auth-type", "openai", "-p", "write hello.py", "--yolo"]


def continue_(stay: Stay) -> list[str]:
    stay.configure(
        ".continue/config.yaml",
        f"name: own\nversion: 0.0.1\nschema: v1\nmodels:\n  - name: {MODEL}\n    provider: openai\n    model: {MODEL}\n"
        f"    apiKey: none\n    apiBase: {stay.model}/v1\n    roles: [chat]\n    capabilities: [tool_use]\n",
    )
    return ["--config", str(stay.home / ".continue/config.yaml"), "-p", "write hello.py", "--auto"]


def copilot(stay: Stay) -> list[str]:
    return ["-p", "write hello.py", "--allow-tool=shell(git:*)" if stay.denied else "--allow-all-tools"]


def aider(stay: Stay) -> list[str]:
    return [
        "--model", f"openai/{MODEL}", "--openai-api-base", f"{stay.model}/v1", "--edit-format", "diff", "--yes-always",
        "--no-check-update", "--no-show-model-warnings", "--no-analytics", "--no-pretty", "--map-tokens", "0",
        "--message", "write hello.py", "hello.py",
    ]  # fmt: skip


_CLAUDE = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
_COPILOT = {
    "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false",
    "COPILOT_MODEL": "claude-sonnet-4",
}  # fmt: skip
_OPENCODE = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

PROGRAMS = {
    "claude-code": Program("claude-code", "@anthropic-ai/claude-code@2.1.197", "claude", claude, _CLAUDE, denies=True),
    "codex": Program("codex", "@openai/codex@0.171.0", "codex", codex),
    "codex-0.128": Program("codex", "@openai/codex@0.128.0", "codex", codex),
    "codex-0.99": Program("codex", "@openai/codex@0.99.0", "codex", codex),
    "continue-cli": Program("continue-cli", "@continuedev/cli@1.5.47", "cn", continue_),
    "copilot-cli": Program("copilot-cli", "@github/copilot@1.0.102", "copilot", copilot, _COPILOT, denies=True),
    "copilot-gpt": Program(
        "copilot-cli", "@github/copilot@1.0.102", "copilot", copilot, {**_COPILOT, "COPILOT_MODEL": "gpt-4o"}
    ),
    "gemini-cli": Program(
        "gemini-cli", "@google/gemini-cli@0.61.0", "gemini", gemini, {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    ),
    "opencode": Program("opencode", "opencode-ai@1.18.33", "opencode", opencode, _OPENCODE, denies=True),
    "opencode-1.1": Program("opencode", "opencode-ai@1.1.65", "opencode", opencode, _OPENCODE),
    "qwen-code": Program("qwen-code", "@qwen-code/qwen-code@0.15.10", "qwen", qwen, {"OPENAI_MODEL": "qwen3-coder"}),
    "aider": Program("aider", "aider-chat==0.86.2", "aider", aider, {"TERM": "dumb"}, registry="pip"),
}
"""By the name that the command line takes; each is pinned to a version that was read."""


def installed(program: Program, name: str, folder: Path) -> Path:
    """The program, from npm or PyPI where it is not there yet."""
    own = folder / "programs" / name
    binary = own / ("node_modules/.bin" if program.registry == "npm" else "bin") / program.binary
    if not binary.exists() and program.registry == "pip":
        subprocess.run([sys.executable, "-m", "venv", str(own)], check=True)
        subprocess.run([str(own / "bin/pip"), "install", "--quiet", program.package], check=True)
    elif not binary.exists():
        own.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--prefix", str(own), "--no-audit", "--no-fund", "--silent", program.package]
        subprocess.run(npm, check=True)
    return binary


def play(program: Program, binary: Path, folder: Path, *, denied: bool) -> list[str]:
    """Let a program play the story once; a line of the table."""
    stay_folder = folder / ("denied" if denied else "story")
    subprocess.run(["rm", "-rf", str(stay_folder)], check=True)
    app = stay_folder / "app"
    for made in (app, stay_folder / "home"):
        made.mkdir(parents=True)
    git(app, "init", "-q", "-b", "main")
    git(app, "config", "user.email", "ada@example.invalid")
    git(app, "config", "user.name", "Ada")
    git(app, "commit", "-q", "--allow-empty", "-m", "Begin")
    with served(app / "hello.py") as port:
        stay = Stay(stay_folder, port, denied)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(stay.home), "LANG": "C.UTF-8", "OPENAI_API_KEY": "none",
            "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": stay.model, "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": stay.model, "OPENAI_BASE_URL": f"{stay.model}/v1",
            "COPILOT_PROVIDER_BASE_URL": f"{stay.model}/v1", **program.environment,
        }  # fmt: skip
        with (stay_folder / "output.txt").open("wb") as output:
            command = [str(binary), *program.command(stay)]
            subprocess.run(
                command, cwd=app, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                timeout=SECONDS, check=False,
            )  # fmt: skip
    place = Place((app,), app / ".git", stay.home)
    (source,) = load_sources([program.source]).found
    return row([one for log in source.logs(place) for one in source.read(log, place)], app, denied=denied)


def row(readings: Sequence[Reading], app: Path, *, denied: bool) -> list[str]:
    """What was read, and what of it is not as the story goes."""
    edits = [edit for reading in readings for edit in reading.edits]
    outcomes = Counter(edit.outcome for edit in edits if edit.kind == "edit")
    answers = sum(edit.kind == "answer" for edit in edits)
    commits = {commit.id for reading in readings for commit in reading.session.commits}
    version = ", ".join({reading.session.version or "?" for reading in readings})
    unread = Counter(problem for reading in readings for problem in reading.problems)
    wrong = list(_denied_wrong(outcomes) if denied else _wrong(edits, commits, app))
    counted = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    return [
        version,
        counted or "none",
        str(len(commits)),
        str(answers),
        ", ".join(unread) or "-",
        "; ".join(wrong) or "-",
    ]


def _wrong(edits: Sequence[Edit], commits: set[str], app: Path) -> list[str]:
    applied = [edit for edit in edits if edit.kind == "edit" and edit.outcome == "applied"]
    told = []
    file = app / "hello.py"
    if not file.exists() or file.read_text() != LAST:
        told.append("the program did not play the story")
    if len(applied) != 2:
        told.append("two edits were to be applied")
    elif not _ends_as(applied[-1]):
        told.append("the last edit is not what the file has")
    if any(edit.path != str(file) for edit in applied):
        told.append("the path is not the file's")
    head = git(app, "rev-parse", "HEAD")
    if commits and not any(head.startswith(one) for one in commits):
        told.append("the commit found is another")
    return told


def _ends_as(edit: Edit) -> bool:
    """Whether an edit, or the piece of the file that it has, is what the file ends as."""
    after = edit.parts[-1].after
    return after == LAST.encode() if edit.whole else bool(after) and after in LAST.encode()


def _denied_wrong(outcomes: Counter[Outcome]) -> list[str]:
    return [] if outcomes["denied"] and not outcomes["applied"] else ["an edit was to be denied, and none applied"]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    if not arguments or (unknown := set(arguments[1:]) - set(PROGRAMS)):
        known = f"known: {', '.join(PROGRAMS)}"
        print(f"there is no program {', '.join(sorted(unknown))}; {known}" if arguments else f"{__doc__}\n{known}")
        return 2
    folder = Path(arguments[0]).resolve()
    print("| program | version | edits | commits | answers | not understood | wrong |\n|---|---|---|---|---|---|---|")
    failed = False
    for name in arguments[1:] or PROGRAMS:
        program = PROGRAMS[name]
        binary = installed(program, name, folder)
        for denied in (False, True) if program.denies else (False,):
            cells = play(program, binary, folder / "stays" / name, denied=denied)
            failed |= cells[-1] != "-"
            print(f"| {name}{', may not edit' if denied else ''} | {' | '.join(cells)} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
