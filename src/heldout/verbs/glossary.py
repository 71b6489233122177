"""The words that heldout prints and that courses on evaluation use, each in a sentence or two."""

from __future__ import annotations

import re

_ENTRIES = {
    # data
    "row": "One line of input: the truth, and the prediction of the model.",
    "unit": "The smallest thing that is sampled independently of the others: a row, or a cluster with all its rows.",
    "truth": "The right answer for a row: a label or a number.",
    "prediction": "The answer of the model: a label or a number.",
    "score": "The number by which a model orders rows, such as a probability; never the value of a metric.",
    "positive": "The class that recall, precision and the ROC curve are about.",
    "class | label": "One of the values that the truth can take; with several labels per row, a label that a row may "
    "carry.",
    "threshold": "Scores from here on are predicted positive. It must have been chosen on other rows.",
    "operating point": "A threshold together with the rates that it gives, such as recall and false positive rate.",
    "weight": "How much a row counts. Scaling all weights changes nothing.",
    "group | cluster | clustered": "Rows that are not independent, such as those of one patient. They are one unit: "
    "with --group, intervals and tests count groups and not rows.",
    "segment | subgroup": "A named subset of the rows, such as one site; intervals of all subgroups hold together.",
    "share of rows": "Rows of this part by all rows.",
    "time": "When a row was observed. With --time intervals and tests allow for errors that depend on those before.",
    "autocorrelation": "Correlation of each time with the one before, r(1): the more, the less a further row tells.",
    "series": "Rows observed one after the other, such as one shop; several may be observed at the same times.",
    "horizon": "Steps ahead of a forecast. Errors of forecasts h steps ahead depend on the h - 1 before.",
    "training set": "The rows that a model is fitted on. Its error there is too low: see training error.",
    "validation set": "Rows that choose between models or thresholds. The winner's error there is too low.",
    "test set | held out": "Rows that no fit and no choice has seen; only they say what a model's error is.",
    "data leakage | leakage | leak": "The test rows had a part in training: shared rows or groups, or a step fitted "
    "on all rows.",
    "sample selection bias | shift | covariate shift | drift": "Rows of two parts come from different distributions, "
    "so that an error measured on the one says little about the other.",
    "label noise": "The same inputs have different labels; no model can be right on all of them.",
    # estimates
    "metric": "A formula on sums that says how good predictions are.",
    "value": "The number a metric gives on these rows.",
    "estimate": "A value with its confidence interval: value, low, high, level, method, units, notes.",
    "interval | confidence interval | ci": "From low to high. Over many test sets a share `level` of intervals made "
    "this way contain the true value.",
    "level | confidence level": "How often intervals made this way should contain the true value (default: 0.95).",
    "bound | one-sided": "One end of an interval alone: the true value is above (or below) it with the given "
    "confidence.",
    "standard error": "How much an estimate varies from sample to sample: the standard deviation of its distribution.",
    "coverage": "How often confidence intervals of a method contain the true value, counted in simulations "
    "where it is known.",
    "width": "The mean length of intervals.",
    "mc error | monte-carlo error": "Standard error of a simulated rate, from the number of repetitions.",
    "method": "How an interval is made, or the test; heldout explain methods and heldout explain tests list them.",
    "better": "Which way a metric is good: higher or lower.",
    "count | counts": "A share as it was counted: right of all, such as 28 of 40.",
    "dummy | dummy model | constant": "What is reached without a model: always the most frequent class, the share of "
    "positives, or the mean. A model that is no better has learned nothing.",
    "target": "What is being estimated: this model, this learner at this size, or the mean of fold models.",
    "tally": "Sums of what each row adds; the tallies of two parts of the data add up to that of the whole.",
    "draw | resample | bootstrap": "One reweighting of the units, as if the test set had been collected again. "
    "Drawing units with replacement, many times, shows how much a value varies.",
    "note": "What a reader must know about an estimate or about the data.",
    "undefined": "A value that these rows do not give, such as 0/0; the note says why.",
    "effective rows | effective n": "How many rows of equal weight, independent of each other, would be worth as much.",
    "simultaneous": "Intervals that hold all together at the level, not each by itself.",
    "sample error": "The share of the test rows that a model gets wrong: an estimate of its true error.",
    "true error": "The chance that a model is wrong on a new row from the same distribution. Test rows estimate it.",
    "generalisation error | generalization error | generalization | generalisation": "The true error, of a model or "
    "on average over training sets.",
    "estimation bias | bias": "The mean of an estimate over many samples, minus what it estimates. Of predictions: the "
    "mean of prediction minus truth, which is minus the metric mean_error (truth minus prediction).",
    "variance": "How much an estimate, or what a learner says, varies from sample to sample: the mean squared "
    "deviation.",
    "bias²": "The squared difference between what a learner says on average over training sets and what is best.",
    "noise | irreducible error": "The part of the error that is left even if the best rule is known. For zero-one loss "
    "it depends on the decomposition: see domingos and kohavi-wolpert.",
    "domingos": "A decomposition of zero-one loss: c1 noise + bias + c2 variance. Where a learner is wrong in most "
    "training sets, noise and variance make it right more often, so c1 and c2 are negative there, and the part of the "
    "noise depends on the learner (Domingos 2000).",
    "kohavi-wolpert": "A decomposition of zero-one loss by squared differences of class probabilities: noise + bias² + "
    "variance. Its noise is half of 1 - Σ p², more than the Bayes error (Kohavi, Wolpert 1996).",
    "unbiased variance | biased variance": "For zero-one loss: the variance at points where a learner is right in most "
    "training sets, which raises the error, and where it is wrong, which lowers it.",
    "bias-variance decomposition": "The expected squared error is noise + bias² + variance (lab bias-variance).",
    # confusion, costs, curves
    "confusion matrix | contingency table": "Rows counted by truth (lines) and prediction (columns); its diagonal is "
    "what is right.",
    "tp | fp | fn | tn": "Of the positive class: right alarms (TP), false alarms (FP), missed (FN), rightly left (TN).",
    "micro average | micro": "The metric of the counts added up over classes; each row counts alike.",
    "macro average | macro": "The mean of the metric over classes; each class counts alike, however rare.",
    "ap_interpolated": "Average precision with the best precision at each recall or beyond, of a ranked list.",
    "gate": "Whether a candidate may replace the reference model: PASS, FAIL or INCONCLUSIVE, as an exit code.",
    "inconclusive": "A gate cannot tell: the interval allows for a loss beyond the margin and for one within it.",
    "ngrams | ngrams_unclipped": "All metrics of n-grams, n = 1 to 4: a match counts at most as often as the reference "
    "has it (clipped), or each time (unclipped).",
    "f-beta | fbeta | f-measure": "The weighted harmonic mean of precision and recall; recall counts beta times as "
    "much: metrics f1, f2, f0.5.",
    "weighted average": "The mean over classes, weighted by how many rows have the class.",
    "cost matrix | misclassification cost": "What it costs to say one class where another is true (--cost).",
    "minimum risk": "The decision whose expected cost is lowest, given the probabilities.",
    "roc curve | roc": "Recall against the false positive rate at every threshold, from (0, 0) to (1, 1).",
    "precision-recall curve": "Precision against recall at every threshold, from recall 0 to recall 1.",
    "gain | lift": "Among the rows with the highest scores: the share of all positives that they hold (gain), and how "
    "many times more positives they hold than as many rows at random (lift).",
    "calibration | reliability diagram": "Whether events that are given a probability p happen in a share p of the "
    "rows; drawn as what happened against what was said.",
    "neyman-pearson": "The best recall among rules whose false positive rate is at most a limit (--max-fpr).",
    "certified": "Holds with the stated confidence, whatever the distribution of the scores.",
    "zero-frequency problem": "A probability of 0 for what then happens: the informational loss is infinite. It is "
    "reported as such, and never clipped unless asked for.",
    # comparing
    "model | system": "What made the predictions: its name, or that of its file.",
    "difference | deviation": "One model's value minus another's, on the same rows unless they are unpaired.",
    "paired": "Two models on the same rows: what they share cancels, so that smaller differences are seen.",
    "null hypothesis": "What a test tries to reject, such as that two models are equally good.",
    "alternative": "What holds if the null hypothesis does not: two-sided, greater or less.",
    "p | p-value | pvalue": "The chance of a result as extreme as this one if the null hypothesis is true. It is no "
    "chance that the hypothesis is true, and says nothing about the size of an effect.",
    "p adj | p adjusted | adjusted p | corrected p": "The p-value corrected for how many are tested (Holm).",
    "alpha | type i error | significance level | size": "The chance of rejecting a null hypothesis that is true "
    "(default: 0.05).",
    "beta | type ii error | misses (beta)": "The chance of failing to reject a null hypothesis that is false: 1 - "
    "power.",
    "power | recall (power)": "The chance that a test rejects if the alternative is true: 1 - beta.",
    "effect": "How large what was found is; a p-value without it says little.",
    "reject | rejected | decision | fail to reject": "A test rejects its null hypothesis where p is at most alpha. To "
    "fail to reject is not to accept: the interval says what else is possible.",
    "critical region": "Values of a statistic that reject the null hypothesis; under it they have at most probability "
    "alpha.",
    "chart": "A picture of a result by name: --chart NAME=FILE writes one, --charts DIR all, plot() lists them.",
    "critical value": "The value of the statistic from which on a test rejects.",
    "statistic | z | t | chi2": "The number that a test is decided by; its distribution under the null hypothesis is "
    "known.",
    "degrees of freedom | df": "How much is known about a variance: the more, the nearer Student's t is to the normal.",
    "rope": "Region of practical equivalence: differences within it do not matter. The same as margin.",
    "margin": "The largest difference that does not matter. Within it either way models are EQUIVALENT; a gate lets a "
    "candidate be worse by at most that much.",
    "primary": "The metric that decides. It is tested alone, so that no correction for others is needed.",
    "verdict": "BETTER, WORSE, EQUIVALENT or UNDECIDED; of a gate PASS, FAIL or UNDECIDED.",
    "better (verdict)": "The difference is significant, corrected for how many are tested, and in favour of the model.",
    "worse": "The difference is significant, corrected for how many are tested, and against the model.",
    "equivalent": "The difference is within the margin either way, with the confidence asked for.",
    "undecided": "These rows do not tell: the interval allows for a difference either way, or one beyond the margin.",
    "pass": "The candidate is not worse than the reference model by more than the margin, with the confidence asked "
    "for.",
    "fail": "The candidate is worse than the reference model by more than the margin allows, with that confidence.",
    "baseline | reference model": "The model that the others are compared with: by default the first.",
    "look | looks": "One look at the verdict on the same test rows; each further one raises the chance of a false one.",
    "alpha spent": "How much of the type I error the looks so far have used.",
    "won-tied-lost": "On how many data sets the one was better, as good, or worse than the other.",
    "average rank": "The mean over data sets of a learner's rank, 1 the best.",
    "critical difference": "Average ranks that differ by less are not significantly different (Nemenyi).",
    # learners and splits
    "learner": "An algorithm that turns training rows into a model; validate and select measure learners.",
    "configuration": "A learner with its settings; select chooses among them.",
    "holdout | holdout error": "Fit on one part of the rows, measure on the rest (default: 2:1).",
    "cross-validation | k-fold | folds | fold": "Each of k parts is predicted by a model fitted on the others. Folds "
    "share training rows, so a plain t over folds is too narrow.",
    "stratified | not stratified | stratify": "Parts that have the classes in the same shares as all rows.",
    "leave-one-out | loo": "Cross-validation with one row per fold. The dummy of two equal classes is always wrong "
    "there.",
    "leave-p-out | lpo": "Every choice of p rows is left out once; lpo alone leaves out pairs of a positive and a "
    "negative row, for the area under the ROC curve.",
    "nested cross-validation": "A choice is made anew within each training part, so that the outer folds measure it "
    "all.",
    "split": "A division of the rows: some are learned from, others are tested (heldout split writes the files).",
    "monte-carlo splits | splits": "Repeated splits of the rows into a training and a test part.",
    "fits": "How often a learner was fitted.",
    "training error | training | resubstitution": "The error on the rows that the model was fitted on: too low, and "
    "for a memoriser 0.",
    "overfitting": "A hypothesis overfits if another one has a higher sample error on the training rows and a lower "
    "true error. Its sign is a training error far below the error on rows not seen.",
    "out of bag (e0) | e0": "The error on the rows that a bootstrap sample lacks, of a model fitted on those it has.",
    ".632": "0.368 times the training error plus 0.632 times the out-of-bag error; too low where a learner memorises.",
    ".632+": "The .632 estimate with more weight on the out-of-bag error the more a learner overfits.",
    "learning curve | training rows": "The error against the number of training rows.",
    "own score | optimistic | optimism": "The winner's own score in the search that chose it is too good; by how much.",
    "pooled": "The metric of all held-out predictions together; the alternative is the mean over folds.",
    # the laboratory
    "lab": "Simulations whose truth is known, so that the error rate of a method can be counted.",
    "world | setting": "A simulation with known truth, and its parameters.",
    "card | cards of": "The simulated rate of a method in one setting; the one printed is the worst of those like "
    "your data.",
    "bayes classifier": "The rule that says the most probable class at each point: no rule has a lower true error.",
    "bayes error | bayes": "The true error of the Bayes classifier, 1 - sum over x of max over c of p(x, c).",
    "joint | marginal | conditional | p(x) | p(c) | p(x|c) | p(c|x)": "Of a table of probabilities of inputs x and "
    "classes c: of both together, of one of them, and of one given the other.",
    "naive bayes": "p(x|c) estimated as the product over the parts of x, as if these were independent given the class.",
    "hypothesis": "A rule from inputs to classes that a learner may choose.",
    "concept": "The rule that made the labels.",
    "version space": "All hypotheses that agree with every training row.",
    "list-then-eliminate": "Find the version space by listing all hypotheses and leaving out those that disagree.",
    "language bias": "What a learner assumes by the hypotheses that it can express at all.",
    "inductive bias": "What a learner assumes beyond the rows: by what it can express (language) and prefers (search).",
    "underfitting": "A learner cannot express what the data show: training and true error are both high.",
    "search bias": "Which of the hypotheses that fit a learner prefers.",
    "all say | unanimous": "All hypotheses of the version space say the same here; elsewhere it is undecided.",
    "worst": "The lowest coverage, or the highest rejection rate, of neighbouring settings.",
    # columns that need no more than a hint
    "n | rows | samples | size of the test set": "How many rows, or how many simulated samples.",
    "x | yes | id | name | source | which | part | what it is": "What the row of the table is about.",
    "error": "Share of what is wrong; in the lab, a standard error where it stands beside a ±.",
    "+- | ±": "Half the length of the interval around the value.",
    "value [interval] | value ± error": "A value with its interval, or with its standard error.",
    "true value": "What the simulation is known to give; estimates are held against it.",
    "measured": "What was counted in the simulation, with its Monte-Carlo error.",
    "printed": "The rate that heldout prints beside a number.",
    "too low": "Share of cells in which the printed rate is worse than the measured one by more than 5 points.",
    "cells": "Settings and metrics, each with a rate.",
    "says": "What the method says on average.",
    "refused": "Share of the samples for which heldout gives no answer, and says why.",
    "against | minus": "The model or number that the difference is taken from.",
    "alike": "Learners that share a letter are not significantly different.",
    "design": "How the test rows are to be collected: paired or not.",
    "for you": "What the model is for: to be looked at, or to be used.",
    "classifier": "A rule from inputs to classes; its true error is known in a known world.",
    "above bayes": "The true error minus the Bayes error.",
    "under noise": "The same if labels are flipped with this chance.",
    "left": "How many hypotheses still agree with all rows seen so far.",
    "asked | search says": "An instance asked about, and what the one hypothesis says that the search chose.",
    "p at most | |z| at least": "What it takes to reject at this look.",
    "test": "What gives the p-value; heldout explain tests lists all.",
    "at threshold": "Metrics of labels decided at this threshold of the score.",
    "bias against": "The mean minus that of another number of folds.",
    "first | second | neither": "Share of the samples in which a test called the first learner better, the second, or "
    "neither.",
    "expected loss": "The mean loss of a learner on new rows, over training sets: noise, bias² and variance together.",
    "rule": "A rule from inputs to classes, such as a fitted model.",
    "share": "A part of the whole, between 0 and 1.",
    "hypothesis of least sample error": "The one with fewest wrong rows of the sample, of equals the first.",
    "mean ± error": "The mean over the repetitions, with its Monte-Carlo error.",
    "standard deviation": "The square root of the variance.",
    "mean | mean rule": "The mean over the repetitions; the mean of what the fitted rules say.",
    "when (utc)": "When the result was recorded.",
    # more words of courses
    "loss": "What one prediction costs: 0 or 1, a squared or absolute error, -log p. Many metrics are its mean.",
    "effect size": "How large a difference is, whatever the number of rows; a p-value says nothing about it.",
    "discordant": "Rows on which one of two models is right and the other is wrong: only these tell the models apart.",
    "friedman": "A test of ranks: whether several learners have equal mean ranks over data sets (Friedman 1937).",
    "iman-davenport": "Friedman's statistic as an F statistic, which is less conservative (Iman, Davenport 1980).",
    "nemenyi": "After Friedman's test: learners whose mean ranks differ by less than the critical difference are not "
    "told apart. All pairs are compared at once, so it finds less than Wilcoxon tests with Holm's correction.",
    "cohen's w": "The size of a departure from expected shares: the root of Σ (observed - expected)² / expected.",
    "winner's curse": "The best of many looks better than it is, because it was chosen for that: see optimism.",
    "bbc-cv": "The bootstrap-corrected score of the winner of a search: choose on resampled rows, score on the others "
    "(Tsamardinos, Greasidou, Borboudakis 2018).",
    "tibshirani": "The winner's score less a bias estimated fold by fold (Tibshirani, Tibshirani 2009).",
    "within noise | one-standard-error rule": "Configurations whose score is within a standard error of the winner's, "
    "by the spread over folds. A rule of thumb for taking the simplest of them; no test of a difference.",
    "convex hull": "The upper hull of a ROC curve: thresholds below it are the best for no costs.",
    "probability cost | cost curve": "The least expected cost of a model against the probability cost, which joins the "
    "prevalence and the costs of both errors in one number from 0 to 1 (Drummond, Holte 2006).",
}

