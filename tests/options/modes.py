"""The modes of every verb: a command that works on the files of `files`, and values of options that suit it alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import click

from heldout.cli import verbs


@dataclass(frozen=True)
class Try:
    """A value of an option, the other options that it needs, and the files that it is tried on instead.

    `files` is a folder and which files are taken from there: `fewer:-new` those that have -new in their name.
    """

    value: str | None = None
    beside: str = ""
    files: str = ""


Values = dict[str, Any]
"""By option: a value, a `Try`, or several of which one must have an effect."""


@dataclass(frozen=True)
class Mode:
    """A way to use a verb."""

    verb: str
    name: str
    arguments: str
    values: Values = field(default_factory=dict, hash=False)
    same: dict[str, str] = field(default_factory=dict, hash=False)
    """Options that change nothing here, each with the reason."""
    slow: bool = False
    """Whether it takes too long for a test: then only the command that writes the table tries its options."""

    @property
    def command(self) -> click.Command:
        found: Any = verbs
        for word in self.verb.split():
            found = found.get_command(click.Context(found), word)
        return found

    @property
    def options(self) -> list[click.Option]:
        return [one for one in self.command.params if isinstance(one, click.Option)]

    def has(self, name: str) -> bool:
        return any(one.name == name for one in self.options)

    def __str__(self) -> str:
        return f"{self.verb}, {self.name}" if self.name else self.verb


GAPS = Try("drop", files="gaps")
LOGITS = (Try("logit"), Try("logit", "--score logits --primary log_loss"))
FEW = "--metrics accuracy,recall,roc_auc,log_loss,eer"
FEW_OF_CLASSES = "--metrics accuracy,f1_macro"
"""Fewer metrics than the default ones, which take longer and are those of other modes."""
ABC: Values = {
    "labels": (Try("c,b,a"), Try("a,b")), "positive": "b", "task": "binary", "metric": "balanced_accuracy",
    "cost": (Try("costs-abc.csv"), Try("costs-abc.csv", "--metrics cost")),
}  # fmt: skip
TAGS, SAID = "--truth is_a,is_b,is_c", "--pred said_a,said_b,said_c"
TAGGED: Values = {"truth": "gold_a,gold_b,gold_c", "pred": "guess_a,guess_b,guess_c", "task": "regression"}
STACKED: Values = {
    "on_nan": Try("drop", "--on-missing intersect", "gaps"), "id": (Try("key"), Try("who")), "baseline": "new",
    "on_missing": (Try("intersect"), Try("intersect", files="fewer")),
}  # fmt: skip
LOG: Values = {
    "on_nan": Try("drop", "--weight doc.mass", "gaps"), "group": "doc.subject", "segment": "doc.subject",
    "pred": "other", "id": (Try("doc.question"), Try("doc.subject")),
    "weight": "doc.mass", "metric": "error_rate", "anchor": "lm-third.jsonl",
    "noise_floor": "lm-third.jsonl lm-third.jsonl", "on_missing": Try("intersect", files="fewer:-new"),
}  # fmt: skip
INSPECT: Values = {**LOG, "log": None, "group": "metadata.subject", "segment": "metadata.subject",
                   "id": (Try("input"), Try("metadata.subject")), "weight": "metadata.mass",
                   "on_nan": Try("drop", "--weight metadata.mass", "gaps"), "pred": "other"}  # fmt: skip


def one_model(name: str, kind: str, more: str = "", /, **values: Any) -> Mode:
    """A mode of evaluate on a file of this kind."""
    return Mode("evaluate", name, f"{kind}-old.csv {more}".strip(), {"on_nan": GAPS, **values})


def decided(primary: str, *, given: bool = False) -> Values:
    """Values of options that need a metric that decides, where the command does not name it yet."""
    by = "" if given else f"--primary {primary}"
    return {
        "primary": None if given else primary,
        "margin": f"{primary}=0.2",
        "looks": (Try("3", by), Try("3", f"--look 1 {by}")),
        "look": (Try("2"), Try("2", f"--looks 3 {by}")),
        "spending": (Try("pocock"), Try("pocock", f"--looks 3 --look 1 {by}")),
        "sequential": Try(beside=by),
    }


def two_models(name: str, kind: str, more: str = "", primary: str = "accuracy", /, **values: Any) -> Mode:
    """A mode of compare on two files of this kind."""
    usual = {**decided(primary, given="--primary" in more), "on_nan": GAPS, "baseline": f"{kind}-new"}
    return Mode("compare", name, f"{kind}-old.csv {kind}-new.csv {more}".strip(), {**usual, **values})


def gate(name: str, kind: str, primary: str, margin: float, more: str = "", /, **values: Any) -> Mode:
    """A mode of gate on two files of this kind, with a margin that is inconclusive."""
    arguments = f"{kind}-old.csv {kind}-new.csv --primary {primary} --margin {margin} {more}".strip()
    floor = f"{kind}-third.csv {kind}-third.csv"
    usual = {**decided(primary, given=True), "on_nan": GAPS, "anchor": f"{kind}-anchor.csv", "noise_floor": floor}
    return Mode("gate", name, arguments, {**usual, "margin": "0.3", "labels": (Try("1,0"), Try("1,2")), **values})


EVALUATE = [
    one_model("binary labels", "labels"),
    one_model("binary scores", "scores"),
    one_model("binary labels and scores", "both"),
    one_model("multiclass labels", "words", FEW_OF_CLASSES, **ABC),
    one_model("multiclass probabilities", "shares", f"{FEW_OF_CLASSES},log_loss", **ABC),
    one_model("multilabel", "tags", f"{TAGS} {SAID}", metric="hamming_loss", **TAGGED),
    one_model("multilabel probabilities", "chances", TAGS, metric="hamming_loss", **TAGGED),
    one_model("regression", "numbers", metric="mae"),
    Mode("evaluate", "two counts", "--wrong 12 --of 40"),
    Mode("evaluate", "confusion matrix", "--confusion confusion.csv", {"cost": "costs-words.csv", "positive": "no"}),
    Mode("evaluate", "counts per class", "--class-counts classes-counts.csv", {"metric": "f1_macro"}),
    Mode("evaluate", "log of lm-eval", "lm-old.jsonl --from lm-eval", LOG),
    Mode("evaluate", "log of inspect", "inspect-old.json --from inspect", INSPECT),
    one_model("chunks of labels", "labels", "--memory 1K"),
    one_model("chunks of scores", "scores", f"{FEW} --memory 1K"),
    one_model("chunks of classes", "shares", f"{FEW_OF_CLASSES},log_loss --memory 1K", **ABC),
    one_model("chunks of numbers", "numbers", "--engine local", metric="mae"),
]
COMPARE = [
    two_models("binary labels", "labels"),
    two_models("binary scores", "scores", FEW, "roc_auc"),
    two_models("binary labels and scores", "both"),
    two_models("multiclass labels", "words", FEW_OF_CLASSES, prob_prefix=Try("q_", "--metrics log_loss"), **ABC),
    two_models("multiclass probabilities", "shares", f"{FEW_OF_CLASSES},log_loss", **ABC),
    two_models("multilabel", "tags", f"{TAGS} {SAID}", "hamming_loss", metric="hamming_loss", **TAGGED),
    two_models("regression", "numbers", "", "mae", metric="mae"),
    two_models("many models", "scores", f"scores-third.csv {FEW}", "roc_auc"),
    Mode("compare", "columns of one table", f"wide.csv --model old=score_old --model new=score_new {FEW}",
         {**decided("roc_auc"), **STACKED,
         "on_missing": (Try("intersect"), Try("intersect", "--on-nan drop", "gaps"))}),
    Mode("compare", "stacked rows", f"stacked.csv --model-column maker {FEW}", {**decided("roc_auc"), **STACKED}),
    two_models("independent samples", "scores", f"--unpaired {FEW}", "roc_auc"),
    two_models("in time", "numbers", "--time day", "mae", metric="mae",
        n_resamples=(Try("300"), Try("3000", "numbers-third.csv --primary mae"))),
    two_models("sequential", "both", f"--sequential --primary accuracy {FEW}"),
    two_models("planned looks", "labels", "--looks 3 --look 2 --primary accuracy --metrics accuracy,recall", looks="4",
               look="1", link=(Try("logit"), Try("logit", "--score logits --metrics accuracy,log_loss"))),
    two_models("chunks", "both", f"--memory 1K {FEW}"),
    Mode("compare", "logs", "lm-old.jsonl lm-new.jsonl --from lm-eval",
         {**decided("accuracy"), **LOG, "baseline": "lm-new"}),
    Mode("compare", "fold scores", "folds-old.txt folds-new.txt --fold-scores --n-train 90 --n-test 10",
         {"test": "kfold_t", "baseline": "folds-new", "n_train": "80", "n_test": "20"}),
    Mode("compare", "across data sets", "sets.csv --across-sets", {"baseline": "tree", "id": "svm"}),
]  # fmt: skip
GATE = [
    gate("binary labels", "labels", "recall", 0.1, link=LOGITS),
    gate("binary scores", "scores", "roc_auc", 0.1, pred=Try("guess", "--primary recall")),
    gate("multiclass", "words", "f1_macro", 0.01, prob_prefix=Try("q_", "--primary log_loss"), **ABC),
    gate("regression", "numbers", "mae", 0.01),
    Mode("gate", "stacked rows", "stacked.csv --model-column maker --baseline old --primary recall --margin 0.1",
         {**decided("recall", given=True), **STACKED, "margin": "0.3", "labels": (Try("1,0"), Try("1,2")),
         "anchor": "scores-anchor.csv",
          "noise_floor": "scores-third.csv scores-third.csv"}),
    gate("chunks", "labels", "recall", 0.1, "--memory 1K", link=LOGITS),
    Mode("gate", "logs", "lm-old.jsonl lm-new.jsonl --from lm-eval --primary accuracy --margin 0.1",
         {**decided("accuracy", given=True), **LOG, "margin": "0.3", "define": "metrics.py"}),
]  # fmt: skip
NB, KNN = "sklearn.naive_bayes:GaussianNB", "sklearn.neighbors:KNeighborsClassifier"
RIDGE, LASSO = "sklearn.linear_model:Ridge", "sklearn.linear_model:Lasso"
LEARN, AMOUNTS = "--data classes.csv --target sick", "--data amounts.csv --target sick"
VALIDATE = [
    Mode("validate", "one learner", f"{NB} {LEARN} --cv 3"),
    Mode("validate", "two learners", f"{NB} {KNN} {LEARN} --cv 3"),
    Mode(
        "validate",
        "three learners",
        f"{NB} {KNN} {NB}(var_smoothing=0.5) {LEARN} --cv 3".replace("(", "\\(").replace(")", "\\)"),
    ),
    Mode("validate", "regression", f"{RIDGE} {LASSO} {AMOUNTS} --cv 3", {"metric": "mae", "primary": "mae"}),
    Mode("validate", "random splits", f"{NB} {KNN} {LEARN}", {"cv": "5", "test": "naive_t"}, slow=True),
    Mode("validate", "folds of a column", f"{NB} {KNN} {LEARN} --fold part", {"drop": "site"}),
    Mode("validate", "holdout", f"{NB} {KNN} {LEARN} --cv holdout", {"test": "permutation"}),
    Mode("validate", "bootstrap", f"{NB} {LEARN} --cv .632+", slow=True),
    Mode("validate", "in time", f"{NB} {KNN} {LEARN} --time day --cv time", {"cv": "holdout"}),
    Mode("validate", "groups", f"{NB} {KNN} {LEARN} --group who --cv 3"),
    Mode("validate", "learning curve", f"{NB} {LEARN} --learning-curve", slow=True),
    Mode("validate", "choice of folds", f"{NB} {LEARN} --choose-folds", slow=True),
]
SELECT = [
    Mode("select", "nested", f"candidates.toml {LEARN} --cv 2 --inner-cv 2", {"protocol": "bbc"}),
    Mode("select", "bbc", f"candidates.toml {LEARN} --protocol bbc --inner-cv 2"),
    Mode("select", "single", f"candidates.toml {LEARN} --protocol single"),
    Mode(
        "select", "random", f"candidates.toml {LEARN} --protocol single --search random --n-trials 2", {"n_trials": "1"}
    ),
    Mode("select", "guided", f"candidates.toml {LEARN} --protocol single --search guided --n-trials 3"),
]
SPLIT = [
    Mode("split", "parts", "classes.csv --into made"),
    Mode("split", "folds", "classes.csv --folds 3 --into made"),
    Mode("split", "a column of parts", "classes.csv --column piece --into made"),
    Mode("split", "in time", "classes.csv --time day --into made"),
]
BOXES: Values = {"labels": "cat,dog,cow", "primary": "AP50", "margin": "AP=0.1"}
MANY_BOXES: Values = {**BOXES, "baseline": "boxes-new"}
DETECT = [
    Mode("detect", "boxes in tables", "boxes.csv boxes-new.csv", {**BOXES, "baseline": "boxes-new"}),
    Mode("detect", "COCO", "coco.json coco-new.json", {**BOXES, "baseline": "coco-new"}),
    Mode("detect", "masks", "coco.json coco-new.json --iou-type masks", {**BOXES, "baseline": "coco-new"}),
    Mode("detect", "several models", "boxes.csv boxes-old.csv boxes-new.csv", MANY_BOXES),
    Mode(
        "detect",
        "VOC",
        "boxes.csv boxes-old.csv boxes-new.csv --rule voc",
        {**MANY_BOXES, "margin": "AP50=0.1", "primary": "AP"},
    ),
    Mode("detect", "ranked", "--ranked ranked.csv --truths 10", {"primary": "AP"}),
]
MASKS = [
    Mode("masks", "one model", "masks masks-new", {"baseline": "masks-new"}),
    Mode("masks", "two models", "masks masks-old masks-new", {"baseline": "masks-new"}),
]
TEXT = [
    Mode("text", "one system", "references.txt system-new.txt", {"baseline": "system-new"}),
    Mode("text", "two systems", "references.txt system-old.txt system-new.txt", {"baseline": "system-new"}),
    Mode(
        "text",
        "BERTScore",
        "references.txt system-new.txt --metrics bertscore --embedder encoder",
        {"baseline": "system-new"},
    ),
]
PILOT, PILOTS = "--pilot both-old.csv", "--pilot both-old.csv --pilot both-new.csv"
PLAN = [
    Mode("plan interval", "a share", "accuracy 0.85 --half-width 0.05"),
    Mode("plan interval", "sensitivity", "sensitivity 0.85 --half-width 0.05 --prevalence 0.2"),
    Mode("plan interval", "an area", "roc_auc 0.85 --half-width 0.05 --prevalence 0.2"),
    Mode("plan interval", "a mean", "mae 1 --half-width 0.1 --sd 2", {"sd": "3"}),
    Mode("plan interval", "a pilot", f"average_precision --half-width 0.1 {PILOT}"),
    Mode("plan interval", "a pilot of labels", f"f1 --half-width 0.1 {PILOT}"),
    Mode("plan bound", "from below", "accuracy 0.9 --lower-bound 0.8", {"lower_bound": "0.85"}),
    Mode("plan bound", "from above", "error_rate 0.1 --upper-bound 0.2"),
    Mode("plan bound", "sensitivity", "sensitivity 0.9 --lower-bound 0.8 --prevalence 0.2"),
    Mode("plan difference", "shares", "accuracy 0.85 --gain 0.05 --disagree 0.1"),
    Mode("plan difference", "areas", "roc_auc 0.85 --gain 0.05 --prevalence 0.2 --correlation 0.5"),
    Mode("plan difference", "means", "mae 1 --gain 0.1 --sd 2 --correlation 0.5", {"sd": "3"}),
    Mode("plan difference", "a pilot", f"average_precision --gain 0.05 {PILOTS}"),
    Mode("plan difference", "a pilot of labels", f"precision --gain 0.05 {PILOTS}"),
    Mode("plan power", "shares", "accuracy 0.85 --gain 0.05 --disagree 0.1 --rows 200"),
    Mode("plan power", "areas", "roc_auc 0.85 --gain 0.05 --prevalence 0.2 --correlation 0.5 --rows 200"),
    Mode("plan power", "one area", "roc_auc 0.65 --prevalence 0.2 --rows 100"),
    Mode("plan power", "a pilot", f"average_precision --gain 0.05 {PILOTS} --rows 200"),
    Mode("plan power", "a pilot of labels", f"precision --gain 0.05 {PILOTS} --rows 200"),
    Mode("plan looks", "equal steps", "5 --rows 1000", {"rows": "500"}),
    Mode("plan looks", "shares", "0.25,0.5,1", {"rows": "500"}),
]
TEST = [
    Mode("test binomial", "", "15 --of 20", {"alpha": "0.1"}),
    Mode("test chi-square", "", "30 70", {"alpha": "0.1"}),
    Mode("test likelihood-ratio", "", "0.3 1.2 2.2 --sigma0 1 --sigma1 2"),
    Mode("test proportions", "", "45 100 60 100"),
]
ENUMERATED = dict.fromkeys(("repeats", "into"), "small problems are enumerated instead, which is exact")
WEATHER: Values = {
    "p": Try("mass", files="counts"), "target": Try("kind", files="other"), "wide": Try(files="wide"),
    "classifier": "model",
}  # fmt: skip
RATES = "--repeats 20 --n-resamples 100"
LAB = [
    Mode("lab coverage", "closed form", "wilson --world coin:p=0.1 --n 20", {"world": "coin:p=0.2"},
         same=ENUMERATED),
    Mode("lab coverage", "sampled", f"percentile --world labels --n 30 --metrics f1 {RATES}",
         {"world": "labels:recall=0.5", "metric": "recall"}),
    Mode("lab size", "closed form", "mcnemar --world pair-coin:p=0.8 --n 30", {"world": "pair-coin:p=0.6"},
         same=ENUMERATED),
    Mode("lab size", "sampled", f"permutation --world pair-coin --n 30 {RATES}", {"world": "pair-coin:p=0.6"}),
    Mode("lab power", "sampled", f"permutation --world pair-coin:p=0.8,gain=0.1 --n 30 {RATES}",
         {"world": "pair-coin:p=0.6,gain=0.1"}),
    Mode("lab cards", "written", "--into blocks.jsonl --world binormal:auc=0.7,prevalence=0.5 --upto 20 --defaults "
         "--repeats 20 --drawn 20", {"world": "coin:p=0.9", "upto": "10", "drawn": "40"}, slow=True),
    Mode("lab cards", "dry run", "--dry-run --world numbers:own=1,noise=normal --upto 20 --defaults",
         {"world": "coin:p=0.9", "upto": "10", "repeats": "400000", "drawn": "5000000"}, slow=True),
    Mode("lab split-coverage", "least squares", "corrected_t --n 40 --repeats 4", {"world": "noise:features=5"}),
    Mode("lab split-coverage", "learners", "corrected_t --learner linear --world gaussian --n 40 --repeats 4",
         slow=True),
    Mode("lab split-size", "", "kfold_paired_t --learner linear --n 40 --repeats 4", {"world": "twins:distance=1"}),
    Mode("lab split-power", "", "kfold_paired_t --n 40 --repeats 4", {"world": "twins:gain=0.9"}),
    Mode("lab compare", "", "linear knn:k=1 --n 40 --repeats 4 --test kfold_paired_t"),
    Mode("lab split-cards", "", "--into blocks.jsonl --repeats 2 --trees 3", slow=True),
    Mode("lab corpus-rates", "", f"--world segments:quality=0.8 --n 20 {RATES}", {"world": "segments:quality=0.5"}),
    Mode("lab corpus-cards", "", "--into blocks.jsonl --repeats 2 --only segments", {"only": "pixels"}, slow=True),
    Mode("lab held-out", "", "--halves 1", slow=True),
    Mode("lab outside", "", "--only thresholds --repeats 4", slow=True),
    Mode("lab world", "all", ""),
    Mode("lab world", "one", "binormal:auc=0.9"),
    Mode("lab selection-bias", "", "--repeats 20 --n-resamples 50"),
    Mode("lab threshold-bias", "", "--repeats 20"),
    Mode("lab failures", "", "--repeats 2", slow=True),
    Mode("lab bias-variance", "a simulation", "--learner poly:degree=2 --world sine --repeats 20",
         {"world": "step", "learner": "poly:degree=1"}),
    Mode("lab bias-variance", "Gaussian classes", "--learner linear --world gaussian --repeats 20"),
    Mode("lab bias-variance", "rows of a file", "--learner knn --data classes.csv --target sick --repeats 20",
         {"learner": "tree", "sweep": "k=1,3", "loss": Try("squared", "--target site")}),
    Mode("lab bias-variance", "a sweep", "--learner poly --world sine --repeats 20 --sweep degree=0,1",
         {"world": "step"}),
    Mode("lab estimation-bias", "", "--repeats 20"),
    Mode("lab estimation-bias", "a sweep", "--repeats 20 --sweep n=20,30"),
    Mode("lab ceiling", "", "--data classes.csv --target sick"),
    Mode("lab true-error", "a table", "weather.csv --classifier model",
         {**WEATHER, "attribute": "sky,wind", "classifier": "easy"}),
    Mode("lab true-error", "Gaussian classes", "--world gaussian --learner linear --linear 1,0,-1"),
    Mode("lab overfitting", "", "weather.csv --repeats 50", {**WEATHER, "positive": "play"}),
    Mode("lab table", "", "weather.csv", WEATHER),
    Mode("lab version-space", "", "bike.csv --target ride --attribute sky,wind,road --space conjunctions",
         {"positive": "no", "attribute": "sky,wind", "space": "all"}),
]  # fmt: skip
REST = [
    Mode("demo", "", "--output clinic"),
    Mode("runs list", "", ""),
    Mode("runs show", "", "first"),
    Mode("runs compare", "", "first second"),
    Mode("runs export", "", ""),
    Mode("runs delete", "", "first"),
    Mode("explain", "", "wilson"),
    Mode("completion", "", "bash"),
]
MODES = [
    *EVALUATE, *COMPARE, *GATE, *VALIDATE, *SELECT, *SPLIT, *DETECT, *MASKS, *TEXT, *PLAN, *TEST, *LAB, *REST,
]  # fmt: skip
