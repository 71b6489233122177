"""Two systems that wrote the same segments."""

from __future__ import annotations

from typing import Any

import numpy as np

import heldout
from benchmarks.task import Data, Limit, Peer, Task

DRAWS = 1000
WORDS = 8000
COUNTED = 3000
"""Segments that are counted; counting is not what the draws are about."""


def written(segments: int) -> Data:
    """References and two systems, one of them with more mistakes; words are as rare as their rank."""
    rng = np.random.default_rng(20)
    words = np.array([f"w{at}" if at % 7 else f"w{at}," for at in range(WORDS)])
    chance = 1 / np.arange(1, WORDS + 1)
    lengths = rng.integers(5, 45, segments)
    ends = np.cumsum(lengths)
    truth = rng.choice(WORDS, int(ends[-1]), p=chance / chance.sum())

    def lines(tokens: np.ndarray) -> list[str]:
        return [" ".join(part) + " ." for part in np.split(words[tokens], ends[:-1])]

    def garbled(share: float) -> np.ndarray:
        return np.where(rng.random(len(truth)) < share, rng.integers(0, WORDS, len(truth)), truth)

    return {"wanted": lines(truth), "first": lines(garbled(0.25)), "second": lines(garbled(0.27))}


def counted(segments: int) -> Data:
    """What each segment of both systems adds, as we and as sacrebleu keep it; many are the same few again."""
    from sacrebleu.metrics import BLEU

    from heldout.language.sacre import Reading, bleu_columns
    from heldout.tallies.units import tally_units

    data, metric = written(min(segments, COUNTED)), BLEU(force=True)
    references = [[text] for text in data["wanted"]]
    found: dict[str, Any] = {}
    for name in ("first", "second"):
        columns = bleu_columns(data[name], references, Reading())
        found[name] = tally_units(
            {kind: np.resize(part, (segments, *part.shape[1:])) for kind, part in columns.items()}
        )
        rows = metric._extract_corpus_statistics(data[name], [data["wanted"]])  # noqa: SLF001
        found[f"{name} rows"] = np.resize(np.array(rows, dtype="float32"), (segments, len(rows[0])))
    return found


def drawn(data: Data) -> Any:
    from heldout.formulas.text_corpora import bleu
    from heldout.verbs.settings import settings
    from heldout.verbs.text.text_difference import text_difference

    return text_difference(bleu(), data["second"], data["first"], settings(n_resamples=DRAWS), "bootstrap")


def sacrebleu_drawn(data: Data) -> Any:
    """The resampling of sacrebleu's paired bootstrap, line by line as it stands there."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(force=True)
    first, second = data["first rows"], data["second rows"]
    chosen = np.random.default_rng(12345).choice(len(first), size=(DRAWS, len(first)), replace=True)
    values = [
        np.array([metric._compute_score_from_stats(part.sum(0)).score for part in rows[chosen]])  # noqa: SLF001
        for rows in (first, second)
    ]
    whole = [metric._compute_score_from_stats(rows.sum(0)).score for rows in (first, second)]  # noqa: SLF001
    return whole[1] - whole[0], values


def paired(data: Data) -> Any:
    systems = {"first": data["first"], "second": data["second"]}
    return heldout.text(data["wanted"], systems, metrics="bleu", test="bootstrap", n_resamples=DRAWS)["bleu"]


def sacrebleu_paired(data: Data) -> Any:
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    systems = [("first", data["first"]), ("second", data["second"])]
    metrics = {"BLEU": BLEU(force=True, references=[data["wanted"]])}
    _, found = PairedTest(systems, metrics, None, test_type="bs", n_samples=DRAWS)()
    first, second = found["BLEU"]
    return second.score - first.score, None


def counting(data: Data) -> Any:
    from heldout.language.sacre import Reading, systems_columns

    systems = {name: data[name] for name in ("first", "second")}
    return systems_columns(systems, [[text] for text in data["wanted"]], Reading())


def off(ours: Any, theirs: Any) -> float:
    return abs(ours.value - float(theirs[0]))


BLEU_DRAWN = Task(
    name="bleu_drawn",
    title="paired bootstrap of BLEU, 1,000 resamples, from counted segments",
    rows=3000,
    data=counted,
    ours=drawn,
    grows=False,
    peers=(
        Peer(name="sacrebleu, its resampling", call=sacrebleu_drawn, gap=off, bar=15, error="sums in single precision"),
    ),
)
BLEU_PAIRED = Task(
    name="bleu_paired",
    title="paired bootstrap of BLEU, 1,000 resamples, from texts",
    rows=3000,
    data=written,
    ours=paired,
    grows=False,
    limit=Limit(name="counting the n-grams of both systems", call=counting),
    peers=(Peer(name="sacrebleu PairedTest", call=sacrebleu_paired, gap=off, bar=1.6),),
    note="the whole may take 1.2 times as long as counting alone",
)