DECORATIONS = re.compile(
    r"(, (clustered|weighted|simultaneous|times|one-sided|two-sided|paired|unpaired|lower bound|upper bound"
    r"|bias bounded|whole documents|greater|less|not stratified|stratified|\d[\d,]* resamples|n = \w+"
    r"|(chi2|df|z|x) -?[\d.]+))+$"
    r"| over \d+x\d+$| of [a-z_0-9.@%]+$"
)
"""What is added to the name of a method: how units are made, of which metric it is the transform, how many draws, and
the statistic of a test."""

METHODS = {
    "effective-n wilson | influence, effective-n wilson": "Wilson's interval for a share, with the number of rows "
    "that would give the metric's linearised variance: metrics between two bounds that are no plain share.",
    "delong, logit | delong": "DeLong's variance of the area under the ROC curve, on the logit scale so that the "
    "interval stays between 0 and 1.",
    "newcombe score": "The interval of an area that inverts Hanley and McNeil's variance, for areas where no row "
    "ranks wrong.",
    "tango score": "Tango's score interval of the difference of two shares on the same rows; a gate is decided by it.",
    "hall t": "Student's t corrected for the skewness of what rows add (Hall 1992): means of losses.",
    "multinomial score": "The score interval of a mean of rows that take few known values, such as costs, from how "
    "many rows took each; of two values it is Wilson's.",
    "mover over wilson": "The interval of a combination of shares, from Wilson's limits of each (MOVER).",
    "logistic, sandwich": "Standard error of a logistic recalibration that holds if the model is wrong, on its own "
    "scale.",
    "debiased, delta": "The calibration error less what chance alone adds, with a linearised variance.",
    "delta": "A linearised variance on a scale on which the value is nearly normal.",
    "log scale": "The interval of the logarithm, turned back: ratios.",
    "logit": "The interval on the logit scale, which stays between 0 and 1.",
    "bootstrap percentile": "The quantiles of the values in resamples of the units.",
    "bootstrap bca": "Quantiles of resamples, corrected for bias and skewness (Efron 1987).",
    "multiplier bootstrap": "The band that holds a whole curve: each unit's influence is multiplied by random numbers.",
    "image bootstrap": "Resamples of images, corrected for bias and for how few images hold a class.",
    "jackknife t, logit scale | jackknife t over images": "Student's t from leaving out each unit, on the logit scale.",
    "corrected t | corrected resampled t": "Student's t over splits with a variance that counts that splits share "
    "training rows (Nadeau and Bengio 2003).",
    "naive t | naive_fold_interval | naive_fold_t": "Student's t over folds as if they were independent; too narrow, "
    "and there to be compared with.",
    "k-fold paired t | k-fold paired t (approximate)": "Student's t over the differences of two learners in each "
    "fold; rejects true nulls too often.",
    "5x2cv t | 5x2cv f": "Two learners over five divisions of the rows into halves, by Student's t with 5 degrees of "
    "freedom (Dietterich 1998) or by F with 10 and 5 (Alpaydin 1999).",
    "cover-hart from clopper-pearson": "Bounds on the Bayes error from the error of the nearest neighbour (Cover and "
    "Hart 1967), with the exact interval of that error.",
    "n =": "The number of training rows of this estimate.",
    "wilcoxon signed rank": "Whether differences over data sets are symmetric around 0, by the ranks of their sizes.",
    "q, segments permuted": "Whether a difference is the same in all subgroups: Cochran's Q, with rows permuted.",
    "chi-square, hits permuted": "Whether subgroups have the same share: chi-square, with rows permuted.",
    "swaps, interval by t | swaps, interval by resamples | swaps of images, interval by t | every swap of images": ""
    "How often what two models said, swapped unit by unit, would differ as much as it does.",
    "none | identical": "No test: the models say the same, or too few units carry the metric.",
    "exact binomial | binomial": "Whether a share is what it should be: the chance of counts as extreme (test "
    "binomial).",
    "chi-square | chi-square, goodness of fit | chi-square, independence": "Pearson's chi-square of counts (test "
    "chi-square).",
    "likelihood-ratio | likelihood ratio | likelihood ratio, normal variance": "The most powerful test of two "
    "standard deviations (test likelihood-ratio).",
    "proportions | z, pooled | z, unpooled": "Whether two independent shares are equal (test proportions).",
    "10-fold | 5-fold": "Cross-validation with so many folds.",
}


