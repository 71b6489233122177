"""What every option does in every mode of every verb: tried in this process.

An option is added to the command of a mode with a value that is not its default, and the outcome is compared with that
of the command alone: another result, another form of the same result, a refusal with exit code 2 and a fix, or nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from heldout.cli import verbs
from heldout.cli.options import OUTPUT
from heldout.formulas import METRICS
from tests.options.modes import Mode, Try
from tests.options.python_calls import recorded_calls
from tests.options.values import VALUES

EFFECTS = {
    "changes": "the result is another one",
    "writes": "a file is written, or the same result is shown in another form",
    "checks": "rows that do not fit are refused; others are read as without it",
    "same": "nothing else may change: speed, memory, a seed where nothing is sampled, -v where everything is printed, "
    "formulas where there are none",
    "refused": "exit code 2, with the reason and a fix",
}
"""What an option may do. `ignored`, `crashes` and `refused without a fix` are faults."""
ECHOES = ("seed", "columns", "inputs", "command", "time", "id", "heldout")
"""Fields of a result that repeat what was asked for, or when: they are no effect."""
MAY_CHANGE_NOTHING = ("n_jobs", "engine", "memory", "seed", "verbose", "keep_formulas")
CHECKS = ("id", "model_column", "labels")
"""Options that say what rows should be."""
ANSWERED = (0, 1, 3)
"""Exit codes of a command that has an answer."""


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    printed: str
    errors: str
    files: dict[str, str]
    """The files that it wrote, by their hashes."""
    calls: tuple[str, ...]
    """The public functions of Python that it called."""

    @cached_property
    def result(self) -> Any:
        """What was printed, without the fields that repeat the options."""
        try:
            return without_echoes(json.loads(self.printed))
        except ValueError:
            return self.printed

    def differs(self, other: Outcome, *, in_form: bool) -> bool:
        """Whether it is another outcome: another result, or, of options that say where results go, anything else."""
        if in_form:
            return (self.code, self.printed, self.errors, self.files) != (
                *(other.code, other.printed, other.errors, other.files),
            )
        return (self.code, self.result, self.files) != (other.code, other.result, other.files)


@dataclass(frozen=True)
class Effect:
    """What an option does in a mode."""

    kind: str
    tried: str
    """The option with its value, and the options that it was tried with."""
    message: str = ""
    """Why it was refused, or what is wrong."""
    calls: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.tried}"


def without_echoes(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_echoes(one) for name, one in value.items() if name not in ECHOES}
    return [without_echoes(one) for one in value] if isinstance(value, list) else value


class Bench:
    """Runs commands in a folder, and leaves the folder as it was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[tuple[str, ...], Outcome] = {}
        self.there = set(folder.rglob("*"))
        self.recorded = {path: path.read_bytes() for path in (folder / ".heldout").rglob("*") if path.is_file()}

    def outcome(self, *words: str) -> Outcome:
        """The outcome of a command, computed once."""
        if words not in self.known:
            with self._as_it_was():
                self.known[words] = self._run(*words)
        return self.known[words]

    def _run(self, *words: str) -> Outcome:
        with contextlib.chdir(self.folder), recorded_calls() as calls:
            done = CliRunner().invoke(verbs, list(words))
        files = {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(set(self.folder.rglob("*")) - self.there)
            if path.is_file()
        }
        return Outcome(done.exit_code, done.stdout, done.stderr, files, tuple(calls))

    @contextlib.contextmanager
    def _as_it_was(self) -> Iterator[None]:
        """Without the metrics of --define, the files that were written, and the looks that were counted."""
        metrics = set(METRICS)
        yield
        for name in set(METRICS) - metrics:
            del METRICS[name]
        for path in set(self.folder.rglob("*")) - self.there:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        for path, content in self.recorded.items():
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)


