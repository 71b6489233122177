"""A synthetic clinic whose truth is known by formula, so that what an interval claims can be checked.

Two models see the same visits: the champion, and a challenger that tells positives and negatives further apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from shutil import rmtree
from statistics import NormalDist
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.batch import Array
from heldout.errors import UsageError
from heldout.file_writing import write_file
from heldout.inputs.formats.files import is_file
from heldout.verbs.parameters import with_hints

if TYPE_CHECKING:
    from heldout.verbs.compare.compare import Comparison
    from heldout.verbs.evaluate.evaluation import Evaluation

Model = Literal["challenger", "champion"]
PREVALENCE = 0.149
SEPARATIONS: dict[Model, float] = {"challenger": 1.3, "champion": 1.15}
"""How far the positives' latent score lies above the negatives', in standard deviations."""
RELATED = 0.9
"""Correlation of the two models' latent scores within a class."""
STRETCH = 1.25
"""The model's log odds are this many times the true ones: its calibration slope is 1 / 1.25 = 0.8."""
ALIKE = 0.3
"""Correlation of the latent variables of two visits of one patient."""
THRESHOLD = 0.2
ROWS = 2000
SEED = 11
SITES = ("east", "north", "south", "west")
SITE_SHARES = (0.1, 0.4, 0.3, 0.2)
COMPARED = ("roc_auc", "accuracy", "recall", "specificity")
"""The metrics in which the models are compared: those whose true difference follows from the formulas."""

NORMAL = NormalDist()


