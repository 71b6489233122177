"""The words that heldout prints and that courses on evaluation use, each in a sentence or two."""

from __future__ import annotations

import re

_ENTRIES = {
    # data
    "row": "One line of input: the truth, and the prediction of the model.",
    "unit": "What is sampled independently of the rest: a row, or a cluster with all its rows; for images an "
    "image, for time series a time.",
    "truth": "The correct label or number of a row.",
    "prediction": "The label or number that the model predicts for a row.",
    "score": "A number that ranks rows from negative to positive, such as a predicted probability. Not the value "
    "of a metric.",
    "positive": "The class that recall, precision and the ROC curve refer to.",
    "class | label": "One of the values that the truth can take; with several labels per row, a label that a row may "
    "carry.",
    "threshold": "Rows with a score of at least this value are predicted positive. Choose it on other rows than "
    "those evaluated.",
    "operating point": "A threshold together with the rates that it gives, such as recall and false positive rate.",
    "weight": "How much a row counts. Multiplying all weights by a constant changes nothing.",
    "group | cluster | clustered": "Rows that are not independent, such as all rows of one patient. With --group "
    "(groups=) intervals and tests are cluster-robust: they count clusters, not rows.",
    "segment | subgroup": "A subset of the rows by a column, such as one site. The intervals of all subgroups are "
    "simultaneous.",
    "share of rows": "Number of rows of this part divided by the number of all rows.",
    "time": "When a row was observed. With --time (time=) intervals and tests allow for autocorrelation (HAC).",
    "autocorrelation": "Correlation between neighbouring times, r(1) at lag 1. The higher it is, the less "
    "information each further row adds.",
    "series": "One time series, such as one shop; several series may share the same times.",
    "horizon": "How many steps ahead a forecast is. Errors of forecasts h steps ahead are autocorrelated up to "
    "lag h - 1.",
    "training set": "The rows that a model is fitted to. Its error on them is optimistic: see training error.",
    "validation set": "Rows used to choose between models or thresholds. The winner's error on them is optimistic.",
    "test set | held out": "Rows used neither to fit nor to choose a model; only they give an unbiased estimate "
    "of its error.",
    "data leakage | leakage | leak": "Information about the test rows was used in training: shared rows or "
    "groups, or a step fitted to all rows.",
    "sample selection bias | shift | covariate shift | drift": "Two sets of rows come from different "
    "distributions, so an error measured on one is not valid for the other.",
    "label noise": "The same inputs have different labels; no model can be right on all of them.",
    # estimates
    "metric": "A number that says how good predictions are, such as accuracy, roc_auc or rmse.",
    "value": "The point estimate: the metric computed on these rows.",
    "estimate": "A value with its confidence interval: value, low, high, level, method, units, notes.",
    "interval | confidence interval | ci": "From low to high. Over many test sets a share `level` of intervals made "
    "this way contain the true value.",
    "level | confidence level": "Nominal coverage of a confidence interval (default: 0.95).",
    "bound | one-sided": "A one-sided confidence limit: the true value lies above (or below) it with the given "
    "confidence.",
    "standard error": "The standard deviation of an estimate over repeated samples.",
    "coverage | coverage* | simulated coverage | lab*": "How often confidence intervals of this method "
    "contain the true value. The column coverage* is the simulated coverage in the simulations most similar to the "
    "data, with its Monte-Carlo error below the table; a dash means that no simulation is similar. `heldout lab` "
    "runs the simulations.",
    "width": "Mean width of the confidence intervals.",
    "mc error | monte-carlo error": "Standard error of a simulated rate, due to the finite number of simulated "
    "samples.",
    "method": "How an interval or a p-value is computed; heldout explain methods and heldout explain tests list all.",
    "better": "As a verdict, BETTER: the model is significantly better, after correction for the number of tests. Of a "
    "metric: whether higher or lower values are better.",
    "count | counts": "Numerator and denominator of a proportion, such as 28/40.",
    "dummy | dummy model | constant": "A baseline without a model: always predicts the most frequent class "
    "(majority baseline), the share of positives, or the mean. A useful model is significantly better.",
    "target": "What is estimated: the error of this model, of this learner at this training size, or the mean of "
    "fold models.",
    "tally": "Sums that each row adds to, such as tp or squared errors. Tallies of two parts of the data add up "
    "to that of all rows.",
    "draw | resample | bootstrap": "A random reweighting of the rows or clusters, as if the test set had been "
    "collected again. The bootstrap samples with replacement; the variation over resamples gives an interval.",
    "note": "A warning or remark about an estimate or about the data.",
    "undefined": "The metric cannot be computed on these rows, for example 0/0; a note says why.",
    "effective rows | effective n": "Number of independent rows of equal weight that would give the same standard "
    "error.",
    "simultaneous": "Intervals that all contain their true values together with the stated confidence, as opposed "
    "to each alone.",
    "sample error": "Share of the test rows that a model predicts wrong: an estimate of its true error.",
    "true error": "Probability that a model is wrong on a new row from the same distribution. The sample error "
    "estimates it.",
    "generalisation error | generalization error | generalization | generalisation": "The true error of a model, "
    "or its mean over training sets.",
    "estimation bias | bias": "The mean of an estimate over many samples, minus what it estimates. Of predictions: the "
    "mean of prediction minus truth, which is minus the metric mean_error (truth minus prediction).",
    "variance": "How much an estimate, or the prediction of a learner, varies from sample to sample: the mean "
    "squared deviation.",
    "bias²": "Squared difference between the mean prediction of a learner over training sets and the best prediction.",
    "noise | irreducible error": "The error that remains with the best possible rule. For zero-one loss it "
    "depends on the decomposition: see domingos and kohavi-wolpert.",
    "domingos": "A decomposition of zero-one loss: c1 noise + bias + c2 variance. Where a learner is wrong in most "
    "training sets, noise and variance make it right more often, so c1 and c2 are negative there, and the part of the "
    "noise depends on the learner (Domingos 2000).",
    "kohavi-wolpert": "A decomposition of zero-one loss by squared differences of class probabilities: noise + bias² + "
    "variance. Its noise is half of 1 - Σ p², more than the Bayes error (Kohavi, Wolpert 1996).",
    "unbiased variance | biased variance": "For zero-one loss: the variance at points where a learner is right in most "
    "training sets, which raises the error, and where it is wrong, which lowers it.",
    "bias-variance decomposition | bias-variance": "The expected squared error is noise + bias² + variance "
    "(heldout lab bias-variance).",
    # confusion, costs, curves
    "confusion matrix | contingency table": "Counts of rows by true class (rows) and predicted class (columns); "
    "correct predictions are on the diagonal.",
    "tp | fp | fn | tn | true positive | false positive | false negative | true negative | false alarm | miss": ""
    "Counts for the positive class: true positives (TP), false positives or false alarms (FP), false negatives or "
    "misses (FN), true negatives (TN).",
    "micro average | micro": "The metric of the counts summed over classes; every row has the same weight.",
    "macro average | macro": "The mean of the metric over classes; every class has the same weight, however rare.",
    "ap_interpolated": "Average precision of a ranked list with interpolated precision: the best precision at "
    "that recall or a higher one.",
    "gate": "A non-inferiority test for continuous integration: may a candidate replace the reference model? PASS "
    "(exit code 0), FAIL (1) or INCONCLUSIVE (3).",
    "inconclusive": "The gate has too few rows: the confidence interval contains differences within and beyond "
    "the margin.",
    "ngrams | ngrams_unclipped | n-gram": "All metrics of n-grams, n = 1 to 4: a match counts at most as often as "
    "the reference has it (clipped), or each time (unclipped).",
    "f-beta | fbeta | f-measure": "The weighted harmonic mean of precision and recall; recall counts beta times as "
    "much: metrics f1, f2, f0.5.",
    "weighted average": "The mean over classes, weighted by how many rows have the class.",
    "cost matrix | misclassification cost": "Cost of predicting one class where another is true (--cost, cost=).",
    "minimum risk": "The decision whose expected cost is lowest, given the probabilities.",
    "roc curve | roc": "Recall against the false positive rate at every threshold, from (0, 0) to (1, 1).",
    "precision-recall curve": "Precision against recall at every threshold, from recall 0 to recall 1.",
    "gain | lift": "Gain: share of all positives among the rows with the highest scores. Lift: how many times "
    "more frequent positives are among these rows than among all rows.",
    "calibration | reliability diagram": "A model is calibrated if events with predicted probability p occur in a "
    "share p of rows. The diagram plots the observed share against the predicted probability; see expected "
    "calibration error (ece).",
    "neyman-pearson": "Maximise recall under a limit on the false positive rate (--max-fpr, max_fpr=).",
    "certified": "The limit holds with the stated confidence for every distribution of the scores.",
    "zero-frequency problem": "A predicted probability of 0 for the class that is true: the log loss is infinite. "
    "heldout reports it as infinite; --clip P (clip=) limits it.",
    # comparing
    "model | system": "The source of the predictions, by its name or that of its file.",
    "difference | deviation": "One model's value minus another's, on the same rows unless they are unpaired.",
    "paired": "Both models predict the same rows: variation that they share cancels, so smaller differences can "
    "be detected.",
    "null hypothesis": "The hypothesis that a test tries to reject, such as: both models are equally good.",
    "alternative": "The hypothesis if the null hypothesis is false: two-sided, greater or less.",
    "p | p-value | pvalue": "Probability of a result at least as extreme as this one if the null hypothesis is "
    "true. It is not the probability that the hypothesis is true, and says nothing about the size of an effect.",
    "p adj | p adjusted | adjusted p | corrected p | h": "The p-value corrected for the number of tests (Holm); "
    "marked h in tables.",
    "alpha | type i error | significance level | size": "Probability of rejecting a null hypothesis that is true: "
    "false positive rate of the test (default: 0.05).",
    "beta | type ii error | misses (beta)": "Probability of not rejecting a null hypothesis that is false: 1 - power.",
    "power | recall (power)": "Probability that a test rejects if the alternative is true: 1 - beta.",
    "effect": "Size of the difference or departure that was found; report it beside the p-value.",
    "reject | rejected | decision | fail to reject": "A test rejects its null hypothesis if p is at most alpha. "
    "Failing to reject does not show that the null hypothesis is true: the interval shows which other values are "
    "possible.",
    "critical region": "Values of the statistic for which the test rejects; under the null hypothesis their "
    "probability is at most alpha.",
    "chart": "A picture of a result by name: --chart NAME=FILE writes one, --charts DIR all, plot() lists them.",
    "critical value": "Smallest value of the statistic for which the test rejects.",
    "statistic | z | t | chi2": "The number that a test computes from the data; its distribution under the null "
    "hypothesis gives the p-value.",
    "degrees of freedom | df": "Number of independent pieces of information in a variance estimate: the more, the "
    "closer Student's t is to the normal distribution.",
    "skewness": "How lopsided a distribution is; 0 for a symmetric one. With few rows of skewed losses, intervals of "
    "their mean cover too rarely.",
    "nominal": "As intended, not as measured: the nominal coverage of an interval is its confidence level.",
    "cluster-robust | sandwich": "A variance that stays valid where rows of one cluster depend on each other.",
    "confidence sequence | sequential": "Confidence intervals that are valid at all looks together, while rows are "
    "added.",
    "group-sequential test | group-sequential | obrien-fleming | pocock": "A test with a planned number of looks. The "
    "alpha-spending function divides the type I error over them: O'Brien-Fleming saves it for the last look, Pocock "
    "spends it evenly.",
    "holm-adjusted | adjusted": "Corrected for the number of tests by Holm's method; see Holm.",
    "out-of-fold": "Predicted by a model that was not fitted to this row: the predictions of cross-validation.",
    "anchor": "Of a gate: the model in production, which the candidate must not be worse than either, so that many "
    "small "
    "losses do not add up.",
    "noise floor": "How much two runs of the same model differ; a margin below it cannot be tested.",
    "stable learner | unstable learner | stable | unstable": "A learner is unstable if its model changes much where a "
    "few training rows are exchanged, as a tree's does; intervals over splits cover less often for it.",
    "rope": "Region of practical equivalence: differences within it do not matter. The same as margin.",
    "margin": "Largest difference that does not matter in practice. Models whose difference lies within ±margin "
    "are EQUIVALENT; a gate allows a candidate to be worse by at most the margin (non-inferiority).",
    "primary": "The metric that decides, chosen in advance. It is tested alone, without correction for other metrics.",
    "verdict": "BETTER, WORSE, EQUIVALENT or UNDECIDED; of a gate PASS, FAIL or INCONCLUSIVE.",
    "worse": "The model is significantly worse, after correction for the number of tests.",
    "equivalent | equivalence | tost": "The confidence interval of the difference lies within the margin (two "
    "one-sided tests).",
    "undecided": "Neither significantly better or worse nor shown to be equivalent. It does not mean that the models "
    "are equal: more rows are needed, and the verdict says how many.",
    "pass | non-inferior | non-inferiority": "The candidate is not worse than the reference model by more than the "
    "margin, at the given confidence (non-inferior).",
    "fail": "The candidate is significantly worse than the reference model, and not within the margin.",
    "baseline | reference model": "The model that the others are compared with: by default the first.",
    "look | looks": "One evaluation on the same test rows. Every further look raises the probability of a false "
    "verdict.",
    "alpha spent": "Share of the type I error that the looks so far have used.",
    "won-tied-lost": "Number of data sets on which the first learner was better, equal or worse.",
    "average rank": "Mean rank of a learner over data sets; 1 is best.",
    "critical difference": "Learners whose average ranks differ by less are not significantly different (Nemenyi).",
    # learners and splits
    "learner": "An algorithm that fits a model to training rows; validate and select evaluate learners.",
    "configuration": "A learner with its hyperparameters; select chooses among configurations.",
    "holdout | holdout error": "Fit on one part of the rows and evaluate on the rest (default: 2:1).",
    "cross-validation | k-fold | folds | fold": "Each of k parts is predicted by a model fitted to the others. "
    "Folds share training rows, so a plain t interval over folds is too narrow.",
    "stratified | not stratified | stratify": "Every part has the same class shares as all rows.",
    "leave-one-out | loo": "Cross-validation with one row per fold. With two equal classes the majority baseline "
    "is always wrong.",
    "leave-p-out | lpo": "Every choice of p rows is left out once; lpo alone leaves out pairs of a positive and a "
    "negative row, for the area under the ROC curve.",
    "nested cross-validation | nested": "Selection is repeated inside each outer training part, so the outer folds "
    "evaluate the whole procedure.",
    "split": "A division of the rows into training and test rows (heldout split writes the files).",
    "monte-carlo splits | splits": "Repeated splits of the rows into a training and a test part.",
    "fits": "Number of model fits.",
    "training error | training | resubstitution": "Error on the rows that the model was fitted to: optimistic; 0 "
    "for a model that memorises them.",
    "overfitting": "A hypothesis overfits if another one has a higher sample error on the training rows and a lower "
    "true error. Its sign is a training error far below the error on rows not seen.",
    "out of bag (e0) | e0": "Error on the rows that are not in a bootstrap sample, of the model fitted to that sample.",
    ".632": "0.368 times the training error plus 0.632 times the out-of-bag error; optimistic for learners that "
    "memorise.",
    ".632+": "The .632 estimate with more weight on the out-of-bag error the more a learner overfits.",
    "learning curve | training rows": "Error by number of training rows.",
    "own score | optimistic | optimism": "How much better the winner's score is on the rows that chose it than on "
    "new rows.",
    "pooled": "The metric of all out-of-fold predictions together, as opposed to the mean over folds.",
    # the laboratory
    "lab": "Simulations with known truth, in which the error rates of methods are measured (heldout lab).",
    "world | setting": "A simulation: a data-generating process with known true values, and its parameters.",
    "card | cards of": "Simulated error rate of a method in one setting. The one printed is the worst of those "
    "similar to the data.",
    "bayes classifier": "Predicts the most probable class at each point: no classifier has a lower true error.",
    "bayes error | bayes": "The true error of the Bayes classifier, 1 - sum over x of max over c of p(x, c).",
    "joint | marginal | conditional | p(x) | p(c) | p(x|c) | p(c|x)": "Probabilities of inputs x and classes c: "
    "of both together (joint), of one alone (marginal), and of one given the other (conditional).",
    "naive bayes": "p(x|c) estimated as a product over the attributes, as if they were independent given the class.",
    "hypothesis | hypothesis space": "A rule from inputs to classes that a learner can choose; the hypothesis "
    "space contains all of them.",
    "concept": "The true rule behind the labels.",
    "version space": "All hypotheses that agree with every training row.",
    "list-then-eliminate": "Algorithm for the version space: list all hypotheses, and remove those that "
    "contradict a row.",
    "language bias": "Restriction by the hypotheses that a learner can express.",
    "inductive bias": "Assumptions of a learner beyond the data: what it can express (language bias) and what it "
    "prefers (search bias).",
    "underfitting": "The learner cannot express the pattern in the data: training error and true error are both high.",
    "search bias": "Which of the consistent hypotheses a learner prefers.",
    "all say | unanimous": "All hypotheses of the version space predict the same class here; elsewhere the class "
    "is undecided.",
    "worst": "Lowest coverage, or highest rejection rate, of neighbouring settings.",
    # columns that need no more than a hint
    "n | rows | samples | size of the test set": "Number of rows, or of simulated samples.",
    "x | yes | id | name | source | which | part | what it is": "What the row of the table is about.",
    "error": "Share of wrong predictions; in simulations, the Monte-Carlo standard error where it follows a ±.",
    "+- | ±": "Half the width of the interval around the value.",
    "value [interval] | value ± error": "A value with its interval, or with its standard error.",
    "true value": "Value known from the simulation, which estimates are compared with.",
    "measured": "Rate counted in the simulation, with its Monte-Carlo error.",
    "printed": "The simulated rate that heldout prints beside a number.",
    "too low": "Share of cells in which the printed rate is worse than the measured one by more than 5 points.",
    "cells": "Settings and metrics, each with a rate.",
    "says": "Mean of the method's estimates.",
    "refused": "Share of the samples for which heldout gives an error instead of an answer.",
    "against | minus": "The model or number that is subtracted.",
    "alike": "Learners that share a letter are not significantly different.",
    "design": "How the test rows are to be collected: paired or not.",
    "for you": "What the model is for: evaluation only, or use.",
    "classifier": "A rule from inputs to classes; in a simulation its true error is known.",
    "above bayes": "The true error minus the Bayes error.",
    "under noise": "The same error if labels are flipped with this probability.",
    "left": "Number of hypotheses that agree with all rows so far.",
    "asked | search says": "A point without a label, and the prediction of the hypothesis that the search chose.",
    "p at most | |z| at least": "Boundary of this look: reject if the p-value or the statistic reaches it.",
    "test": "The test behind the p-value; heldout explain tests lists all.",
    "at threshold": "Metrics of the labels predicted at this threshold.",
    "bias against": "Mean minus the mean with another number of folds.",
    "first | second | neither": "Share of the samples in which the test calls the first learner better, the "
    "second, or neither.",
    "expected loss": "The mean loss of a learner on new rows, over training sets: noise, bias² and variance together.",
    "rule": "A rule from inputs to classes, such as a fitted model.",
    "share": "A part of the whole, between 0 and 1.",
    "hypothesis of least sample error": "The hypothesis with the fewest wrong rows in the sample; the first of "
    "several.",
    "mean ± error": "The mean over the repetitions, with its Monte-Carlo error.",
    "standard deviation": "The square root of the variance.",
    "mean | mean rule": "Mean over the repetitions; mean prediction of the fitted rules.",
    "when (utc)": "When the result was recorded.",
    # more words of courses
    "loss": "Cost of one prediction: 0 or 1, a squared or absolute error, -log p. Many metrics are the mean of a loss.",
    "effect size": "How large a difference is, whatever the number of rows; a p-value says nothing about it.",
    "discordant": "Rows on which one of two models is right and the other is wrong; McNemar's test uses only these.",
    "friedman": "A test of ranks: whether several learners have equal mean ranks over data sets (Friedman 1937).",
    "iman-davenport": "Friedman's statistic as an F statistic, which is less conservative (Iman, Davenport 1980).",
    "nemenyi": "After Friedman's test: learners whose mean ranks differ by less than the critical difference do "
    "not differ significantly. It compares all pairs at once, so it has less power than Wilcoxon tests with Holm's "
    "correction.",
    "cohen's w": "The size of a departure from expected shares: the root of Σ (observed - expected)² / expected.",
    "winner's curse": "The best of many candidates looks better than it is, because it was chosen for its score: "
    "see optimism.",
    "bbc-cv | bbc": "The bootstrap-corrected score of the winner of a search: choose on resampled rows, score on the "
    "others "
    "(Tsamardinos, Greasidou, Borboudakis 2018).",
    "tibshirani": "The winner's score less a bias estimated fold by fold (Tibshirani, Tibshirani 2009).",
    "within noise | one-standard-error rule": "Configurations whose score is within one standard error of the "
    "winner's. A rule of thumb for choosing the simplest of them; not a test of a difference.",
    "convex hull": "Upper hull of a ROC curve: thresholds below it are not optimal for any costs.",
    "probability cost | cost curve": "Lowest expected cost of a model against the probability cost, which "
    "combines the prevalence and the costs of both errors in one number from 0 to 1 (Drummond, Holte 2006).",
    "not significant | ~ | significant": "A difference is significant if its p-value, corrected for the number of "
    "tests, is at most alpha. Tables print ~ instead of a difference that is not significant.",
    "false positive rate | fall-out": "Share of the negatives that are predicted positive, FP / (FP + TN): metric "
    "fpr, 1 - specificity.",
    "hypothesis test | significance test": "A rule that rejects a null hypothesis if the data are unlikely under "
    "it; heldout explain tests lists those that heldout uses.",
    "t-test | t test | student's t": "Compares a mean, or the mean of paired differences, with its standard "
    "error. Folds of cross-validation need a corrected t: see corrected t.",
    "multiple testing | multiple comparisons | bonferroni": "The more tests, the more false positives. p-values "
    "are corrected for the number of tests: by Holm's method, which rejects all that Bonferroni's (alpha divided by "
    "the number) rejects, and more.",
    "normal approximation | wald interval": "Interval value ± z standard errors, as if the estimate were normal. "
    "It covers too rarely for small samples and for proportions near 0 or 1: see wilson.",
    "prevalence | class imbalance | imbalance | base rate": "Share of the positive class. If it is far from one "
    "half, accuracy alone is misleading: compare with the dummy model.",
    "prior | posterior": "Probability of a class before x is known, p(c), and after, p(c|x), by Bayes' rule.",
    "maximum likelihood": "Choose the hypothesis under which the observed data have the highest probability.",
    "task | classification | regression": "What is predicted: one of two classes (binary), one of several "
    "(multiclass), several labels per row (multilabel), or a number (regression).",
    "data snooping | p-hacking": "Trying many models, metrics or looks on the same test rows and reporting the "
    "best: see looks, optimism and multiple testing.",
}

