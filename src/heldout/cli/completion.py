"""`heldout completion`: a script that lets a shell complete commands, options and their values."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from heldout.cli.options import command
from heldout.cli.standard_streams import put

SHELLS = ("bash", "zsh", "fish")


@command(
    short_help="Print shell completion for bash, zsh or fish.",
    examples=(
        "heldout completion bash >> ~/.bashrc",
        "heldout completion zsh >> ~/.zshrc",
        "heldout completion fish > ~/.config/fish/completions/heldout.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete heldout's commands, options and their values."""
    kind = get_completion_class(shell)
    assert kind is not None  # click has the three shells that the argument allows
    put(kind(ctx.find_root().command, {}, "heldout", "_HELDOUT_COMPLETE").source() + "\n")
