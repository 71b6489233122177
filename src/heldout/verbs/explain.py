"""What a name means: a metric, an interval method, a test, an error code, a word."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from inspect import cleandoc
from math import inf
from textwrap import fill
from typing import TYPE_CHECKING, Any

from heldout.errors import CODES, UsageError, did_you_mean, page_of
from heldout.verbs.glossary import DECORATIONS, LISTED, WORDS, printed_method, word
from heldout.verbs.parameters import with_hints
from heldout.verbs.test_names import NAMED_TESTS, named_test

if TYPE_CHECKING:
    from heldout.formulas.image_metrics import ImageFigure

WIDTH = 80

READS = {
    "labels": "decided labels",
    "marks": "several labels per row",
    "scores": "scores",
    "columns": "one score per class",
    "losses": "what each row adds",
    "numbers": "numbers",
    "ordered": "numbers in their order",
    "reliability": "probabilities",
}

SOME = 12
"""How many metrics of a method are named before the rest is counted."""
ALIKE = 0.75
"""How much a name must be like the one that is suggested: with so many names, less is like some other one by chance."""
LISTS = ("metrics", "methods", "tests", "codes", "words")


@with_hints
def explain(name: str) -> str:
    """What a metric, interval method, test, error code or word means.

    Parameters
    ----------
    name : str
        The name, such as "roc_auc", "wilson", "mcnemar" or "H109"; or "metrics", "methods", "tests", "codes" or
        "words" to list all of a kind.

    Returns
    -------
    str
        The explanation, in lines of at most 80 characters.

    Raises
    ------
    UsageError
        If nothing has that name; the message suggests the nearest one.

    Examples
    --------
    >>> print(explain("H109"))
    H109  (error or note)
      Weights must be zero or more and must not all be zero.
      docs      docs/errors.md#h109
    """
    if sys.flags.optimize > 1:
        raise UsageError("explain reads documentation, which python -OO leaves out", fix="run Python without -OO")
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    code = name.strip().strip("[]").upper()
    if plain in LISTS:
        return listed(plain)
    if code in CODES:
        return told(code, "error or note", CODES[code], (("docs", page_of(code)),))
    metrics = [_metric(name.strip()) or _metric(plain), _figure(name)]
    if name != name.lower():  # AP, IoU and Dice are the names of figures of images, in small letters those of metrics
        metrics.reverse()
    either = [found for found in (*metrics, _word(name), _method(plain), _test(name)) if found]
    if either:  # some names are those of a metric and a word, or of a method and a test
        return "\n\n".join(either)
    printed = printed_method(name)
    if printed is not None:
        return told(printed[0], "method", printed[1])
    shorter = DECORATIONS.sub("", name.strip())
    if shorter != name.strip():
        return explain(shorter)
    raise UsageError(
        f"nothing is named {name!r}{did_you_mean(plain, _every_name(), ALIKE)}",
        fix="heldout explain without a name lists all names",
    )


def told(name: str, kind: str, text: str, facts: tuple[tuple[str, str], ...] = ()) -> str:
    """A name, what sort of thing it is, its meaning and its facts, in 80 columns."""
    lines = [f"{name}  ({kind})", fill(text, WIDTH, initial_indent="  ", subsequent_indent="  ")]
    for fact, content in facts:
        lines.append(fill(content, WIDTH, initial_indent=f"  {fact:<10}", subsequent_indent=" " * 12))
    return "\n".join(lines)


def known_names() -> str:
    """Every name that can be explained."""
    return "\n\n".join(listed(kind) for kind in LISTS)


def listed(kind: str) -> str:
    """All names of one kind, under a heading."""
    names = ("; " if kind == "tests" else ", ").join(_names()[kind])  # some names of tests have commas
    return f"{kind}\n" + fill(names, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _names() -> dict[str, list[str]]:
    from heldout.estimates.interval_choice import METHODS
    from heldout.formulas import METRICS
    from heldout.formulas.image_metrics import IMAGE_FIGURES
    from heldout.formulas.text_corpora import TEXTS

    return {
        "metrics": [*METRICS, *TEXTS, *IMAGE_FIGURES],
        "methods": METHODS,
        "tests": list(NAMED_TESTS),
        "codes": list(CODES),
        "words": list(LISTED),
    }


def _every_name() -> list[str]:
    from heldout.formulas import ALIASES
    from heldout.intervals.shares import ALIASES as OTHER_NAMES

    return [name for names in _names().values() for name in names] + [*ALIASES, *OTHER_NAMES, *WORDS, *LISTS]


def _word(name: str) -> str | None:
    found = word(name)
    return None if found is None else told(found[0], "word", found[1])


def _metric(name: str) -> str | None:
    """A metric: definition, range, which way is better, what it is computed from, its interval."""
    from heldout.formulas import metric
    from heldout.formulas.text_corpora import TEXTS

    of_texts = {alias: one for one in TEXTS.values() for alias in (one.name, *one.aliases)}
    try:
        found = of_texts[name] if name in of_texts else metric(name)
    except UsageError:
        return None
    low, high = (f"{end:g}" if abs(end) != inf else ("-inf" if end < 0 else "inf") for end in found.range)
    way = f"{found.better} is better" if found.better else "neither way is better"
    facts = [
        ("range", f"{low} to {high}; {way}"),
        ("from", "texts and references" if name in of_texts else f"{READS[found.reads]}; {', '.join(found.tasks)}"),
        ("unit", "a segment; a document with --group" if name in of_texts else ""),
        ("interval", _default(found)),
        ("also", ", ".join(found.aliases)),
    ]
    return told(found.name, "metric", found.definition, tuple(fact for fact in facts if fact[1]))


def _figure(name: str) -> str | None:
    """A figure of detections or masks: definition, formula, range, which way is better, its interval."""
    from heldout.formulas.image_metrics import image_figure

    found = image_figure(name)
    if found is None:
        return None
    facts = (
        ("formula", found.formula),
        ("range", "0 to 1; higher is better"),
        ("from", "objects and detections" if found.of == "boxes" else "label maps"),
        ("unit", "an image"),
        ("interval", _over_images(found)),
        ("also", ", ".join(found.also)),
    )
    kind = "metric of detections" if found.of == "boxes" else "metric of masks"
    return told(found.name, kind, found.definition, tuple(fact for fact in facts if fact[1]))


def _over_images(found: ImageFigure) -> str:
    """How the interval of a figure of images is made."""
    if found.of == "boxes":
        from heldout.verbs.images.image_intervals import figure_interval

        return f"{_first_line(figure_interval)} Images are resampled; the intervals of all classes are simultaneous."
    joint = " Intervals of all classes are simultaneous." if found.name in ("IoU", "Dice") else ""
    return f"Student's t on the logit scale, from leaving out each image.{joint}"


def _default(found: Any) -> str:
    """How a metric's interval is made unless a method is asked for, and which methods may be."""
    from heldout.estimates.interval_choice import KINDS

    if found.via:
        return f"that of {found.via[0]}, put through the function that leads from there"
    methods = KINDS[found.interval]
    others = [name for name in methods if name != "auto"]
    default = _first_line(methods["auto"]) or "Wilson's score interval for a share."
    return f"{default} --method: {', '.join(others)}" if others else default


