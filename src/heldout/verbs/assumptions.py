"""What a plan takes for granted, in sentences."""

from __future__ import annotations

from heldout.verbs.expectations import Expectation, disagreement


def assumed(case: Expectation) -> tuple[str, ...]:
    """What the plan takes for granted."""
    said = [f"{case.unit} are independent of each other"]
    if case.piloted:
        said.append(f"the interval narrows with 1 / sqrt({case.unit}) from the one of the pilot ({case.interval})")
        said += case.chosen
    if case.kind == "share" and case.metric.one_class:
        if case.of_class is None:
            said.append(f"rows are those that {case.metric.name} is a share of, not all rows")
        elif case.prevalence is None:
            said.append(f"rows are those of the {case.of_class} class; with --prevalence (prevalence=), all rows")
        else:
            said.append(f"{case.prevalence:g} of all rows are positive")
    if case.kind == "area":
        said.append(f"{case.prevalence:g} of all rows are positive")
    return tuple(said)


LIKENESS = {"mean": "rows", "area": "areas"}
"""What of two models is more or less alike."""


def shape(case: Expectation) -> tuple[str, ...]:
    """What the plan for an area takes for granted about the scores, and how much that matters."""
    if case.kind != "area":
        return ()
    if case.by == "binormal":
        measured = "where they are not and the classes uneven, a planned power of 80% measured 56% to 94%"
        return (f"scores are normal, with equal spread in both classes; {measured}: a pilot is safer",)
    measured = "where they are normal and the classes uneven, a planned power of 80% measured 67% to 94%"
    return (f"scores are spread exponentially; {measured}: a pilot is safer",)


def unrelated(case: Expectation, gain: float) -> tuple[str, ...]:
    """What the plan takes for granted about how alike two models are."""
    if case.piloted:
        return ()
    if case.kind == "share":
        given, share = case.disagree is not None, disagreement(case, gain)
        if given:
            return (f"one model is right and the other wrong on {share:g} of the rows",)
        alike = f"the models err independently, so that they disagree on {share:.3g} of the rows"
        return (f"{alike}; models that are alike need fewer: give --disagree (disagree=)",)
    what = "scores, within a class," if case.kind == "area" and case.by == "binormal" else LIKENESS[case.kind]
    if case.correlation is not None:
        return (f"the correlation of the models' {what} is {case.correlation:g}",)
    fewer = "models that are alike need fewer rows: give --correlation (correlation=)"
    return (f"the models' {what} are uncorrelated; {fewer}",)
