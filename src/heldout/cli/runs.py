"""heldout runs: what was recorded with --save or --run."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from heldout.cli.groups import CommandGroup
from heldout.cli.options import RESULT, Command, file, options, suggestion
from heldout.cli.output import Place
from heldout.cli.output_paths import STANDARD_OUTPUT
from heldout.cli.standard_streams import put, say
from heldout.cli.usage_fixes import with_fix
from heldout.errors import UsageError
from heldout.file_writing import write_file


class Runs(CommandGroup):
    """The questions about recorded results; what is none of them and comes first is the folder."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asks_help = args[:1] in (["-h"], ["--help"])
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            alike = "" if Path(args[0]).exists() else suggestion(args[0], self.commands)
            if alike:
                raise with_fix(click.UsageError(f"No such command or folder {args[0]!r}.{alike}", ctx), ctx)
            ctx.obj = args[0]
            args = args[1:]
        if not args or (args[0].startswith("-") and not asks_help):
            args = ["list", *args]
        return super().parse_args(ctx, args)


REFUSED = ("chart", "charts", "chart_format", "save", "run")
"""Options of a new result: they are refused with a sentence, and the help does not offer them."""


class Recorded(Command):
    """A question about recorded results, whose help leaves out the options that it refuses."""

    def __init__(self, *given: Any, refused: Collection[str] = REFUSED, **facts: Any) -> None:
        super().__init__(*given, **facts)
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.name in refused:
                parameter.hidden = True


@click.group(
    "runs",
    cls=Runs,
    short_help="List, show and compare recorded results.",
    subcommand_metavar="[DIR] COMMAND [ARGS]...",
    examples=("heldout runs", "heldout runs show 7f3a", "heldout runs compare 7f3a b91c"),
)
def runs() -> None:
    """Results that were recorded with --save or --run, in DIR or else in .heldout; lists them by default."""


@runs.command(
    "list", cls=Recorded, short_help="All recorded results.", examples=("heldout runs", "heldout runs .heldout list")
)
@options(RESULT)
@click.pass_obj
def list_runs(folder: str | None, /, **values: Any) -> None:
    """All recorded results, and which look at its rows each one was."""
    from heldout.verbs.runs import runs as recorded

    _place(values).deliver(recorded(_store(folder)))


@runs.command(
    "show",
    cls=Recorded,
    refused=(*REFUSED, "report"),
    short_help="A recorded result as it was printed.",
    examples=("heldout runs show 7f3a",),
)
@click.argument("id")
@options(RESULT)
@click.pass_obj
def show(folder: str | None, /, id: str, **values: Any) -> None:
    """The result of the run whose id begins with ID, or of the newest one with this name."""
    from heldout.verbs.runs import name_notes

    place = Place(values)
    unused = (
        ("--report", place.report), ("--chart", place.chart or None), ("--charts", place.charts),
        ("--save", place.save), ("--run", place.run),
    )  # fmt: skip
    for name, given in unused:
        if given is not None:
            fix = f"leave out {name}" if name != "--run" else f"name the folder first: heldout runs {given} show {id}"
            raise UsageError(f"{name} has no effect on a recorded result: its rows are not kept", fix=fix)
    store = _store(folder)
    place.show(store.found(id).result)
    for note in name_notes(store, (id,)):
        place.say(note)


@runs.command(
    "compare", cls=Recorded, short_help="Recorded values side by side.", examples=("heldout runs compare 7f3a b91c",)
)
@click.argument("ids", nargs=-1, metavar="ID ID...")
@options(RESULT)
@click.pass_obj
def compare(folder: str | None, /, ids: tuple[str, ...], **values: Any) -> None:
    """The recorded values of several runs side by side. This is not a test: heldout compare needs the predictions."""
    from heldout.verbs.runs import runs as recorded

    if len(ids) < 2:
        raise UsageError("two runs or more stand side by side", fix="for example heldout runs compare 7f3a b91c")
    _place(values).deliver(recorded(_store(folder), ids))


@runs.command(
    "export", cls=Command, short_help="Recorded results, whole, as JSON.", examples=("heldout runs export -o all.json",)
)
@click.argument("ids", nargs=-1, metavar="[ID...]")
@options(file("-o", "--output", heading="Output", help="Write to a file instead of the screen."))
@click.pass_obj
def export(folder: str | None, ids: tuple[str, ...], output: str | None) -> None:
    """Recorded results with everything that was written down, as a JSON list."""
    import json
    from dataclasses import asdict

    from heldout.verbs.runs import damage_notes, name_notes

    store = _store(folder)
    every = [store.found(id) for id in ids] or store.records()
    found = [one for one in every if not one.is_damaged]
    facts = [{name: fact for name, fact in asdict(one).items() if name != "is_damaged"} for one in found]
    text = json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    if output is None or output in STANDARD_OUTPUT:
        put(text)
    else:
        write_file(output, text)
        say(f"wrote {output}")
    for note in (*name_notes(store, ids), *damage_notes(every)):
        say(note)


@runs.command("delete", cls=Command, short_help="Remove recorded results.", examples=("heldout runs delete 7f3a",))
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def delete(folder: str | None, ids: tuple[str, ...]) -> None:
    """Remove recorded results; the looks at their rows stay counted."""
    store = _store(folder)
    for id in ids:
        found = store.delete(id)
        say(f"deleted {found.id} {found.name}; the look at its rows stays counted")


def _place(values: dict[str, Any]) -> Place:
    """Where a list of runs goes; it is not recorded itself."""
    place = Place(values)
    for name, given in (("--save", place.save), ("--run", place.run)):
        if given is not None:
            fix = f"leave out {name}" if name == "--save" else "name the folder first: heldout runs DIR list"
            raise UsageError(f"{name} has no effect here: a list of runs is not recorded", fix=fix)
    return place


def _store(folder: str | None) -> Any:
    from heldout.store import open_store
    from heldout.verbs.runs import FOLDER

    return open_store(folder or FOLDER, make=False)
