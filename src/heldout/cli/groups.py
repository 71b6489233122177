"""Commands that have commands."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from heldout.cli.options import Helpful, suggestion
from heldout.cli.usage_fixes import with_fix


class CommandGroup(Helpful, click.Group):
    """A group that suggests what an unknown command or option is likely to mean."""

    def other_hint(self, ctx: click.Context, name: str) -> str:
        return f" Options of a command come after it: {ctx.command_path} COMMAND {name}"

    def names(self, ctx: click.Context) -> list[str]:
        """Every name that may be typed for a command."""
        return self.list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            problem = click.UsageError(f"No such command {name!r}.{suggestion(name, self.names(ctx))}", ctx)
            raise with_fix(problem, ctx)
        return super().resolve_command(ctx, args)


class Group(CommandGroup):
    """A group that knows its commands by their names and lines, and imports one only when that one is used."""

    def __init__(self, *given: Any, places: dict[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*given, **options)
        self.places = places
        """Command → `module:name` and its line in the help."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 click's signature
        if cmd_name not in self.places:
            return None
        module, _, name = self.places[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.places.items()])
