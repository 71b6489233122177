"""Results with models side by side: values of each, and differences from a reference model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heldout.errors import UsageError, did_you_mean
from heldout.estimates import Estimate
from heldout.formulas import name_among
from heldout.inputs.message_text import names_listed
from heldout.verbs.judgement import Difference, Judgement, Verdict
from heldout.verbs.result import ByMetric, Result


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ModelsResult(ByMetric, Result):
    """Values of one or several models, their differences from the reference model, and the verdict.

    Attributes
    ----------
    models
        The names of the models.
    baseline
        The reference model, which the others are compared with.
    estimates
        Model → metric → estimate.
    differences
        Every metric of every other model minus that of the reference model.
    primary
        The metric that decides, tested alone; None where there is none.
    verdicts
        Model → its verdict against the reference model; empty where there is one model.
    """

    models: tuple[str, ...]
    baseline: str
    estimates: dict[str, dict[str, Estimate]]
    differences: tuple[Difference, ...] = ()
    primary: str | None = None
    verdicts: dict[str, Verdict]
    level: float
    seed: int = 0

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that all models share; UNDECIDED where they differ, None where there is one model."""
        return Judgement(differences=(), primary=self.primary, verdicts=self.verdicts).verdict

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics that are compared; those that are estimated where there is one model."""
        if len(self.models) > 1:
            return tuple(dict.fromkeys(one.metric for one in self.differences))
        return tuple(self.estimates[self.baseline])

    def __getitem__(self, name: str | tuple[str, str]) -> Any:
        """The estimate of a metric; of two models the difference in it, of several that of one: `[metric, model]`."""
        name, model = name if isinstance(name, tuple) else (name, None)
        others = list(dict.fromkeys(one.model for one in self.differences))
        if model is None and len(others) > 1:
            raise UsageError(
                f"{name} has a difference for each of {', '.join(others)}",
                fix=f"name the model: [{name!r}, {others[0]!r}]",
            )
        if model is not None and model not in others:
            fix = f"choose one of {', '.join(others)}" if others else "leave out the model"
            raise UsageError(f"no difference is of the model {model!r}{did_you_mean(model, others)}", fix=fix)
        found: dict[str, Estimate | Difference] = (
            {one.metric: one for one in reversed(self.differences) if model in (None, one.model)}
            if len(self.models) > 1
            else dict(self.estimates[self.baseline])
        )
        known = name_among(name, found)
        if known not in found:
            what = "difference" if len(self.models) > 1 else "estimate"
            raise UsageError(
                f"no {what} is named {name!r}{did_you_mean(known, list(found)[::-1])}",
                fix=f"choose one of {names_listed([str(one) for one in found])}",
            )
        return found[known]

    def models_content(self) -> dict[str, Any]:
        """The part of the dictionary that all such results share."""
        return {
            "level": self.level,
            "seed": self.seed,
            "primary": self.primary,
            "baseline": self.baseline,
            "models": list(self.models),
            "verdict": self.verdict,
            "verdicts": self.verdicts,
            "estimates": {
                model: {name: one.to_dict() for name, one in found.items()} for model, found in self.estimates.items()
            },
            "differences": [one.to_dict() for one in self.differences],
        }
