"""Texts against references: BLEU and its kin, n-grams, BERTScore, two systems."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

import heldout
from heldout.estimates.question import Question
from heldout.formulas.text_corpora import bleu, chrf
from heldout.inputs.formats.parallel_texts import read_segments
from heldout.language import sacre
from heldout.language.bertscore import greedy_match
from heldout.tallies.units import Units, tally_units
from tests.oracles.answers.asking import Answers
from tests.oracles.reader import Case, columns


def texts(case: Case) -> tuple[tuple[Path, ...], Path]:
    """The files of references, and that of the system."""
    system, *references = [paths[0] for paths in case.files.values()]
    return tuple(references), system


def value(case: Case, metric: str, **options: Any) -> float:
    """A metric of the case's texts, cut into words as the case says unless told otherwise."""
    references, system = texts(case)
    cut = {"tokenize": case.params["tokenize"]} if metric == "bleu" else {}  # the others do not cut into words so
    return _found(references, system, metric, **{**cut, **options})[metric].value


@lru_cache(maxsize=64)
def _found(references: tuple[Path, ...], system: Path, metric: str, **options: Any) -> heldout.TextEvaluation:
    return heldout.text(list(references), system, metrics=metric, **options)


@lru_cache(maxsize=16)
def counted(references: tuple[Path, ...], system: Path, tokenize: str) -> dict[str, np.ndarray]:
    """What each segment adds to BLEU."""
    found = read_segments(list(references), {"system": system})
    return sacre.bleu_columns(found.systems["system"], found.references, sacre.Reading(tokenize=tokenize))


def parts(case: Case) -> dict[str, Any]:
    """BLEU and what it is made of."""
    sums = {name: part.sum(axis=0) for name, part in counted(*texts(case), case.params["tokenize"]).items()}
    said, wanted = int(sums["ngrams"][0]), int(sums["reference_length"])
    return {
        "score": value(case, "bleu"),
        "precisions": (100 * sums["matches"] / sums["ngrams"]).tolist(),
        "bp": min(1.0, exp(1 - wanted / said)),
        "sys_len": said,
        "ref_len": wanted,
        "counts": sums["matches"].tolist(),
        "totals": sums["ngrams"].tolist(),
    }


def signed(case: Case) -> str:
    references, system = texts(case)
    return _found(references, system, "bleu", tokenize=case.params["tokenize"]).signatures["bleu"]


def each(case: Case, metric: str) -> list[float]:
    """A metric of the first segments, each by itself."""
    (references, system), first = texts(case), case.params["first_segments"]
    if metric == "bleu":
        made, added = bleu(effective=True), counted(references, system, case.params["tokenize"])
    else:
        found = read_segments(list(references), {"system": system})
        made = chrf()
        added = sacre.chrf_columns(found.systems["system"], found.references, words=0, lowercase=False)
    return [float(made({name: part[at] for name, part in added.items()})) for at in range(first)]


BLEU: Answers = {
    "bleu": parts,
    "signature": signed,
    "bleu_lowercase": lambda case: value(case, "bleu", lowercase=True),
    "bleu_tok_(none|intl|char)": lambda case, name: value(case, "bleu", tokenize=name),
    "bleu2": lambda case: value(case, "bleu", order=2),
    "bleu_smooth_floor": lambda case: value(case, "bleu", smoothing="floor", smoothing_value=0.1),
    "bleu_smooth_addk1": lambda case: value(case, "bleu", smoothing="add-k", smoothing_value=1),
    "bleu_smooth_none": lambda case: value(case, "bleu", smoothing="none"),
    "chrf": lambda case: value(case, "chrf"),
    "chrf_pp": lambda case: value(case, "chrf++"),
    "ter": lambda case: value(case, "ter"),
    "sentence_(bleu|chrf)": each,
}


def drawn(metric: heldout.metrics.Metric, tally: Units, draws: int) -> tuple[float, float, float]:
    """The value, the mean of its draws, and half the width of the middle 95% of them."""
    asked = Question(metric=metric, tally=tally, level=0.95, draws=draws, seed=1)
    low, high = np.quantile(asked.drawn, [0.025, 0.975])
    return asked.value, float(asked.drawn.mean()), float(high - low) / 2


INTERVAL: Answers = {
    "mean_and_halfwidth95": lambda case: list(
        drawn(bleu(), tally_units(counted(*texts(case), "13a")), case.params["n_bootstrap"])
    ),
}


