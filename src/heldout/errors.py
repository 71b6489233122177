"""What heldout says when it cannot go on: one sentence with the values and the place, then the remedy.

HeldoutError          (a ValueError)
├── UsageError        the call cannot be understood: an unknown name, options that exclude each other
├── DataError         the data cannot be judged: a missing column, a nan, labels that do not fit
└── EngineError       an engine does not answer, or has lost its workers
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from typing import Any

CODES: dict[str, str] = {
    "H100": "The input cannot be read: the file, its encoding or its format is not what it claims to be.",
    "H101": "Ids do not match between files. Comparing different rows is not a paired test.",
    "H102": "The score column holds decisions (0 and 1), but ranking, calibration and log loss need scores.",
    "H103": "The positive class is ambiguous: the scores point the other way.",
    "H104": "The truth has one class only, so recall or specificity, and the area under the curve, are undefined.",
    "H105": "Ids occur more than once, and rows of one id are not independent: make the id the group.",
    "H106": "A column that is needed was not found, or was found twice.",
    "H107": "Labels are ambiguous: mixed types, a missing label, or spellings that differ only slightly.",
    "H108": "A number cannot be read as a number.",
    "H109": "Weights must be zero or more and must not all be zero.",
    "H110": "Counts must be whole, zero or more, and in a labelled square table.",
    "H111": "A choice was made for you and can be overridden: the positive class, the threshold, what a column means.",
    "H112": "Columns differ in length, or there is no row at all.",
    "H113": "A box or a mask is not what it should be: no size, outside its image, another shape, an unknown class.",
    "H114": "A column that looks like groups repeats, and no groups were given: rows of one group are not independent.",
    "H115": "A limit on inputs is exceeded: the file is damaged, made to exhaust memory, or not what it seems to be.",
    "H201": "Test rows are also in the training data: the test set is no longer held out.",
    "H202": "A group is on both sides of the split: rows of one group are not independent.",
    "H203": "Training rows are later in time than test rows.",
    "H204": "The calibration slope differs from 1: scores are overconfident (below 1) or underconfident (above 1).",
    "H205": "The test rows are not like the training or reference rows: columns, classes or scores differ.",
    "H206": "A single column predicts the target almost without error: is it known when the prediction is made?",
    "H207": "A column looks standardised over all rows: the scaler has seen the test rows.",
    "H301": "These look like fold scores, not predictions. A t-test over repeated folds is not valid.",
    "H302": "A threshold chosen on the rows it is judged on makes the result optimistic.",
    "H303": (
        "Several metrics and no primary one: p-values are corrected for their number. A metric without a "
        "better direction is not tested."
    ),
    "H304": "Too few discordant pairs: no test at this level can reject.",
    "H305": "Values are missing or infinite. They are never dropped silently.",
    "H306": "Probabilities lie outside [0, 1] or do not sum to one: these look like logits or percentages.",
    "H307": "A target of zero makes a percentage error undefined.",
    "H308": "A log loss is infinite because a row gave probability zero to the true class.",
    "H309": "The model is not significantly better than the dummy model.",
    "H310": "Too few rows or clusters for a reliable interval.",
    "H311": "The rows cannot be split as asked: too few rows, classes or groups, or parts that overlap or are empty.",
    "H312": "Parts of a split are small, lack a class, or leave one row out: values per part are unreliable.",
    "H313": "A learner raised an error in fit or predict.",
    "H314": "A learner gave invalid predictions: missing values, a wrong number of rows, or an unknown class.",
    "H315": "A model does better on the rows it was fitted to than on rows it has not seen: by so much the training "
    "error is optimistic. Strictly it overfits where another model is worse on these rows and better on new ones.",
    "H316": "A file of finished fits is damaged; its fits are computed again.",
    "H317": "An engine does not answer or has lost its workers. Partial results are never reported.",
    "H318": (
        "Rows may be autocorrelated: neighbouring losses are alike, or a column contains dates. Name the time column."
    ),
    "H319": "Curves, and tests whether subgroups differ, do not allow for dependence in time; intervals of metrics do.",
    "H320": "Counts per class do not tell which class was taken for which, or whether a row has several labels.",
    "H321": "A learner warned while it was fitted: what it predicts may be worse than it could be.",
}
"""What each code means; `heldout explain H305` prints it."""


def page_of(code: str) -> str:
    """The place in the documentation that describes a code.

    >>> page_of("H305")
    'docs/errors.md#h305'
    """
    return f"docs/errors.md#{code.lower()}"


PYTHON_NAMES = {
    "positive": "pos_label",
    "level": "confidence_level",
    "alpha": "confidence_level",
    "seed": "random_state",
    "metric": "metrics",
    "pred": "y_pred",
    "score": "y_score",
    "segment": "segments",
    "group": "groups",
    "weight": "sample_weight",
    "fold": "folds",
    "stratify": "strata",
    "min_fold": "min_fold_size",
}
"""Option → argument, where an option has another name in Python, which keeps to the names of its ecosystem."""
_ARGUMENT = r"[a-z_]+=(?:'[^']*'|[^\s(),;]|\([^()]*\))*"
_OPTION = r"--[a-z][a-z-]*(?: (?:'[^']*'|[^\s()-][^\s()]*))?"
_BOTH = re.compile(
    rf"(?P<option>{_OPTION}) \((?P<argument>[a-z_]+=(?:'[^']*'|[^()]|\([^()]*\))*)\)"
    rf"|(?P<argument_first>{_ARGUMENT}) \((?P<option_after>--[a-z][^()]*)\)"
)
"""An option followed by the argument of the same meaning in brackets, or the other way round."""


def with_options(text: str) -> str:
    """A message for the command line, which names options only.

    >>> with_options("drop rows with --on-nan drop (on_nan='drop')"), with_options("pass groups=… (--group COLUMN)")
    ('drop rows with --on-nan drop', 'pass --group COLUMN')
    """
    return _BOTH.sub(lambda both: both["option"] or both["option_after"], text)


def with_arguments(text: str) -> str:
    """A message for Python, which names arguments only.

    >>> with_arguments("drop rows with --on-nan drop (on_nan='drop')"), with_arguments("raise --memory (memory=)")
    ("drop rows with on_nan='drop'", 'raise memory=')
    """
    return _BOTH.sub(lambda both: both["argument"] or both["argument_first"], text)


FAULTS_OF_USER_CODE = (Exception, SystemExit)
"""What code of the user may raise. SystemExit would end the program with the exit code of its choice: 0, which means
PASS in a gate."""


class HeldoutError(ValueError):
    """A sentence about what is wrong and where, a code, and a fix.

    Message and fix may name an option of the command line with the Python argument in brackets, as in
    `--id COLUMN (id=)`. Python prints the arguments, the command line the options.
    """

    def __init__(self, message: str, *, fix: str, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.fix = fix

    def __reduce__(self) -> tuple[Any, ...]:
        """An error of a worker arrives whole, wherever it was raised."""
        return partial(type(self), code=self.code, fix=self.fix), (self.message,)

    def __str__(self) -> str:
        head = f"[{self.code}] {self.message}" if self.code else self.message
        return with_arguments(f"{head}\n  Fix: {self.fix}" if self.fix else head)


class UsageError(HeldoutError):
    """The call cannot be understood."""


class DataError(HeldoutError):
    """The data cannot be judged."""


class EngineError(HeldoutError):
    """An engine does not answer, or has lost its workers."""


def ended_worker() -> EngineError:
    """The error of work whose worker process is gone."""
    return EngineError(
        "a worker process ended before its work was done: memory ran out and the system killed it, or the code that it "
        "ran ended it, as os._exit and os.abort do",
        code="H317",
        fix="free memory or run fewer processes, --n-jobs 1 (n_jobs=1); take os._exit and os.abort out of your code",
    )


def refuse_idle(why: str, *, fix: str = "", **given: Any) -> None:
    """Raise if an argument is given (is not None) that has no effect here.

    >>> refuse_idle("with one model: there is no difference", margin=None, test=None)
    >>> refuse_idle("with one model: there is no difference", margin=0.1)
    Traceback (most recent call last):
    heldout.errors.UsageError: margin has no effect with one model: there is no difference
      Fix: leave out margin
    """
    for name, value in given.items():
        if value is not None:
            raise UsageError(f"{name} has no effect {why}", fix=fix or f"leave out {name}")


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.6) -> str:
    """A hint to add to a message about an unknown name, empty where nothing is at least so much alike (0 to 1).

    >>> did_you_mean("acuracy", ["accuracy", "recall"])
    "; did you mean 'accuracy'?"
    """
    close = get_close_matches(name, list(known), n=1, cutoff=alike)
    return f"; did you mean {close[0]!r}?" if close else ""
