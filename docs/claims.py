"""Where the percentages and ratios in prose come from: docs/measured/claims.toml binds each to a measured number.

A page is read without its code and without what is written from measured files. Every number that is followed by %, ×,
"times", "x", "percent" or "-fold" must then be one of: a nominal setting (`NOMINAL`), a field of a sentence that is
filled from a measured file or from the output of a block on the same page, or part of a sentence that is allowed with a
reason.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean
from string import Formatter
from typing import Any

from docs.rates import cards
from heldout.cards.lookup import SPLIT_COLUMNS

ROOT = Path(__file__).parents[1]
LIST = ROOT / "docs" / "measured" / "claims.toml"
Span = tuple[int, int]

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
ITEM = r"\d{1,3}(?:\.\d+)?"
RUN = re.compile(
    rf"(?<![\w.@=^-])(?:"
    rf"(?:(?:{ITEM}%?, )*{ITEM}%?,? (?:to|and|or) |(?:{ITEM}%, )*|{ITEM}–){NUMBER}(?:\s?%|\spercent\b)"
    rf"|(?:{ITEM} (?:to|and|or) |{ITEM}–)?{NUMBER}(?:\s?×(?!\s?[\d(])|x(?![\w{{])|-fold\b|\stimes\b))"
)
"""A percentage or a ratio, or several of them that share a sign."""
SIGN = re.compile(r"\d\s*(?:%|×|x\b|-fold|percent|times)")
"""What every module with a percentage or a ratio has."""
FENCED = re.compile(r"^(`{3,}|:{3,})[^\n]*\n.*?^\1\s*$", re.MULTILINE | re.DOTALL)
GENERATED = re.compile(r"<!-- ([\w -]+) -->.*?<!-- end of \1 -->", re.DOTALL)
CHECKED = re.compile(r"<!-- table: [\w-]+ -->\n\n.*?(?=\n\n|\Z)", re.DOTALL)
"""Tables that tests/lab compares with measured files, line by line."""

NOMINAL = {
    r"\b([Aa]t|level of|[Ll]evels of|nominal) (80, 90 and 99|68|80|90|95|97|99|5)%": "a level or an alpha",
    r"\b(nominal are|from|than|instead of|at most|may exceed|below|above) (5|95)%": "a level or an alpha",
    r"\b(68|80|90|95|99)%,? (CI|confidence|intervals?|bound|level|t interval|point|quantile)\b": "a level",
    r"\b(one-sided|two-sided|upper|lower) (68|90|95|99)%": "a level",
    r"\b80% power|\bpower of 80%|\bplanned (power of )?80%|\b80% were planned": "the power that was asked for",
    r"\b(2|3|5|10|20)-fold\b": "a number of folds",
    r"\bfor \d+% write\b": "an example of what to write",
    r"\b93 to 97\.5%|\b93% and 97\.5%|\bup to 6%|\bat least 9[05]%|\bmore than 6%": "goals of coverage and tests",
    r"\bwidth:100%|\bmax-width:100%": "a width on the screen",
    r"\b25 [x×] \(90%, 10%\)|\b25 random splits of 90% and 10%": "the default splits",
    r"\b(horizon` -|the h -) 1 times before|\bautocorrelation [\d.]+ and \d+ times\b|\bat \d+ times and\b": "in time",
}
"""Settings that were chosen, not measured: what is meant, by how it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A sentence of a page in which the numbers come from somewhere."""

    kind: str
    page: str
    text: str
    spans: tuple[Span, ...]
    """Where numbers stand in the text; of an allowed sentence, all of it."""


def markdown() -> list[Path]:
    """The README and every page that is written by hand."""
    files = (path for path in (ROOT / "docs").rglob("*.md") if not {"_build", "_generated"} & set(path.parts))
    return [ROOT / "README.md", *sorted(files)]


def pages() -> dict[str, str]:
    """Place of each page or module → its prose, on one line."""
    found = {path.relative_to(ROOT).as_posix(): prose(path.read_text(encoding="utf-8")) for path in markdown()}
    for path in sorted((ROOT / "src").rglob("*.py")):
        code = path.read_text(encoding="utf-8")
        if SIGN.search(code):
            found[path.relative_to(ROOT).as_posix()] = strings(code)
    return found


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def prose(page: str) -> str:
    r"""What a page says in words and tables of its own.

    >>> prose("a 5%\n<!-- x -->\n7×\n<!-- end of x -->\n```python\n9%\n```\nb")
    'a 5% ¶ ¶ b'
    """
    for part in (FENCED, GENERATED, CHECKED):
        page = part.sub("¶", page)
    return one_line(re.sub(r"\]\([^)\s]*\)", "]", page))


def strings(code: str) -> str:
    """The strings of a module, docstrings included and their examples left out; what is filled in is {}."""
    tree = ast.parse(code)
    filled_in = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {part for node in filled_in for part in ast.walk(node) if part is not node}
    texts = [_words(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.Constant)
             and node not in inner]  # fmt: skip
    return " ¶ ".join(one_line(text) for text in texts if SIGN.search(text))


def _words(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    text = node.value if isinstance(node.value, str) else ""
    return re.sub(r"^ *>>> .*?(?:\n\s*\n|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)  # run as a doctest


def claimed(text: str) -> Iterator[Span]:
    """Where the numbers of percentages and ratios stand.

    >>> text = "8 to 18% of 500, 3.3 times as fast, by 10 × 10 folds"
    >>> [text[slice(*span)] for span in claimed(text)]
    ['8', '18', '3.3']
    """
    for run in RUN.finditer(text):
        for number in re.finditer(NUMBER, run[0]):
            yield run.start() + number.start(), run.start() + number.end()


def nominal(text: str) -> list[Span]:
    return [found.span() for pattern in NOMINAL for found in re.finditer(pattern, text)]


def entries() -> list[Entry]:
    """All sentences of the list, filled in."""
    stored = tomllib.loads(LIST.read_text(encoding="utf-8"))
    found = []
    for kind in ("measured", "shown", "allowed"):
        for one in stored.get(kind, ()):
            text, spans = one["text"], ((0, len(one["text"])),)
            if kind != "allowed":
                text, spans = filled(one)
            found.append(Entry(kind=kind, page=one["page"], text=text, spans=spans))
    return found


def filled(one: Mapping[str, Any]) -> tuple[str, tuple[Span, ...]]:
    """The sentence with its numbers, and where they stand. `p1` is a percentage with one digit, without its sign."""
    text, spans = "", []
    for literal, name, spec, _ in Formatter().parse(one["text"]):
        text += literal
        if name is not None:
            path = one["values"][name]
            value = read(one["file"], path) if "file" in one else printed(one["page"], path)
            number = f"{100 * value:,.{spec[1:]}f}" if spec.startswith("p") else f"{value:{spec}}"
            spans.append((len(text), len(text) + len(number)))
            text += number
    return text, tuple(spans)


def printed(page: str, line: str) -> float:
    """The last number of a line that a block of the page prints; the tests run the block."""
    blocks = FENCED.finditer((ROOT / page).read_text(encoding="utf-8"))
    run = one_line(" ".join(found[0] for found in blocks if found[0].startswith(("```python", "```console"))))
    if one_line(line) not in run:
        raise ValueError(f"{page} prints no {line!r}")
    number = re.findall(rf"{NUMBER}%?", line)[-1]
    return float(number.replace(",", "").rstrip("%")) / (100 if number.endswith("%") else 1)


@cache
def source(file: str) -> Any:
    """A measured file; cards as a list."""
    stored = json.loads((ROOT / file).read_text(encoding="utf-8"))
    lines: list[dict[str, Any]] = []
    if stored.get("schema") == "heldout.split-cards/1":
        for kind in ("intervals", "tests"):
            lines += [{"kind": kind, **dict(zip(SPLIT_COLUMNS, one, strict=True))} for one in stored[kind]]
        return {"cards": lines}
    if "worlds" not in stored:
        return stored
    for kind in ("intervals", "tests"):
        for design in stored[kind]:
            for metric, named in cards(stored, kind, design).items():
                for method, given in named.items():
                    place = {"kind": kind, "design": design, "metric": metric, "method": method}
                    lines += [{**place, **{name: getattr(one, name) for name in one.__slots__}} for one in given]
    return {"cards": lines}


REDUCERS: dict[str, Callable[[list[float]], float]] = {"min ": min, "max ": max, "mean ": fmean}


def read(file: str, path: str) -> float:
    """The number at a place of a file: `results[n=60; metric=mae].measured`; of several, their min, max or mean."""
    reducer, _, rest = path.partition(" ") if path.startswith(tuple(REDUCERS)) else ("", "", path)
    found = [source(file)]
    for step in re.findall(r"[^.\[\]]+(?:\[[^\]]*\])?", rest):
        key, _, conditions = step.rstrip("]").partition("[")
        found = [part for one in found for part in one] if key == "*" else [one[key] for one in found]
        if conditions:
            tests = conditions.split("; ")
            found = [line for lines in found for line in lines if all(_meets(line, test) for test in tests)]
    if not found or (len(found) > 1 and not reducer):
        raise ValueError(f"{file} has {len(found)} numbers at {path!r}, but must have one")
    return float(REDUCERS.get(f"{reducer} ", min)(found))


def _meets(line: Mapping[str, Any], test: str) -> bool:
    key, sign, wanted = re.fullmatch(r"(\w+)(=|~|>=|<=)(.*)", test).groups()  # type: ignore[union-attr]
    if sign in (">=", "<="):
        return bool(line[key] >= float(wanted)) if sign == ">=" else bool(line[key] <= float(wanted))
    return bool(re.search(wanted, str(line[key]))) if sign == "~" else str(line[key]) == wanted


def occurrences(text: str, part: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(part), text)]


def unaccounted(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Page → its numbers that come from nowhere, each with the words around it."""
    found: dict[str, list[str]] = {}
    listed = entries()
    for page, text in texts.items():
        spans = nominal(text)
        for entry in listed:
            if entry.page == page:
                spans += [(at + a, at + b) for at in occurrences(text, entry.text) for a, b in entry.spans]
        for start, end in claimed(text):
            if not any(a <= start and end <= b for a, b in spans):
                found.setdefault(page, []).append(text[max(start - 90, 0) : end + 60])
    return found


def stale(texts: Mapping[str, str]) -> list[str]:
    """Sentences of the list that their page does not have, and allowed ones without any number."""
    found = []
    for one in entries():
        if not occurrences(texts[one.page], one.text):
            found.append(f"{one.page} does not say: {one.text}")
        elif one.kind == "allowed" and not any(claimed(one.text)):
            found.append(f"no percentage or ratio: {one.text}")
    return found
