"""Pages of the command line, one per command, written from click: usage, options with anchors, examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html import escape

import click

from heldout.cli import verbs
from heldout.cli.options import OUTPUT

FOLDER = "commands"
DEFAULT = re.compile(r"\s*\[default: (?P<value>[^\]]*)\]")
CONTEXT = {"terminal_width": 100, "max_content_width": 100, "help_option_names": ["-h", "--help"]}


def pages() -> dict[str, str]:
    """File name → Markdown: a page per command, and the overview of the verbs."""
    found = {f"{FOLDER}/{name(context)}.md": page(context) for context in contexts()}
    found["command-overview.md"] = overview()
    return found


def contexts() -> Iterator[click.Context]:
    """Every command below `heldout`, in the order of the help."""
    yield from below(click.Context(verbs, info_name="heldout", **CONTEXT))


def below(context: click.Context) -> Iterator[click.Context]:
    group = context.command
    for verb in group.list_commands(context) if isinstance(group, click.Group) else ():
        command = group.get_command(context, verb)  # type: ignore[union-attr]
        assert command is not None
        inner = click.Context(command, parent=context, info_name=verb, **CONTEXT)
        yield inner
        yield from below(inner)


def name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def overview() -> str:
    """A table of the verbs and their commands, and the list of pages for the side bar."""
    found = list(contexts())
    lines = [f"| {link(one)} | {cell(one.command.get_short_help_str(limit=200))} |" for one in found]
    verbs_only = [one for one in found if one.command_path.count(" ") == 1]
    listed = "\n".join(f"_generated/{FOLDER}/{name(one)}" for one in verbs_only)
    return "\n".join(
        ["| command | what it does |", "|---|---|", *lines, "", "```{toctree}", ":hidden:", "", listed, "```", ""]
    )


def link(context: click.Context, folder: str = f"_generated/{FOLDER}/") -> str:
    return f"[`{context.command_path}`]({folder}{name(context)}.md)"


def page(context: click.Context) -> str:
    """Usage, description, commands or options by heading, and examples of one command."""
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"# {context.command_path}", paragraphs(command.help or ""), f"```text\n{usage}\n```"]
    if examples := getattr(command, "examples", ()):
        parts.append("## Examples\n\n```console\n" + "\n".join(f"$ {line}" for line in examples) + "\n```")
    if isinstance(command, click.Group):
        inner = [one for one in below(context) if one.parent is context]
        rows = [f"| {link(one, '')} | {cell(one.command.get_short_help_str(limit=200))} |" for one in inner]
        listed = "\n".join(name(one) for one in inner)
        parts.append("\n".join(["## Commands", "", "| command | what it does |", "|---|---|", *rows]))
        parts.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```")
    for heading, found in options(context).items():
        rows = [option_row(option, context) for option in found]
        parts.append("\n".join([f"## {heading}", "", "| option | default | what it does |", "|---|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def paragraphs(text: str) -> str:
    return cell_markup(inspect.cleandoc(text.replace("\b", "")).replace("\f", ""))


def options(context: click.Context) -> dict[str, list[click.Option]]:
    """Options by the heading that they have in the help."""
    found: dict[str, list[click.Option]] = {}
    for one in context.command.get_params(context):
        if isinstance(one, click.Option) and not one.hidden:
            found.setdefault(getattr(one, "heading", OUTPUT), []).append(one)
    order = ("Input", "Columns", "What to compute", "How", "Output")
    return {heading: found[heading] for heading in order if heading in found}


def anchors(option: click.Option) -> list[str]:
    """One per name of the option: `option-group` for --group."""
    return [f"option-{one.lstrip('-')}" for one in (*option.opts, *option.secondary_opts)]


def option_row(option: click.Option, context: click.Context) -> str:
    """Names with anchors, default, description."""
    marks = "".join(f'<a id="{escape(one)}"></a>' for one in anchors(option))
    names, text = option.get_help_record(context) or ("", "")
    default = "; ".join(found["value"] for found in DEFAULT.finditer(text))
    ranges = re.findall(r"\s*\[(?:required|[^\]]*x[<>][^\]]*|x[<>=]+[^\]]*)\]", text)
    for extra in (*(found[0] for found in DEFAULT.finditer(text)), *ranges):
        text = text.replace(extra, "")
    default = default or ("required" if option.required else "")
    shown = " ".join(f"`{one}`" for one in re.split(r",? +(?=-)", names))
    permalink = f'<a class="headerlink" href="#{escape(anchors(option)[-1])}" title="Link to this option">#</a>'
    return f"| {marks}{shown.replace('|', chr(92) + '|')}{permalink} | {cell(default)} | {cell(text)} |"


def cell(text: str) -> str:
    return cell_markup(" ".join(text.split())).replace("|", "\\|")


def cell_markup(text: str) -> str:
    """Text in which options, commands and stars are not taken for markup."""
    text = re.sub(r"([*_<\[\]])", r"\\\1", text)
    return re.sub(r"(?<![\w\\-])(--[a-z][a-z-]*[a-z]|heldout(?: [a-z]+)+(?= --|[.,;:)]|$))", r"`\1`", text)