DECORATIONS = re.compile(
    r"(, (clustered|weighted|simultaneous|times|one-sided|two-sided|paired|unpaired|lower bound|upper bound"
    r"|bias bounded|whole documents|greater|less|not stratified|stratified|\d[\d,]* resamples|n = \w+"
    r"|(chi2|df|z|x) -?[\d.]+))+$"
    r"| over \d+x\d+$| of [a-z_0-9.@%]+$"
)
"""What is added to the name of a method: how units are made, the metric it is a transform of, how many resamples, and
the statistic of a test."""

METHODS = {
    "effective-n wilson | influence, effective-n wilson": "Wilson's interval for a share, with the number of rows "
    "that would give the metric's linearised variance: metrics between two bounds that are not a plain share.",
    "delong, logit | delong": "DeLong's variance of the area under the ROC curve, on the logit scale so that the "
    "interval stays between 0 and 1.",
    "newcombe score": "Interval of an area under the ROC curve by inverting Hanley and McNeil's variance, used "
    "where no or few rows are ranked wrong.",
    "tango score": "Tango's score interval of the difference of two proportions on the same rows; a gate is "
    "decided by it.",
    "hall t": "Student's t corrected for skewness (Hall 1992), for means of losses.",
    "multinomial score": "Score interval of a mean of a few known values, such as costs, from the count of each; "
    "with two values it is Wilson's.",
    "mover over wilson": "Interval of a combination of proportions, from the Wilson limits of each (MOVER).",
    "logistic, sandwich": "Robust (sandwich) standard error of a logistic recalibration.",
    "debiased, delta": "Calibration error minus the part that is due to chance, with a delta-method variance.",
    "delta": "Delta method: a linearised variance on a scale on which the value is nearly normal.",
    "log scale": "Interval on the log scale, transformed back; for ratios.",
    "logit": "Interval on the logit scale, transformed back, so that it stays between 0 and 1.",
    "bootstrap percentile": "Quantiles of the values in bootstrap resamples.",
    "bootstrap bca": "Quantiles of resamples, corrected for bias and skewness (Efron 1987).",
    "multiplier bootstrap": "Simultaneous band for a curve: the influence of each row or cluster is multiplied by "
    "random numbers.",
    "image bootstrap": "Bootstrap over images, corrected for bias and for classes in few images.",
    "jackknife t, logit scale | jackknife t over images": "Jackknife: Student's t from leaving out each image or "
    "segment, on the logit scale.",
    "corrected t | corrected resampled t | corrected_t": "Student's t over splits with a variance corrected for "
    "shared training "
    "rows (Nadeau and Bengio 2003).",
    "naive t | naive_fold_interval | naive_fold_t": "Student's t over folds as if they were independent: too "
    "narrow, for comparison only.",
    "k-fold paired t | k-fold paired t (approximate) | kfold_t": "Student's t over the differences of two learners per "
    "fold; its type I error is too high.",
    "5x2cv t | 5x2cv f | 5x2cv | 5x2cv_t | 5x2cv_f": "Two learners over five divisions of the rows into halves, by "
    "Student's t with 5 "
    "degrees of freedom (Dietterich 1998) or by F with 10 and 5 (Alpaydin 1999).",
    "influence, logit | influence": "Linearised variance from the influence of each row or cluster, which is how much "
    "the value changes where it counts a little more; on the logit scale so that the interval stays between 0 and 1.",
    "order statistics": "Interval of a median or a quantile between two of the sorted values; it assumes no "
    "distribution.",
    "jackknife, ln(1 - r2)": "Jackknife variance of R² on the scale ln(1 - R²), transformed back.",
    "cover-hart from clopper-pearson": "Bounds on the Bayes error from the error of the nearest neighbour (Cover and "
    "Hart 1967), with the exact interval of that error.",
    "n =": "The number of training rows of this estimate.",
    "wilcoxon signed rank | wilcoxon": "Wilcoxon's test over data sets: are the differences symmetric around 0?",
    "q, segments permuted": "Cochran's Q with permuted rows: is the difference the same in all subgroups?",
    "chi-square, hits permuted": "Chi-square test with permuted rows: do all subgroups have the same proportion?",
    "swaps, interval by t | swaps, interval by resamples | swaps of images, interval by t | every swap of images": ""
    "Permutation test: swap the outputs of the two models at random, image by image or segment by segment, and "
    "count how often the difference is as large.",
    "none | identical | identical predictions": "Not tested: both models give identical predictions, or too few rows "
    "determine the metric.",
    "exact binomial | binomial | binomial test": "Exact test of a proportion (heldout test binomial).",
    "chi-square | chi-square, goodness of fit | chi-square, independence": "Pearson's chi-square test of counts "
    "(heldout test chi-square).",
    "likelihood-ratio | likelihood ratio | likelihood ratio, normal variance": "Most powerful test of two "
    "standard deviations (heldout test likelihood-ratio).",
    "proportions | z, pooled | z, unpooled": "z test of two independent proportions (heldout test proportions).",
    "10-fold | 5-fold": "Cross-validation with this number of folds.",
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
    for known in (name.lower(), plain, plain.replace("_", " "), plain.replace("_", "-"), plain.replace(" ", "-")):
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
