"""What can be drawn of a result: `result.plot.roc()`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from heldout.charts.figure import Figure
from heldout.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from heldout.charts.chart import Chart

VIEWS = {
    "metrics": "every metric with its interval",
    "differences": "differences with interval, margin and verdict",
    "by_iou": "average precision by IoU threshold",
    "sizes": "average precision and recall by size of the object",
    "confusion": "confusion matrix: true and predicted classes",
    "classes": "a metric class by class",
    "roc": "recall against false positive rate, with bands",
    "roc_steps": "the ROC curve built step by step, with cumulative true and false positives",
    "precision_recall": "precision against recall, with bands",
    "gain": "gain: share of the positives among the highest scores",
    "lift": "lift: how much more frequent positives are among the highest scores",
    "cost": "cost curve: lowest expected cost over operating conditions",
    "calibration": "calibration curve: observed share against predicted probability",
    "segments": "a metric by subgroup",
    "segment_values": "a metric, or a difference, segment by segment",
    "scores": "distribution of the scores in each class",
    "predicted": "truth against prediction",
    "residuals": "errors against prediction",
    "quantiles": "normal Q-Q plot of errors",
    "shift": "how far columns moved from the training or reference rows, with a classifier's AUC",
    "part_sizes": "share of the rows in each part or fold",
    "part_shares": "shares of the values of a column in each part or fold",
    "ranks": "average ranks over data sets, with groups that do not differ significantly",
    "more_data": "confidence interval with more rows",
    "learning_curve": "learning curve: values by number of training rows",
    "fold_values": "values on each split",
    "holdout": "training, holdout and cross-validation value side by side, with intervals",
    "fold_choice": "estimate by number of folds",
    "fold_bias": "bias and spread of cross-validation by the number of folds",
    "bias_variance": "bias-variance decomposition of the expected loss",
    "parts": "noise, bias² and variance against the rows or the complexity of a learner",
    "predictions": "what a learner predicts on average at each x, beside the truth",
    "errors": "training, holdout and true error against the rows or the complexity of a learner",
    "rates": "simulated rates with their Monte-Carlo errors, beside the nominal rate",
    "estimates": "estimates with their errors, beside the truth",
    "verdicts": "how often each test gives each verdict",
    "critical_region": "the null distribution with the critical region, alpha and beta",
    "power": "power against the true effect or the number of rows",
    "joint": "joint probabilities, shaded, with their sums",
    "class_given_x": "probability of each class at each point, shaded",
    "x_given_class": "probability of each point in each class, shaded",
    "bayes_regions": "regions of the Bayes classifier, or densities of the classes",
    "instance_space": "points that a version space decides, rows seen, and its most specific and general members",
    "remaining": "hypotheses that are left after each row",
    "overfitting": "sample error against true error of all hypotheses",
}
"""What each chart shows, in the order of a page: decision, evidence, diagnosis."""
Views = Mapping[str, Callable[..., Figure]]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """The charts of a result by name; `plot()` lists them, `plot.roc()` draws one.

    >>> from heldout import evaluate
    >>> evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot()["confusion"]
    'confusion matrix: true and predicted classes'
    """

    views: Views
    """By name: a function that gives the figure."""
    absent: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By name: why the data cannot give a chart, and what would."""

    def __call__(self) -> dict[str, str]:
        """What can be drawn, and what it shows."""
        return {name: VIEWS.get(name.partition(":")[0], "") for name in self.views}

    def figures(self) -> dict[str, Figure]:
        """Every figure that the data can give, in the order of a page; one with several pairs of axes is divided."""
        found = {name: figure for name in self._ordered() if (figure := self._given(name)) is not None}
        return {
            f"{name}:{scale}" if scale else name: part
            for name, figure in found.items()
            for scale, part in figure.panels().items()
        }

    def _ordered(self) -> list[str]:
        order = list(VIEWS)
        return sorted(self.views, key=lambda name: order.index(name.partition(":")[0]))

    def _given(self, name: str) -> Figure | None:
        """The figure, or None where only the numbers show that there is none: no segment is large enough."""
        try:
            return self.views[name]()
        except UsageError:
            return None

    def figure(
        self,
        name: str,
        *,
        metric: str | None = None,
        metrics: Sequence[str] | None = None,
        column: str | None = None,
        model: str | None = None,
        labels: Sequence[str] | None = None,
        target: str | None = None,
        bins: int | None = None,
        most: int | None = None,
        iou: float | None = None,
        by: Literal["class", "iou", "model"] | None = None,
    ) -> Figure:
        """The numbers of one chart.

        Parameters
        ----------
        name : str
            Name of the chart; `plot()` lists those of the result.
        metric : str, optional
            The metric of "segments", "classes", "more_data", "fold_values" or "learning_curve" (default: the first).
        metrics : sequence of str, optional
            The metrics of "metrics" or "differences" (default: all that are printed).
        column : str, optional
            The column of "segments" (default: the first).
        model : str, optional
            The model, where the chart shows one of several (default: the first).
        labels : sequence of str, optional
            The classes of "precision_recall" of a detection (default: the most frequent ones).
        target : str, optional
            The target of "predicted", "residuals" or "quantiles" (default: the first).
        bins : int, optional
            Number of bins of "calibration" (default: 10) or "scores" (default: 40).
        most : int, optional
            Number of configurations in "fold_values" of a selection (default: 8).
        iou : float, optional
            The IoU threshold of "precision_recall" of a detection (default: 0.5).
        by : {"class", "iou", "model"}, optional
            What the curves of "precision_recall" of a detection differ in (default: the model, or the class).

        Returns
        -------
        Figure
            The numbers, with title, caption and a description in words.

        Raises
        ------
        UsageError
            If the result cannot give the chart, or the chart does not take an option.

        Examples
        --------
        >>> from heldout import evaluate
        >>> evaluate([0, 1, 1, 0], [0, 1, 0, 0]).plot.figure("confusion").counts.tolist()
        [[2.0, 0.0], [1.0, 1.0]]
        """
        if name in self.absent:
            why, fix = self.absent[name]
            raise UsageError(why, fix=fix)
        given = {
            "metric": metric, "metrics": metrics, "column": column, "model": model, "labels": labels,
            "target": target, "bins": bins, "most": most, "iou": iou, "by": by,
        }  # fmt: skip
        options = {option: value for option, value in given.items() if value is not None}
        known = signature(self.views[name]).parameters
        for option in options:
            if option not in known:
                raise UsageError(f"the {name} chart takes no {option}", fix=f"leave {option} out")
        return self.views[name](**options)

    def chart(self, name: str, *, dark: bool = False) -> Chart:
        """One chart by name: `plot.chart("roc")` is `plot.roc()`, for names that are not known beforehand.

        Parameters
        ----------
        name : str
            Name of the chart; `plot()` lists those of the result.
        dark : bool, default False
            Whether colours suit a dark background.

        Returns
        -------
        Chart
            A chart that shows itself in a notebook and can be saved.

        Raises
        ------
        UsageError
            If the result cannot give the chart.
        """
        from heldout.charts.chart import Chart

        return Chart(figure=self.figure(name), dark=dark)

    def save(self, folder: str | Path, *, form: Literal["svg", "png", "pdf", "html"] = "svg") -> tuple[Path, ...]:
        """Write every chart of the result into a folder, each in a file with its name.

        Parameters
        ----------
        folder : str or Path
            Where to write them; made if it does not exist.
        form : {"svg", "png", "pdf", "html"}, default "svg"
            The kind of file.

        Returns
        -------
        tuple of Path
            What was written, in the order of a page.
        """
        Path(folder).mkdir(exist_ok=True)
        drawn = {name: figure for name in self._ordered() if (figure := self._given(name)) is not None}
        from heldout.charts.chart import Chart

        files = {_chart_path(folder, name, form): figure for name, figure in drawn.items()}
        return tuple(Chart(figure=figure).save(path) for path, figure in files.items())

    def _drawn(self, name: str, *, ax: Any = None, dark: bool = False, **options: Any) -> Chart | Any:
        figure = self.figure(name, **options)
        if ax is not None:
            from heldout.charts.matplotlib_axes import draw

            return draw(figure, ax)
        from heldout.charts.chart import Chart

        return Chart(figure=figure, dark=dark)

    def __repr__(self) -> str:
        names = "\n".join(f"  {name}: {shows}" for name, shows in self().items())
        listed = f"charts of this result:\n{names}\n" if names else "no charts\n"
        first = next((name for name in self.views if name.isidentifier()), "NAME")
        return f"{listed}[Plot: .{first}() draws one, .figure({first!r}) has its numbers]"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or name in ("views", "absent"):
            raise AttributeError(name)
        if name not in self.views and name not in self.absent:
            raise AttributeError(f"no chart is named {name!r}{did_you_mean(name, self.views)}; plot() lists them")
        return Drawer(plot=self, name=name)

    def __dir__(self) -> list[str]:
        return sorted({"chart", "figure", "figures", "save", *(name for name in self.views if name.isidentifier())})


@dataclass(frozen=True, kw_only=True)
class Drawer:
    """One chart of a result, drawn when it is called: `result.plot.roc()`."""

    plot: Plot
    name: str

    def __call__(self, *, ax: Any = None, dark: bool = False, **options: Any) -> Chart | Any:
        """Draw the chart; on axes of matplotlib where they are given."""
        return self.plot._drawn(self.name, ax=ax, dark=dark, **options)  # noqa: SLF001 the same module

    def __repr__(self) -> str:
        shows = self.plot().get(self.name) or self.plot.absent.get(self.name, ("",))[0]
        return f"{self.name}: {shows}\n[chart: .{self.name}() draws it, .figure({self.name!r}) has its numbers]"


def chart_paths(plot: Plot, folder: str | Path, form: str) -> list[Path]:
    """Every file that `save` may write."""
    return [_chart_path(folder, name, form) for name in plot.views]


def _chart_path(folder: str | Path, name: str, form: str) -> Path:
    """The file of a view; a user's column, as in segments:site, may have characters that a file name has not."""
    return Path(folder) / f"{re.sub('[^A-Za-z0-9_.-]+', '-', name)}.{form}"