def _by_name(entries: dict[str, str]) -> dict[str, str]:
    return {name.strip(): text for names, text in entries.items() for name in names.split(" | ")}


WORDS = _by_name(_ENTRIES)
"""By every name of an entry."""
PRINTED_METHODS = _by_name(METHODS)
"""Names under which intervals and tests are printed, without what is added to them."""


LISTED = tuple(names.split(" | ")[0] for names in _ENTRIES)
"""The first name of every entry."""


def word(name: str) -> tuple[str, str] | None:
    """The name and meaning of a word, as it stands in a sentence or at the head of a column.

    >>> word("95% CI")[0], word("± MC error")[0], word("wilson")
    ('ci', 'mc error', None)
    """
    plain = re.sub(r"^([\d.]+%|±) (?=\w)| -?[\d.]+$", "", " ".join(name.lower().split())).rstrip("*?").strip()
    for known in (plain, plain.replace("_", " "), plain.replace("_", "-"), plain.replace(" ", "-")):
        if known in WORDS:
            return known, WORDS[known]
    return None


def printed_method(name: str) -> tuple[str, str] | None:
    """The name and meaning of a method as it is printed, without what is added to it.

    >>> printed_method("DeLong, logit, clustered")[0], printed_method("bootstrap BCa, 2000 resamples")[0]
    ('delong, logit', 'bootstrap bca')
    """
    plain = " ".join(name.lower().split())
    while plain not in PRINTED_METHODS:
        shorter = DECORATIONS.sub("", re.sub(r"(?<==) \d+$", "", plain))
        if shorter == plain:
            return None
        plain = shorter
    return plain, PRINTED_METHODS[plain]