def _method(name: str) -> str | None:
    """An interval method: what it is, and the metrics it is for."""
    from heldout.estimates.interval_choice import KINDS, known_method
    from heldout.formulas import METRICS
    from heldout.intervals.shares import ALIASES, SHARES

    try:
        found = known_method(name)
    except UsageError:
        return None
    if found == "auto":
        return told(found, "interval method", "The default: the method that suits each metric.")
    kinds = {kind: methods[found] for kind, methods in KINDS.items() if found in methods}
    described = _sections(SHARES[found] if found in SHARES else next(iter(kinds.values())))
    metrics = [metric.name for metric in METRICS.values() if metric.interval in kinds and not metric.via]
    many = f" and {len(metrics) - SOME} more metrics" if len(metrics) > SOME else ""
    facts = (
        ("for", ", ".join(metrics[:SOME]) + many),
        ("also", ", ".join(alias for alias, own in ALIASES.items() if own == found)),
        ("source", described.get("References", "")),
    )
    return told(found, "interval method", described[""], tuple(fact for fact in facts if fact[1]))


def _test(name: str) -> str | None:
    """A test: what it asks, its formula, when it is used, and the names under which it is printed."""
    key = named_test(name)
    if key is None:
        return None
    found = NAMED_TESTS[key]
    facts = (("formula", found.formula), ("default", found.default), ("also", "; ".join(found.also)))
    return told(key, "test", found.asks, tuple(fact for fact in facts if fact[1]))


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


def _sections(function: Callable[..., Any]) -> dict[str, str]:
    """A docstring by its numpydoc sections; what stands before the first of them, up to an example, has no name."""
    text = cleandoc(function.__doc__ or "")
    prose, *sections = re.split(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n", text)
    named = {"": prose.split(">>>")[0], **dict(zip(sections[::2], sections[1::2], strict=True))}
    return {name: " ".join(section.split()) for name, section in named.items()}