def clinic(rows: int = ROWS, seed: int = SEED, *, model: Model = "challenger") -> dict[str, Array]:
    """Visits of patients to a clinic: id, patient_id, site, y_true, y_prob.

    A visit is positive with chance 0.149. Its latent score is N(s, 1) if positive and N(0, 1) if not, s = 1.3 for the
    challenger and 1.15 for the champion; y_prob is a logistic function of it. Visits of one patient are alike
    (correlation 0.3), so patients are the units, but each visit by itself follows these distributions exactly:
    `clinic_truth` is exact.

    >>> visits = clinic(rows=5)
    >>> list(visits), visits["id"][:2].tolist()
    (['id', 'patient_id', 'site', 'y_true', 'y_prob'], ['v0001', 'v0002'])
    """
    rng = np.random.default_rng(seed)
    visits = np.arange(rows) % 6
    patient = 3 * (np.arange(rows) // 6) + np.array([0, 1, 1, 2, 2, 2])[visits]  # one, two, then three visits
    patients = int(patient[-1]) + 1 if rows else 0
    shared = rng.standard_normal((2, patients))[:, patient]
    own = rng.standard_normal((2, rows))
    illness, noise = sqrt(ALIKE) * shared + sqrt(1 - ALIKE) * own
    truth = illness > NORMAL.inv_cdf(1 - PREVALENCE)
    site = np.array(SITES)[np.searchsorted(np.cumsum(SITE_SHARES)[:-1], rng.random(patients))][patient]
    if model == "champion":  # drawn last, so that the challenger's file is what it was
        shared, own = rng.standard_normal(patients)[patient], rng.standard_normal(rows)
        noise = RELATED * noise + sqrt(1 - RELATED**2) * (sqrt(ALIKE) * shared + sqrt(1 - ALIKE) * own)
    apart = SEPARATIONS[model]
    log_odds = log(PREVALENCE / (1 - PREVALENCE)) + apart * (noise + apart * truth) - apart**2 / 2
    return {
        "id": np.char.mod("v%04d", np.arange(1, rows + 1)),
        "patient_id": np.char.mod("p%04d", patient + 1),
        "site": site,
        "y_true": truth.astype(np.int64),
        "y_prob": np.round(1 / (1 + np.exp(-STRETCH * log_odds)), 6),
    }


def clinic_truth(threshold: float = THRESHOLD, *, model: Model = "challenger") -> dict[str, float]:
    """What the metrics of a model of the clinic really are; for the area under the curve, Phi(separation / sqrt 2).

    >>> round(clinic_truth()["roc_auc"], 4), round(clinic_truth(model="champion")["roc_auc"], 4)
    (0.821, 0.7919)
    """
    apart = SEPARATIONS[model]
    shift = log(PREVALENCE / (1 - PREVALENCE)) - apart**2 / 2
    edge = (log(threshold / (1 - threshold)) / STRETCH - shift) / apart
    recall, specificity = 1 - NORMAL.cdf(edge - apart), NORMAL.cdf(edge)
    return {
        "roc_auc": NORMAL.cdf(apart / sqrt(2)),
        "calibration_slope": 1 / STRETCH,
        "accuracy": PREVALENCE * recall + (1 - PREVALENCE) * specificity,
        "recall": recall,
        "specificity": specificity,
    }


def true_differences(threshold: float = THRESHOLD) -> dict[str, float]:
    """What the challenger really has more than the champion, of each metric that is compared.

    >>> round(true_differences()["roc_auc"], 4)
    0.0291
    """
    more, less = clinic_truth(threshold), clinic_truth(threshold, model="champion")
    return {name: more[name] - less[name] for name in COMPARED}


def clinic_csv(rows: int = ROWS, seed: int = SEED, *, model: Model = "challenger") -> str:
    """The clinic's visits as CSV."""
    visits = clinic(rows, seed, model=model)
    texts = [np.char.mod("%.6f", c) if c.dtype.kind == "f" else c.astype(str) for c in visits.values()]
    lines = texts[0]
    for column in texts[1:]:
        lines = np.char.add(np.char.add(lines, ","), column)
    return "\n".join([",".join(visits), *lines.tolist()]) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How many of several intervals contain the truth of a metric."""

    metric: str
    truth: float
    held: int
    files: int

    def __str__(self) -> str:
        from heldout.intervals.shares import wilson

        low, high = wilson(self.held, self.files, 0.95)
        return f"{self.metric:<18}{self.held}/{self.files} = {self.held / self.files:.3f} [{low:.3f}, {high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demonstration:
    """An evaluation in the clinic and a comparison, beside the truth."""

    path: Path
    """The challenger's file; the champion's lies beside it."""
    evaluation: Evaluation
    comparison: Comparison
    truth: dict[str, float]
    differences: dict[str, float]
    """True differences, challenger less champion."""

    @property
    def held(self) -> dict[str, bool]:
        """For each metric whose truth is known, whether the interval contains it."""
        found = self.evaluation.to_dict()["estimates"]
        return {name: holds(found[name], truth) for name, truth in self.truth.items() if name in found}

    @property
    def champion(self) -> Path:
        """The champion's file."""
        return self.path.with_name("champion.csv")

    def lines(self) -> tuple[str, str]:
        """What the truth is, of the evaluation and of the comparison."""
        found = self.comparison.to_dict()["differences"]
        return (
            truth_line(self.evaluation.to_dict()["estimates"], self.truth),
            truth_line({one["metric"]: one for one in found}, self.differences, signed=True),
        )

    def __repr__(self) -> str:
        files = f"simulated rows in {self.champion} and {self.path.name}"
        truths = "\n".join(self.lines())
        return f"{files}\n{truths}\n[Demonstration: print() shows all; .evaluation, .comparison, .truth, .held]"

    def __str__(self) -> str:
        first, second = self.lines()
        return f"{self.evaluation}\n{first}\n\n{self.comparison}\n{second}"


def holds(e: Any, truth: float) -> bool:
    """Whether an estimate's interval contains a number; an open end contains everything on its side."""
    return (e["low"] is None or e["low"] <= truth) and (e["high"] is None or truth <= e["high"])


def truth_line(estimates: Any, truth: dict[str, float], *, signed: bool = False) -> str:
    """What the truth is, and which of the intervals contain it; differences are `signed`."""
    known = [name for name in truth if name in estimates]
    values = ", ".join(f"{name} {truth[name]:{'+' if signed else ''}.4f}" for name in known)
    missed = [name for name in known if not holds(estimates[name], truth[name])]
    what, it = ("true differences are", "them") if signed else ("truth is", "it")
    verdict = f"All {len(known)} intervals contain {it}." if len(known) > 1 else f"The interval contains {it}."
    if missed:
        verdict = f"{len(known) - len(missed)} of {len(known)} intervals contain {it}; not that of {', '.join(missed)}."
    whole = f"The data are simulated, so the {what} known: {values}. {verdict}"
    return fill(whole, 80, initial_indent="TRUTH  ", subsequent_indent="       ", break_on_hyphens=False)


@with_hints
def demo(folder: str | Path | None = None, *, rows: int = ROWS, random_state: int = SEED) -> Demonstration:
    """Simulate the predictions of two models, evaluate one and compare both, beside the truth.

    Parameters
    ----------
    folder : str or Path, optional
        Where champion.csv and challenger.csv are written (default: a new temporary folder). Files of these names with
        other contents are never written over.
    rows : int, default 2000
        Number of visits to the simulated clinic.
    random_state : int, default 11
        Seed of the simulation; another seed gives another data set.

    Returns
    -------
    Demonstration
        The evaluation of the challenger, the comparison with the champion, and the true values of both.

    Examples
    --------
    >>> import heldout
    >>> shown = heldout.demo(rows=300)
    >>> round(shown.truth["roc_auc"], 3), shown.path.name
    (0.821, 'challenger.csv')
    """
    import tempfile

    place = Path(tempfile.mkdtemp(prefix="heldout-demo-")) if folder is None else Path(folder)
    with removed_if_interrupted(place if folder is None else None):
        return _demonstration(place, rows, random_state)


@contextmanager
def removed_if_interrupted(new: Path | None) -> Iterator[None]:
    """Removes a new temporary folder where the work on it is interrupted; None: there is none."""
    try:
        yield
    except KeyboardInterrupt:
        if new is not None:
            rmtree(new, ignore_errors=True)
        raise


def _demonstration(place: Path, rows: int, random_state: int) -> Demonstration:
    """The files of both models in a folder, and what is measured on them."""
    from heldout.verbs.compare.compare import compare
    from heldout.verbs.evaluate.evaluate import evaluate

    contents = demo_files(place, rows=rows, random_state=random_state)
    refuse_other_files(contents)
    for path, content in contents.items():
        try:
            place.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
        except OSError as problem:
            raise UsageError(f"{path} cannot be written: {problem.strerror}", fix="choose another folder") from None
    reading: dict[str, Any] = {"groups": "patient_id", "threshold": THRESHOLD}
    models = {path.stem: str(path) for path in contents}
    return Demonstration(
        path=place / "challenger.csv",
        evaluation=evaluate(models["challenger"], **reading),
        comparison=compare(models, primary="roc_auc", metrics=COMPARED, **reading),
        truth=clinic_truth(),
        differences=true_differences(),
    )


def demo_files(folder: Path, *, rows: int = ROWS, random_state: int = SEED) -> dict[Path, bytes]:
    """The files of both models in a folder, and what is written to them."""
    return {
        folder / f"{model}.csv": clinic_csv(rows, random_state, model=model).encode() for model in reversed(SEPARATIONS)
    }


def refuse_other_files(contents: Mapping[Path, bytes], report: Path | None = None) -> None:
    """Raise if a file exists and is not what the same simulation has written.

    A report has the time in it; it is that of an earlier run if the files of both models are beside it.
    """
    same = {path: is_file(path) and path.read_bytes() == content for path, content in contents.items()}
    others = [path for path, own in same.items() if path.exists() and not own]
    if report is not None and report.exists() and not all(same.values()):
        others.append(report)
    if others:
        fix = "remove it, or choose another folder"
        raise UsageError(f"{others[0]} exists already and is not written over", fix=fix)


def repeated(seeds: Iterable[int], *, rows: int = ROWS) -> list[Held]:
    """How often the intervals contain the truth, over one simulated data set per seed."""
    from heldout.verbs.evaluate.evaluate import evaluate

    truth = clinic_truth()
    held = dict.fromkeys(truth, 0)
    files = 0
    for seed in seeds:
        visits = clinic(rows, seed)
        result = evaluate(
            visits["y_true"],
            y_score=visits["y_prob"],
            groups=visits["patient_id"],
            threshold=THRESHOLD,
            metrics=list(truth),
        ).to_dict()["estimates"]
        for name, value in truth.items():
            held[name] += holds(result[name], value)
        files += 1
    return [Held(metric=name, truth=truth[name], held=count, files=files) for name, count in held.items()]
