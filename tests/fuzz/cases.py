"""A case: what is typed, and the files it is typed about. The same seed and number always give the same case."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from tests.fuzz.contents import TABLE_FORMS, TREE_FORMS, Content, Index, Lines, Pixels, Table, Tree
from tests.fuzz.mutations import mutated, typed_change
from tests.fuzz.options import Draft, Words, commands, random_options
from tests.fuzz.recipes import RECIPES

ENDINGS = (*TABLE_FORMS, *TREE_FORMS, "png", "npy", "tiff", "txt")
QUICK = {"n_resamples": ("--n-resamples", "100")}
"""Options that make a case quick, where they are not part of it already."""


@dataclass(frozen=True)
class Case:
    """One call of the command line."""

    command: Words
    words: tuple[Words, ...]
    """What follows the command: each option with its value, and each other word, in a group of its own."""
    files: dict[str, Content]
    kind: str = "options"
    """What was mutated: a format, or nothing but options."""
    forms: tuple[str, ...] = ()
    """Forms in which the rows of the first file must give the same result."""
    stdin: str | None = None
    """The file that is also the standard input."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> list[str]:
        return [*self.command, *(word for words in self.words for word in words)]


def case(seed: int, number: int) -> Case:
    """The case of this number."""
    rng = Random(f"{seed} {number}")
    chosen, weights = zip(*((command, weight) for command, (weight, _) in RECIPES.items()), strict=True)
    (command,) = rng.choices(chosen, weights)
    draft = RECIPES[command][1](rng)
    if set(draft.files) == IN_FORMS.get(command[0]) and rng.random() < 0.2:
        return in_forms(draft, rng)
    draft.tame = rng.random() < 0.7
    draft.words += random_options(draft, rng)
    draft.files = {stem: in_some_form(content, rng) for stem, content in draft.files.items()}
    share = rng.choice((0, 0.5, 0.8))
    changed = {stem: mutated(content, rng) for stem, content in draft.files.items() if rng.random() < share}
    kinds = [ending(draft.files[stem]) for stem in changed]
    return finished(draft, {**draft.files, **changed}, kinds[0] if kinds else "options", (), rng)


def in_some_form(content: Content, rng: Random) -> Content:
    """A table as CSV, or now and then in another format."""
    return (
        replace(content, form=rng.choice(list(TABLE_FORMS)))
        if isinstance(content, Table) and rng.random() < 0.3
        else content
    )


IN_FORMS = {"evaluate": {"rows"}, "compare": {"old", "new"}, "gate": {"old", "new"}}
"""Verbs whose rows are tried in other forms, and the files that hold them."""
FORM_NAMES = (
    *("tsv", "csv.gz", "jsonl", "parquet", "arrow", "pandas", "polars", "pyarrow", "dict", "arrays"),
    *("rows", "columns", "more", "chunks", "again"),
)
NOT_IN_FORMS = (
    *(
        "log",
        "engine",
        "engine_address",
        "memory",
        "model",
        "model_column",
        "time",
        "series",
        "horizon",
        "fold",
        "define",
    ),
    *("choose_threshold", "fold_scores", "across_sets", "save", "run", "report", "chart", "charts", "output", "form"),
    *("quiet", "verbose", "digits", "chart_format", "train", "reference", "cost", "confusion", "class_counts", "wrong"),
    *("of", "threshold_from", "anchor", "noise_floor", "looks_budget", "junit", "github", "as_json"),
    *("rope", "lower_is_better", "n_train", "n_test", "post_hoc", "unpaired", "allow_overlap"),
)
"""Options about other files, about the order of rows, or about where a result goes."""


def in_forms(draft: Draft, rng: Random) -> Case:
    """Rows that every form can hold, in two forms besides CSV."""
    draft.tame, draft.never = True, NOT_IN_FORMS
    draft.words += random_options(draft, rng)
    files = {stem: content for stem, content in draft.files.items() if isinstance(content, Table)}
    seed = rng.random()
    for _ in range(rng.choice((0, 1, 2))):
        files = {stem: typed_change(content, Random(seed)) for stem, content in files.items()}
    return finished(draft, {**files}, "forms", tuple(rng.sample(FORM_NAMES, 2)), rng)


def finished(draft: Draft, files: dict[str, Content], kind: str, forms: tuple[str, ...], rng: Random) -> Case:
    """The case of a draft: with names for its files, quick, and in JSON more often than not."""
    known = {parameter.name: parameter.opts for parameter in commands()[draft.command].params}
    typed = {word for words in draft.words for word in words}
    words = [*draft.words, *(quick for name, quick in QUICK.items() if name in known and not typed & set(known[name]))]
    if "as_json" in known and not typed & {"--json", "--format"} and (forms or rng.random() < 0.7):
        words.append(("--json",))
    names = {stem: name_of(stem, content, draft.files[stem]) for stem, content in files.items()}
    piped = rng.choice(list(names)) if names and not forms and rng.random() < 0.02 else None
    replaced = {f"@{stem}": "-" if stem == piped else name for stem, name in names.items()}
    command = draft.command if draft.command[0] != "runs" else ("runs", "store", *draft.command[1:])
    groups = tuple(tuple(replaced.get(word, word) for word in group) for group in words)
    contents = {names[stem]: content for stem, content in files.items()}
    return Case(command, groups, contents, kind, forms, names[piped] if piped else None)


def ending(content: Content) -> str:
    """The ending of a file that holds this."""
    if isinstance(content, Table | Tree | Pixels):
        return content.form
    return "txt" if isinstance(content, Lines) else "sqlite" if isinstance(content, Index) else "parquet"


def name_of(stem: str, content: Content, sound: Content) -> str:
    """The name of a file; one whose bytes were mutated keeps that of its sound form."""
    if "." in stem:
        return stem
    known = content if isinstance(content, type(sound)) else sound
    return f"{stem}.{'py' if stem.startswith('define') else ending(known)}"
