"""A command that has commands: each in a file of its own, imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click


class Group(click.Group):
    """A group that knows its commands by their names and lines, and imports one only when that one is used."""

    def __init__(self, *given: Any, lines: dict[str, str], package: str, **options: Any) -> None:
        super().__init__(*given, **options)
        self.lines = lines
        """Every command with its line in the help."""
        self.package = package
        """Where they live: `<package>.<name>`, with _ for -, has a command called `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 click's signature
        if cmd_name not in self.lines:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(self.lines.items()))
