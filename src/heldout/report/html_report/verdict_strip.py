"""What a result comes to, in a few sentences: the first thing a reader meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heldout.report.document import Page
from heldout.report.html_report.section_plan import in_images
from heldout.report.kinds.evaluation import of_decisions, printed
from heldout.report.number_text import Estimated, amount, like, percent, value_text

TONES = {"BETTER": "good", "PASS": "good", "WORSE": "bad", "FAIL": "bad"}


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A word, sentences, and the facts of the data."""

    word: str
    tone: str
    """good, bad or open."""
    sentences: tuple[str, ...]
    facts: dict[str, str]


def standing(d: Mapping[str, Any], whole: Page) -> Standing:
    """The verdict of a result; for an evaluation, whether the model is better than a constant prediction."""
    sentences = whole.verdict or tuple(_against_constant(d))
    word = str(d.get("verdict") or "") or _word(d)
    tone = TONES.get(word, "good" if word == "BETTER THAN A CONSTANT" else "open")
    return Standing(word=word, tone=tone, sentences=sentences, facts=_facts(d, whole))


def _deciding(d: Mapping[str, Any]) -> list[str]:
    """The first printed metric of the scores and the first of the decisions that a constant can be put beside."""
    if "estimates" not in d or not isinstance(d.get("baseline"), Mapping):
        return []
    known = [name for name in printed(d["estimates"]) if name in d["baseline"]["beaten"]]
    first = [[name for name in known if of_decisions(name) is decided][:1] for decided in (False, True)]
    return [name for names in first for name in names]


def _word(d: Mapping[str, Any]) -> str:
    deciding = _deciding(d)
    if not deciding:
        return ""
    return "BETTER THAN A CONSTANT" if d["baseline"]["beaten"][deciding[0]] else "NOT BETTER THAN A CONSTANT"


def _against_constant(d: Mapping[str, Any]) -> list[str]:
    said = []
    for name in _deciding(d):
        e, constant = d["estimates"][name], d["baseline"]["estimates"][name]
        beaten = d["baseline"]["beaten"][name]
        word = "better" if beaten else "not better, as far as these rows tell,"
        where = f" at threshold {d['threshold']:g}" if of_decisions(name) and d["threshold"] is not None else ""
        said.append(f"{_sentence(name, e, where)}: {word} than {d['baseline']['name']} ({like(constant, e)}).")
    if not said:
        known = d.get("estimates", {})
        first = known[d["baseline"]] if "models" in d and isinstance(d.get("baseline"), str) else known
        said = [f"{_sentence(name, e, '')}." for name, e in list(printed(first).items())[:2]]
    return said


def _sentence(name: str, e: Estimated, where: str) -> str:
    if e["low"] is None or e["high"] is None:
        return f"{name}{where} is {value_text(e)}"
    ends = f"{percent(e['level'])} interval {like(e['low'], e)} to {like(e['high'], e)}"
    return f"{name}{where} is {value_text(e)}, {ends}"


def _facts(d: Mapping[str, Any], whole: Page) -> dict[str, str]:
    """Rows, positives, units, task, level: what the numbers rest on."""
    if in_images(d):
        return _of_images(d)
    if d["schema"] == "heldout.text/1":
        return _of_texts(d)
    facts: dict[str, str] = {}
    if "rows" in d:
        facts["rows"] = f"{d['rows']:,}"
    if d.get("positives") is not None and d["rows"]:
        facts["positive"] = f"{amount(d['positives'])} ({100 * d['positives'] / d['rows']:.1f}%)"
    if d.get("units") is not None and d["units"] != d["rows"]:
        facts["units (groups)"] = f"{d['units']:,}"
    if d.get("task") in {"multiclass", "multilabel"} and d.get("labels"):
        facts["classes" if d["task"] == "multiclass" else "labels"] = str(len(d["labels"]))
    if "task" in d:
        facts["task"] = str(d["task"])
    if d.get("level"):
        facts["level"] = percent(d["level"])
    facts |= {role: name for role, name in whole.columns if role in {"positive", "threshold"} and role not in facts}
    if d.get("threshold") is not None:
        facts["threshold"] = f"{d['threshold']:g}"
    return facts


def _of_images(d: Mapping[str, Any]) -> dict[str, str]:
    """Images, what is in them, and the level."""
    said = {name: f"{count:,}" for name, count in d.get("detections", {}).items()}
    counts = {f"detections by {name}" if len(said) > 1 else "detections": count for name, count in said.items()}
    whole = {"objects": d.get("objects"), "pixels": d.get("pixels"), "classes": len(d["labels"])}
    return {
        "images": f"{d['units']:,}",
        **{name: f"{count:,}" for name, count in whole.items() if count is not None},
        **counts,
        "level": percent(d["level"]),
    }


def _of_texts(d: Mapping[str, Any]) -> dict[str, str]:
    """Segments, documents, references, and the level."""
    fewest, most = d["references"]["fewest"], d["references"]["most"]
    return {
        "segments": f"{d['rows']:,}",
        **({"documents": f"{d['units']:,}"} if d["units"] != d["rows"] else {}),
        "references of each": f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}",
        "level": percent(d["level"]),
    }