def shares(case: Case, n: int) -> list[tuple[float, float]]:
    """Precision and recall of the n-grams of every candidate."""
    pairs = case.params["candidate_reference"]
    found = [heldout.text([wanted], [said], metrics="ngrams", tokenize="none") for said, wanted in pairs]
    return [(float(one[f"ngram_precision_{n}"]), float(one[f"ngram_recall_{n}"])) for one in found]


def precisions(case: Case) -> list[list[float]]:
    return np.transpose([[precision for precision, _ in shares(case, n)] for n in (1, 2, 3)]).tolist()


def rouge(case: Case) -> list[dict[str, list[float]]]:
    """Precision, recall and F of n-grams; the longest run in common is no n-gram, and is not offered."""

    def harmonic(precision: float, recall: float) -> float:
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    found = {n: shares(case, n) for n in (1, 2, 3)}
    return [
        {f"rouge{n}": [*found[n][at], harmonic(*found[n][at])] for n in found}
        for at in range(len(case.params["candidate_reference"]))
    ]


def sentence(case: Case, smoothing: str, amount: float | None, *, effective: bool) -> list[float]:
    reading = sacre.Reading()
    made = bleu(smoothing, amount, effective=effective)
    added = [sacre.bleu_columns([said], [[wanted]], reading) for said, wanted in case.params["candidate_reference"]]
    return [float(made({name: part[0] for name, part in one.items()})) for one in added]


NGRAMS: Answers = {
    "nltk_modified_precision_1_2_3": precisions,
    "rouge": rouge,
    "sacrebleu_sentence": lambda case: sentence(case, "exp", None, effective=True),
    "nltk_sentence_bleu_method1": lambda case: [x / 100 for x in sentence(case, "floor", 0.1, effective=False)],
}


def matched(case: Case, *, weighed: bool) -> list[list[float]]:
    """Precision, recall and F of each pair of texts, from the vectors of a file."""
    assert case.file is not None
    table = columns(case.file)
    sides = [name for name in table if name.startswith("d") and name[1:].isdigit()]
    vectors = np.column_stack([np.array(table[name], dtype=float) for name in sides])
    place = {word: at for at, word in enumerate(table["word"])}
    rare = np.array(table["idf"], dtype=float)
    found = []
    for said, wanted in case.params["candidate_reference_tokens"]:
        ours, theirs = ([place[word] for word in words] for words in (said, wanted))
        weights = (rare[ours], rare[theirs]) if weighed else (None, None)
        found.append(list(greedy_match(vectors[ours], vectors[theirs], *weights)))
    return found


BERTSCORE: Answers = {
    "P_R_F_plain": lambda case: matched(case, weighed=False),
    "P_R_F_idf": lambda case: matched(case, weighed=True),
}


def compared(case: Case) -> dict[str, list[dict[str, Any]]]:
    """Every system with its score, and but for the first its p-value; of the bootstrap also what was drawn."""
    *systems, (reference,) = case.files.values()
    named = {name.rpartition("_")[2]: path for name, (path,) in zip(case.files, systems, strict=False)}
    bootstrap = "bootstrap" in case.params["test"]
    draws = case.params["n_samples"]
    test = "bootstrap" if bootstrap else "permutation"
    found = heldout.text(
        reference, named, metrics="bleu,chrf", test=test, n_resamples=draws, baseline=case.params["baseline"]
    )
    told = {(one.model, one.metric): one.pvalue for one in found.differences}
    answer = {}
    for title, metric in (("BLEU", "bleu"), ("chrF2", "chrf")):
        answer[title] = [
            {
                "system": name,
                "score": found.estimates[name][metric].value,
                "p": told.get((name, metric)),
                **_drawn(reference, path, metric, draws if bootstrap else None),
            }
            for name, path in named.items()
        ]
    return answer


def _drawn(reference: Path, system: Path, metric: str, draws: int | None) -> dict[str, float | None]:
    if draws is None:
        return {"mean": None, "ci": None}
    segments = read_segments(reference, {"system": system})
    said, wanted = segments.systems["system"], segments.references
    if metric == "bleu":
        made, added = bleu(), sacre.bleu_columns(said, wanted, sacre.Reading())
    else:
        made, added = chrf(), sacre.chrf_columns(said, wanted, words=0, lowercase=False)
    _, mean, half = drawn(made, tally_units(added), draws)
    return {"mean": mean, "ci": half}


PAIRED: Answers = {"results": compared}
