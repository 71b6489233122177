"""heldout runs: what was recorded with --save or --run."""

from __future__ import annotations

from typing import Any

import click

from heldout.cli.output import FORMATS, deliver, write_whole
from heldout.cli.reading import file
from heldout.errors import UsageError


class Runs(click.Group):
    """The questions about recorded results; what is none of them and comes first is the folder."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        asks_help = args[:1] in (["-h"], ["--help"])
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            ctx.obj = args[0]
            args = args[1:]
        if not args or (args[0].startswith("-") and not asks_help):
            args = ["list", *args]
        return super().parse_args(ctx, args)


form = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="text or json.")
output = file("--output", help="Write into a file instead of to the screen.")


@click.group(
    "runs",
    cls=Runs,
    short_help="Recorded results, and how often their rows were looked at.",
    subcommand_metavar="[DIR] COMMAND [ARGS]...",
)
def command() -> None:
    """Results that were recorded with --save or --run, in DIR or else in .heldout; lists them unless told otherwise."""


@command.command("list", short_help="All recorded results.")
@form
@output
@click.pass_obj
def all_runs(folder: str | None, form: str, output: str | None) -> None:
    """All recorded results, and which look at its rows each one was."""
    from heldout.verbs.runs import runs

    deliver(runs(_store(folder)), form, output, quiet=False)


@command.command("show", short_help="A recorded result as it was printed.")
@click.argument("id")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="text unless given.")
@output
@click.pass_obj
def show(folder: str | None, id: str, form: str, output: str | None) -> None:
    """The result of the run whose id begins with ID, or whose name it is."""
    deliver(_store(folder).found(id).result, form, output, quiet=False)


@command.command("compare", short_help="Recorded values side by side.")
@click.argument("ids", nargs=-1, metavar="ID ID...")
@form
@output
@click.pass_obj
def compare(folder: str | None, ids: tuple[str, ...], form: str, output: str | None) -> None:
    """The recorded values of several runs side by side. This is no test: heldout compare needs the predictions."""
    from heldout.verbs.runs import runs

    if len(ids) < 2:
        raise UsageError("two runs or more stand side by side", fix="for example heldout runs compare 7f3a b91c")
    deliver(runs(_store(folder), ids), form, output, quiet=False)


@command.command("export", short_help="Recorded results, whole, as JSON.")
@click.argument("ids", nargs=-1, metavar="[ID...]")
@output
@click.pass_obj
def export(folder: str | None, ids: tuple[str, ...], output: str | None) -> None:
    """Recorded results with everything that was written down, as a JSON list."""
    import json
    from dataclasses import asdict
    from pathlib import Path

    store = _store(folder)
    found = [store.found(id) for id in ids] or store.records()
    text = json.dumps([asdict(one) for one in found], ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(Path(output), text)
        click.echo(f"wrote {output}", err=True)


@command.command("delete", short_help="Remove recorded results.")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def delete(folder: str | None, ids: tuple[str, ...]) -> None:
    """Remove recorded results; the looks at their rows stay counted."""
    store = _store(folder)
    for found in [store.found(id) for id in ids]:
        store.delete(found.id)
        click.echo(f"deleted {found.id} {found.name}; the look at its rows stays counted", err=True)


def _store(folder: str | None) -> Any:
    from heldout.store import open_store
    from heldout.verbs.runs import FOLDER

    return open_store(folder or FOLDER, make=False)
