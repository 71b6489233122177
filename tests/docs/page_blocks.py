"""Run the code blocks of a page of the documentation: `python page_blocks.py PAGE` in an empty folder.

A block marked `python` is executed; where it has `>>>` prompts, what it shows is compared too. In a block marked
`console` each command `$ heldout …` is run and must end with exit code 0, or with N where the line before the block is
`<!-- exit: N -->`; the lines shown below it must be what it prints, `...` standing for any text. The reader's own
`predictions.csv`, of which the README speaks, is here a file of the demo.

It needs heldout and nothing else, so that it also runs where only the extras that a page names are installed.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from click.testing import CliRunner

import heldout
from heldout.cli import verbs
from heldout.formulas import METRICS

ROOT = Path(__file__).parents[2]
FENCE = re.compile(
    r"(?:<!-- exit: (?P<exit>\d+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Code between two fences."""

    language: str
    text: str
    exit: int
    line: int


def blocks(page: str) -> list[Block]:
    return [
        Block(
            language=found["language"],
            text=found["text"],
            exit=int(found["exit"] or 0),
            line=page.count("\n", 0, found.start("text")) + 1,
        )
        for found in FENCE.finditer(page)
    ]


def commands(text: str) -> list[tuple[str, str]]:
    """Each command after a prompt, with the output shown below it."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def run_python(block: Block, names: dict[str, object], where: str) -> None:
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, where, where, block.line - 1)
    test.globs = names  # one namespace per page
    runner = doctest.DebugRunner(optionflags=OPTIONS)
    try:
        runner.run(test, clear_globs=False)
    except doctest.DocTestFailure as failure:
        wanted = f"{failure.example.source}wanted:\n{failure.example.want}got:\n{failure.got}"
        raise AssertionError(f"{where}:{block.line + failure.example.lineno}: {wanted}") from None
    except doctest.UnexpectedException as error:
        raise error.exc_info[1] from None


def run_console(block: Block, where: str) -> None:
    """Run commands in this process: starting Python for each of them would take most of the time."""
    for command, shown in commands(block.text):
        if not command.startswith("heldout "):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as the command line does
            ended = CliRunner().invoke(verbs, shlex.split(command)[1:], env={"NO_COLOR": "1", "COLUMNS": "80"})
        printed = ended.stdout + ended.stderr
        assert ended.exit_code == block.exit, f"{where}:{block.line}: {command}\n{printed}\n{ended.exception!r}"
        agree = doctest.OutputChecker().check_output(shown.strip() + "\n", printed.strip() + "\n", OPTIONS)
        assert not shown.strip() or agree, f"{where}:{block.line}: {command}\nshown:\n{shown}printed:\n{printed}"


def run_page(page: Path) -> dict[str, object]:
    """Run the blocks of a page in the current folder; the names that it defines."""
    names: dict[str, object] = {"__name__": "__docs__"}
    where = page.relative_to(ROOT).as_posix()
    if page.name == "README.md":
        heldout.demo("demo").path.rename("predictions.csv")
    with patch.dict(METRICS):  # a metric that a page defines stays on that page
        for block in blocks(page.read_text(encoding="utf-8")):
            if block.language == "python":
                run_python(block, names, where)
            elif block.language == "console":
                run_console(block, where)
    return names


if __name__ == "__main__":
    run_page(Path(sys.argv[1]).resolve())
