"""Options of plug-ins: `--opt icc.hunks=all`.

A scenario, agent, sandbox or sample type declares them in its attribute `options`: a class of pydantic, in which every
field has a type, a default and a description.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from gitgoodbench.errors import UserError
from gitgoodbench.plugins import HARNESS, RUN_GROUPS, SAMPLES, plugins

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Alias:
    """Beside the type of an option (`Annotated[int, Alias("max-chain")]`): it is also the flag `--max-chain`.

    The flag of an option that is a bool takes no value, and switches it on.
    """

    name: str


@dataclass(frozen=True)
class Resolved:
    """Beside the type of an option: several values stand for one thing, such as an image by several names.

    What it was is then among what the plug-in says of itself in the manifest; runs may differ in the value alone.
    """


@dataclass(frozen=True)
class Aliased:
    """The option behind an alias, such as `icc.hunks`, and its default as text. switch: whether it is a bool."""

    option: str
    default: str
    switch: bool = False


def read_options(given: Iterable[str], groups: Sequence[str] = RUN_GROUPS) -> tuple[BaseModel, ...]:
    """The options that are given as `plug-in.name=value`, one object for each plug-in that is named.

    Args:
        groups: entry points of these groups count; by default those that have a part in a run.

    Raises:
        UserError: a plug-in is not installed, or has no such option, or the value is none of its type.
    """
    values: dict[str, dict[str, str]] = {}
    for text in given:
        name, option, value = _parts(text)
        values.setdefault(name, {})[option] = value
    return tuple(_read(name, own, groups) for name, own in values.items())


def normal_options(given: Sequence[str]) -> tuple[str, ...]:
    """The same options in one spelling: sorted, each once, the last one given; without those that are the default.

    Paths are as the plug-in reads them: absolute, where it says so.

    Raises:
        UserError: as `read_options`.
    """
    read_options(given)
    last = {(name, option): value for name, option, value in map(_parts, given)}
    normal = []
    for (name, option), text in sorted(last.items()):
        value = getattr(_read(name, {option: text}, RUN_GROUPS), option)
        if value != getattr(_declared(name, RUN_GROUPS)(), option):
            normal.append(f"{name}.{option}={value if isinstance(value, Path) else text}")
    return tuple(normal)


def deciding_options(given: Iterable[str]) -> tuple[str, ...]:
    """Those options that decide results by their values: all but `Resolved` ones."""
    return tuple(text for text in given if not _is_resolved(text))


def options_in(options: Iterable[BaseModel], kind: type[T]) -> T:
    """The options of that class among all that were given; its defaults where none were."""
    return next((one for one in options if isinstance(one, kind)), None) or kind()


def describe_options() -> Iterator[tuple[str, str, str, str]]:
    """Every option of the installed plug-ins: `icc.hunks`, its type, its default, and what it is for."""
    for groups in (RUN_GROUPS, (SAMPLES,)):
        for name in sorted({name for group in groups for name in plugins(group)}):
            with contextlib.suppress(UserError):
                yield from _describe(name, _declared(name, groups))


def _describe(name: str, declared: type[BaseModel]) -> Iterator[tuple[str, str, str, str]]:
    for option, field in declared.model_fields.items():
        kind = declared.model_json_schema()["properties"][option]
        values = kind.get("enum")
        kind = next((part for part in kind.get("anyOf", ()) if part.get("type") != "null"), kind)
        shown = " | ".join(map(str, values)) if values else str(kind.get("type", "value"))
        default = "" if field.default in (PydanticUndefined, None) else str(field.default)
        flags = _flags(field)
        text = " ".join([field.description or "", *(f"Also as {flag}." for flag in flags)]).strip()
        yield f"{name}.{option}", shown, default, text


def spelled_option(plugin: str, own: BaseModel, option: str) -> str:
    """An option that is given, as a user may have written it: `docker.image (--image)`."""
    flags = _flags(type(own).model_fields[option])
    return f"{plugin}.{option}" + (f" ({', '.join(flags)})" if flags else "")


def _flags(field: FieldInfo) -> list[str]:
    return [f"--{part.name}" for part in field.metadata if isinstance(part, Alias)]


def find_aliases(groups: Sequence[str]) -> dict[str, Aliased]:
    """The options that are also flags, by the names of these. It loads the plug-ins of the groups.

    Where two plug-ins declare one alias, it is the harness's own, else that of the first by name: a package more does
    not change what a flag means.
    """
    found: dict[str, Aliased] = {}
    distributions = {name: plugin.distribution for group in groups for name, plugin in plugins(group).items()}
    for name in sorted(distributions, key=lambda name: (distributions[name] != HARNESS, name)):
        with contextlib.suppress(UserError):
            for option, field in _declared(name, groups).model_fields.items():
                for part in field.metadata:
                    if isinstance(part, Alias):
                        aliased = Aliased(f"{name}.{option}", str(field.default), field.annotation is bool)
                        found.setdefault(part.name, aliased)
    return found


def _is_resolved(text: str) -> bool:
    name, option, _ = _parts(text)
    try:
        field = _declared(name, RUN_GROUPS).model_fields.get(option)
    except UserError:  # the plug-in is gone
        return False
    return field is not None and any(isinstance(part, Resolved) for part in field.metadata)


def _parts(text: str) -> tuple[str, str, str]:
    key, equals, value = text.partition("=")
    name, dot, option = key.strip().partition(".")
    if not (equals and dot and name and option):
        raise UserError(f"--opt {text}: write PLUG-IN.NAME=VALUE, such as icc.hunks=all")
    return name, option.replace("-", "_"), value


def _read(name: str, values: dict[str, str], groups: Sequence[str]) -> BaseModel:
    declared = _declared(name, groups)
    for option in values:
        if option not in declared.model_fields:
            known = ", ".join(f"{name}.{field}" for field in declared.model_fields)
            raise UserError(f"--opt {name}.{option}: there is no such option, only: {known}")
    try:
        return declared.model_validate_strings(values)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        if not first["loc"]:
            shown = " ".join(f"--opt {name}.{option}={value}" for option, value in values.items())
            raise UserError(f"{shown}: {first['msg'].removeprefix('Value error, ')}") from problem
        option = str(first["loc"][0])
        raise UserError(f"--opt {name}.{option}={values.get(option)}: {first['msg'].lower()}") from problem


def _declared(name: str, groups: Sequence[str]) -> type[BaseModel]:
    installed = [group for group in groups if name in plugins(group)]
    if not installed:
        raise UserError(f"--opt {name}: no plug-in of this name is installed")
    for group in installed:
        declared: type[BaseModel] | None = getattr(plugins(group)[name].object, "options", None)
        if declared is not None:
            return declared
    raise UserError(f"--opt {name}: this plug-in has no options")