def effect(bench: Bench, mode: Mode, option: click.Option) -> Effect:
    """What an option does in a mode: one of its tries must have an effect."""
    found: dict[str, Effect] = {}
    for one in tries(mode, option):
        made = tried(bench, mode, option, one)
        found.setdefault(made.kind, made)
        if made.kind in ("crashes", "changes", "writes"):
            return made
    ignored, refused = found.get("ignored"), found.get("refused")
    if ignored is None:
        return found.get("refused without a fix") or found["refused"]
    if option.name in MAY_CHANGE_NOTHING or option.name in mode.same:
        return Effect("same", ignored.tried)
    return Effect("checks", refused.tried) if refused is not None and option.name in CHECKS else ignored


def tries(mode: Mode, option: click.Option) -> tuple[Try, ...]:
    """The values of an option: those of the mode, of the verb, or of all verbs; none that the mode has already."""
    name, base = option.name or "", shlex.split(mode.arguments)
    there = base[base.index(flag(option)) + 1 :][:1] if flag(option) in base else None
    places = [mode.values, VALUES.get(mode.verb.split()[0], {}), VALUES[""]]
    given = next((place[name] for place in places if name in place), None)
    if given is None and there is None and not option.is_flag:
        raise LookupError(f"{name} of {mode.verb} has no value to try: add one to tests/options/values.py")
    several = given if isinstance(given, tuple) else (given,)
    found = tuple(one if isinstance(one, Try) else Try(one) for one in several)
    return found if there is None else tuple(one for one in found if [one.value] != there) or (Try(),)


def tried(bench: Bench, mode: Mode, option: click.Option, one: Try) -> Effect:
    """What one value of an option does."""
    without, added = words(mode, option, one)
    shown = shlex.join(added[len(shlex.split(mode.arguments)) :] or added)
    in_form = option.heading == OUTPUT
    form = ("--json",) if mode.has("as_json") and not in_form else ()
    after = bench.outcome(*mode.verb.split(), *added, *form)
    if after.code == 2:
        message = re.sub(r"\s+", " ", after.errors).strip()
        return Effect("refused" if "Fix: " in message else "refused without a fix", shown, message, after.calls)
    if after.code not in ANSWERED:
        return Effect("crashes", shown, after.errors)
    before = bench.outcome(*mode.verb.split(), *without, *form)
    if not after.differs(before, in_form=in_form):
        return Effect("ignored", shown)
    return Effect("writes" if in_form else "changes", shown)


def flag(option: click.Option) -> str:
    """The option as it is typed in the modes: by its longest name."""
    return max(option.opts, key=len)


def words(mode: Mode, option: click.Option, one: Try) -> tuple[list[str], list[str]]:
    """The command without the option, and with it; where the mode needs the option, it is what is left out."""
    base, beside = shlex.split(mode.arguments), shlex.split(one.beside)
    for at in [at for at, word in enumerate(beside) if word in base and word.startswith("--")]:
        base[base.index(beside[at]) + 1] = beside[at + 1]  # what the mode has with another value
        beside[at : at + 2] = ["", ""]
    base += [word for word in beside if word]
    folder, _, named = one.files.partition(":")
    if folder:
        base = [
            f"{folder}/{word}" if word.endswith((".csv", ".json", ".jsonl")) and named in word else word
            for word in base
        ]
    name, value = flag(option), [] if one.value is None else shlex.split(one.value) or [""]
    if name not in base:
        return base, [*base, *([f"{name}={value[0]}"] if option.nargs == 1 and len(value) == 1 else [name, *value])]
    at = base.index(name)
    rest = base[at + 1 + (0 if option.is_flag else option.nargs) :]
    changed = [*base[:at], name, *value, *rest] if value else [*base[:at], *rest]
    return (base, changed) if value else (changed, base)


def commands(group: click.Command = verbs, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command that has no commands below it, by the words that call it."""
    if not isinstance(group, click.Group):
        yield " ".join(path)
        return
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        yield from commands(group.get_command(ctx, name), (*path, name))
