"""What to write instead of a command line that click cannot read: the fix below click's own message."""

from __future__ import annotations

import click


def with_fix(problem: click.UsageError, ctx: click.Context) -> click.UsageError:
    """The same error with what to write instead in a line below."""
    return click.UsageError(f"{problem.format_message().rstrip()}\n  Fix: {_fix(problem, ctx)}", ctx)


def _fix(problem: click.UsageError, ctx: click.Context) -> str:
    path = ctx.command_path
    if isinstance(problem, click.MissingParameter):
        return _missing(problem, ctx)
    if isinstance(problem, click.BadOptionUsage):
        return f"write a value after it: {_with_value(ctx, problem.option_name)}"
    if isinstance(problem, click.BadParameter) and problem.param is not None:
        return _allowed(problem.param)
    if isinstance(problem, click.NoSuchOption):
        return f"{path} --help lists the options"
    if isinstance(ctx.command, click.Group):
        return f"{path} --help lists the commands"
    return f"leave it out; {path} --help says what is expected"


def _missing(problem: click.MissingParameter, ctx: click.Context) -> str:
    """What is missing, in an example of the command that has it."""
    names = problem.param.opts if isinstance(problem.param, click.Option) else [""]
    examples: tuple[str, ...] = tuple(getattr(ctx.command, "examples", ()))
    shown = next((one for one in examples if any(name in one for name in names)), "")
    return f"for example {shown}" if shown else f"{ctx.command_path} --help says what is needed"


def _allowed(parameter: click.Parameter) -> str:
    """Which values a parameter takes."""
    name = max(parameter.opts, key=len) if isinstance(parameter, click.Option) else parameter.human_readable_name
    kind = parameter.type
    if isinstance(kind, click.Choice):
        return f"give {name} one of {', '.join(map(str, kind.choices))}"
    if isinstance(kind, click.IntRange):
        least, most = kind.min, kind.max
        if least is not None and most is not None:
            return f"give {name} a whole number from {least} to {most}"
        return f"give {name} a whole number of {least} or more" if least is not None else f"give {name} a whole number"
    if kind is click.INT:
        return f"give {name} a whole number, such as {_example(parameter, '100')}"
    if kind is click.FLOAT:
        return f"give {name} a number, such as {_example(parameter, '0.5')}"
    return f"give {name} another value"


def _example(parameter: click.Parameter, usual: str) -> str:
    """The default of a parameter, or what is usual where it has none."""
    default = parameter.default
    return f"{default:g}" if isinstance(default, int | float) and not isinstance(default, bool) else usual


def _with_value(ctx: click.Context, name: str) -> str:
    """An option with the word that its help has for the value."""
    words = [one.metavar or one.type.name.upper() for one in ctx.command.get_params(ctx) if name in one.opts]
    return f"{name} {words[0] if words else 'VALUE'}"
