"""What is not compared, and where a tool and heldout rightly differ: two lists, with the reason of every line.

Rules go by area, tool, entry and data, never by the name of a case. OUTSIDE holds entries that are not answered.
CONVENTIONS holds answers that differ because the tool errs or counts another way: such a rule excuses single numbers,
and only where its condition shows that this is indeed the cause.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.oracles import causes
from tests.oracles.reader import Case, Mismatch


@dataclass(frozen=True, kw_only=True)
class Outside:
    """Entries that are not answered, and why."""

    why: str
    area: str = ".*"
    entry: str = ".*"
    """Pattern of the entry's name; parts are joined by a dot."""
    given: Callable[[Case], bool] = lambda case: True
    later: bool = False
    """Whether a later version will answer."""

    def covers(self, case: Case, entry: str) -> bool:
        here = re.fullmatch(self.area, case.area) and re.fullmatch(self.entry, entry)
        return bool(here) and self.given(case)


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Numbers that differ for a good reason."""

    why: str
    area: str
    entry: str
    when: Callable[[Case, Mismatch], bool]
    """Whether the data and the two numbers show that this is the cause."""
    oracle: str = ""
    """Part of the tool's name."""

    def covers(self, case: Case, entry: str, found: Mismatch) -> bool:
        here = re.fullmatch(self.area, case.area) and re.fullmatch(self.entry, entry) and self.oracle in case.oracle
        return bool(here) and self.when(case, found)


OUTSIDE = (
    Outside(
        area="paired-auc",
        entry="[zp]_sd_over_seeds",
        why="how much the tool's answer varies with its seed says nothing about the areas",
    ),
    Outside(
        area="paired-diagnostic",
        entry=r".*\.(method|ci\.method|alpha|cont\.corr)",
        why="words and settings, no numbers",
    ),
    Outside(
        area="paired-diagnostic",
        entry=r"sesp_diff_ci_wald\..*",
        why="Wald's interval of a paired difference is not offered",
    ),
    Outside(
        area="paired-diagnostic",
        entry=r"pv_gs\..*",
        why="the generalized score without weights does not become the z of two shares where no row is shared; "
        "the weighted one does, and is offered",
    ),
    Outside(
        area="paired-diagnostic",
        entry=r"(pv_rpv|dlr_regtest)\..*",
        why="two models are compared by differences, not by ratios",
    ),
    Outside(
        area="confusion",
        entry=r"overall\.McnemarPValue",
        given=lambda case: "positive" not in case.params,
        why="Bowker's test of a symmetric table is not offered",
    ),
    Outside(
        area="agreement",
        entry="irr_z",
        why="kappa has an interval, but no test of agreement being all by chance",
    ),
    Outside(
        area="power",
        entry="pwr_arcsine_.*|ztest2_.*",
        why="power by arcsines is not offered: it is that of a test that is not offered",
    ),
    Outside(
        area="bootstrap-632",
        entry="e0_sd",
        why="how much the tool's answer varies with its draws says nothing about other rows",
    ),
    Outside(
        area="two-learners-one-set",
        entry=r"result\.correlation",
        why="the correlation of two learners' values over folds is not offered",
    ),
    Outside(area="model-confidence-set", why="the set not told from the best is made another way"),
    Outside(area="mcnemar", entry="OR_exact_ci95", why="ratios of odds are not offered"),
    Outside(
        area="two-proportions",
        entry="prop.test_cc.*|fisher_p|ratio_score|p_agresti_caffo|p_score",
        why="continuity corrections, Fisher's test, ratios, and p-values of the other intervals are not offered",
    ),
    Outside(area="paired-proportion-diff", entry="wald", why="Wald's interval of a paired difference is not offered"),
    Outside(area="chi2", entry="fisher|g_test", why="Fisher's exact test and the G test are not offered"),
    Outside(area="p-adjust", entry="hommel|BY|holm-sidak|fdr_by|fdr_tsbh", why="other adjustments are not offered"),
    Outside(area="many-models", entry="cochran_q|mlxtend_.*", why="tests of all models at once are not offered"),
    Outside(area="bayes-signed-rank", entry="sign_rope", why="the Bayesian sign test is not offered"),
    Outside(
        area="many-learners",
        entry="quade_.*|conover_.*|posthoc_conover_.*|shaffer|bergmann_hommel|autorank_(omnibus|posthoc)|nemenyi_names.*",
        why="Quade's, Conover's, Shaffer's and Bergmann's procedures are not offered; names hold no number",
    ),
    Outside(
        area="many-learners",
        entry="nemenyi_CD_05_scmamp_finite_df",
        why="the tool takes the range with finite degrees of freedom, where the variance of ranks is known",
    ),
    Outside(area="probabilistic-regression", why="scores of predictive distributions (CRPS …) are not offered"),
    Outside(
        area="agreement", given=lambda case: "krippendorff" in case.oracle, why="Krippendorff's alpha is not offered"
    ),
    Outside(
        area="confusion",
        entry="byClass_(columns|rows)",
        why="the names of lines and columns, by which byClass is answered",
    ),
    Outside(
        area="confusion-ci",
        entry=r"(exact|wilson)\.(youden|nndx)",
        why="the tool adds up the limits of sensitivity and specificity, which is not an interval method for their sum",
    ),
    Outside(
        area="multiclass-labels",
        entry="Kappa Standard Error|Kappa 95% CI",
        why="kappa's standard error of 1960, superseded by that of 1969, which is compared under agreement",
    ),
    Outside(
        area="multiclass-labels",
        entry="Kappa Unbiased|Kappa No Prevalence|Scott PI|Gwet AC1|Bennett S",
        why="other coefficients of agreement are not offered",
    ),
    Outside(
        area="multiclass-labels",
        entry="Chi-Squared|Chi-Squared DF|Phi-Squared|Cramer V|Mutual Information|KL Divergence|Lambda [AB]",
        why="measures of association are not offered",
    ),
    Outside(
        area="multiclass-labels",
        entry="Overall CEN|RR|CBA|ACC Macro",
        why="confusion entropy, class balance accuracy and the like are not offered",
    ),
    Outside(
        area="pr|proper-scores",
        entry="aucpr_.*|auc_prc|prauc_.*",
        why="the area under an interpolated precision-recall curve is not average precision, and is not offered",
    ),
    Outside(area="roc", entry="H", why="the H-measure is not offered"),
    Outside(area="calibration", entry=r"val\.prob\.R2", why="Nagelkerke's R² is not offered"),
    Outside(area="calibration", entry=r"val\.prob\.(Emax|E90|Eavg)", why="distances from a lowess fit are not offered"),
    Outside(area="calibration", entry=r"val\.prob\.S:[zp]", why="Spiegelhalter's test is not offered"),
    Outside(area="calibration", entry=r"g\d+\..*", why="the Hosmer-Lemeshow test is not offered"),
    Outside(area="calibration", entry="uc_l1_debiased", why="the tool corrects by a random simulation of its own"),
    Outside(
        area="proportion-ci",
        entry="bayes|cloglog|probit|binom_test",
        why="highest-density, cloglog, probit and minimum-likelihood intervals are not offered",
    ),
    Outside(area="multinomial-ci", entry="sison_glaz", why="Sison and Glaz' intervals are not offered"),
    Outside(area="regression", entry="smape", why="the symmetric percentage error is not offered"),
    Outside(area="regression", entry="pearson|spearman|kendall|ccc.*", why="correlations are not offered"),
    Outside(area="interval-forecast", entry="coverage", why="interval forecasts are not a task yet"),
    Outside(
        area="weka-evaluation",
        entry="mean_absolute_error|relative_.*|root_relative_.*|prior_.*|kb_.*",
        why="absolute errors of probabilities, and what needs the training data's prior, are not offered",
    ),
    Outside(
        area="bootstrap-ci",
        entry="bias|se|norm\\d+|acceleration|z0",
        why="arithmetic on the stored draws: heldout offers percentile, basic and BCa limits, which are compared",
    ),
)

CLIPPED = "the tool clips probabilities of zero; where one was given to what happened, the loss is infinite"

CONVENTIONS = (
    Convention(
        area="paired-text",
        entry=r"results\..*",
        oracle="sacrebleu",
        when=lambda case, found: (
            found.path.endswith(".p") and "bootstrap" in case.params["test"] and found.want < found.got
        ),
        why="the tool takes the mean of absolute differences from them, which makes the test one-sided: it rejects 12% "
        "of true nulls at 5%",
    ),
    Convention(
        area="ngram",
        entry="rouge",
        when=lambda case, found: found.path.endswith(".rougeL"),
        why="the longest common subsequence is no n-gram, and is not offered",
    ),
    Convention(
        area="ngram",
        entry="nltk_sentence_bleu_method1",
        when=lambda case, found: (
            len(case.params["candidate_reference"][int(found.path[-2])][0].split()) < 4 and found.got == 0
        ),
        why="the tool counts one 4-gram where a text of three words has none",
    ),
    Convention(
        area="proportion-ci",
        entry="lrt",
        oracle="binom",
        when=causes.off_by(1e-4),
        why="the tool solves for the likelihood-ratio limits with a loose tolerance (errors up to 3e-5)",
    ),
    Convention(
        area="proportion-ci",
        entry="jeffreys",
        oracle="statsmodels",
        when=lambda case, found: causes.extreme(case, found) and found.got in (0.0, 1.0),
        why="with no or only successes Jeffreys' interval must reach 0 or 1; the tool's does not",
    ),
    Convention(
        area="proportion-ci",
        entry="normal",
        oracle="statsmodels",
        when=causes.extreme,
        why="with no or only successes the normal interval has no width; Wilson's is given in its place",
    ),
    Convention(
        area="proportion-ci",
        entry="blaker",
        oracle="exactci",
        when=lambda case, found: found.want is None,
        why="the tool was not asked for Blaker's interval of so many rows",
    ),
    Convention(
        area="probability|probability-weighted|proper-scores|multiclass-probability",
        entry="log_loss.*|logloss_.*|MLmetrics_LogLoss|d2_log_loss",
        when=causes.infinite,
        why=CLIPPED,
    ),
    Convention(area="weka-evaluation", entry="informational_loss_.*", oracle="weka", when=causes.infinite, why=CLIPPED),
    Convention(
        area="proper-scores",
        entry="MLmetrics_(Gini|KS)",
        oracle="MLmetrics",
        when=causes.breaks_ties,
        why="the tool breaks ties by the order of the rows",
    ),
    Convention(
        area="threshold-sweep|confusion",
        entry=r"f1|byClass(\.F1)?",
        when=lambda case, found: causes.not_a_number(case, found) and found.got == 0,
        why="without true positives F1 is 2 TP / (2 TP + FP + FN) = 0; the tool divides by recall + precision = 0",
    ),
    Convention(
        area="labels|labels-weighted|multiclass-labels|confusion|weka-evaluation",
        entry=".*",
        when=causes.absent,
        why="the tool counts an undefined ratio (0/0) as 0 or leaves it out, also in averages; here it is undefined",
    ),
    Convention(
        area="labels",
        entry="lr_plus_minus",
        oracle="scikit-learn",
        when=lambda case, found: causes.infinite(case, found) and causes.not_a_number(case, found),
        why="a likelihood ratio over zero is infinite; the tool calls it undefined",
    ),
    Convention(
        area="confusion-ci",
        entry=r"(exact|wilson)\.(lr\.pos|lr\.neg|diag\.or)",
        oracle="epiR",
        when=causes.empty_cell,
        why="the tool has no interval of a ratio with an empty cell; half a row is added to every cell here",
    ),
    Convention(
        area="agreement|multiclass-labels",
        entry=r"psych_ci95_unweighted\..*|vcd_unweighted\.ASE|95% CI|Standard Error",
        when=causes.cut,
        why="limits are cut at the ends of the range, and no interval has zero width",
    ),
    Convention(
        area="roc",
        entry="var_delong|ci\\d+_delong",
        oracle="pROC",
        when=lambda case, found: causes.separated(case, found) or causes.not_a_number(case, found),
        why="separated classes, or one with a single row, have no DeLong variance; Newcombe's form is given",
    ),
    Convention(
        area="roc",
        entry="pauc_.*_corrected",
        oracle="pROC",
        when=causes.not_a_number,
        why="the tool gives no standardized partial area below that of guessing; the formula holds there too",
    ),
    Convention(
        area="roc",
        entry="ci_s[ep]_at_.*",
        oracle="pROC",
        when=causes.within_half_its_width,
        why="the tool's band is a stratified bootstrap of the interpolated curve, skew where the curve bends; "
        "here it rests on the curve's influence and Wilson's interval",
    ),
    Convention(
        area="roc",
        entry="AUC|AUCH|KS|Gini",
        oracle="hmeasure",
        when=causes.worse_than_guessing,
        why="the tool turns scores round that rank worse than guessing",
    ),
    Convention(
        area="threshold-sweep",
        entry="rch_(fpr|tpr)",
        oracle="ROCR",
        when=causes.straight,
        why="the tool keeps points on a straight edge of the hull, by rounding; they are no corners",
    ),
    Convention(
        area="curves",
        entry="det_eer|torchmetrics_eer",
        when=causes.within_a_step,
        why="the tool averages both error rates at the nearest threshold; they cross between thresholds",
    ),
    Convention(
        area="calibration",
        entry=r"val\.prob\.(Dxy|C \(ROC\))",
        oracle="rms",
        when=causes.grouped,
        why="the tool takes the area from a logistic fit stopped after one step, with grouped probabilities",
    ),
    Convention(
        area="calibration|multiclass-probability",
        entry=r"(l1|l2|max)_\d+bins|ece_\d+bins_top_label|netcal_.*",
        when=causes.upper_bin,
        why="a probability on the edge of a bin falls into the upper bin, and 1 into a bin of its own, in the tool; "
        "here it belongs to the lower bin",
    ),
    Convention(
        area="multiclass-probability",
        entry=r"ece_\d+bins_top_label",
        oracle="torch",
        when=causes.off_by(1e-6),
        why="the tool adds up in single precision",
    ),
    Convention(
        area="calibration",
        entry=r"quantile\d+",
        oracle="scikit-learn",
        when=causes.interpolated_bins,
        why="the tool's bins end at interpolated quantiles; here they hold equally many rows, as far as ties allow",
    ),
    Convention(
        area="calibration",
        entry="uc_.*",
        oracle="uncertainty-calibration",
        when=causes.tied,
        why="the tool splits tied probabilities between bins; here equal values stay together",
    ),
    Convention(
        area="regression",
        entry="mape|rmspe_mlmetrics",
        when=causes.zero_target,
        why="a target of zero makes a percentage error undefined, and the row is named; the tool divides by it",
    ),
    Convention(
        area="two-learners-many-sets",
        entry="V|p_.*|coin_exact_.*|.*_approx",
        when=causes.equal_but_for_rounding,
        why="differences that are equal but for rounding share a rank; the tool ranks them apart",
    ),
    Convention(
        area="two-proportions",
        entry="diff_score",
        oracle="statsmodels",
        when=causes.off_the_score_limit,
        why="the tool's limits are not where the score statistic is z; two other tools have ours",
    ),
    Convention(
        area="paired-diagnostic",
        entry=r"sesp_diff_ci_tango\..*",
        oracle="DTComPair",
        when=causes.turned_round,
        why="where Tango's interval holds 0 the tool gives that of the other difference, which is not around its own",
    ),
    Convention(
        area="power",
        entry="power_2indep",
        oracle="statsmodels",
        when=causes.far_tail,
        why="the tool counts the chance to find the worse model better as power",
    ),
    Convention(
        area="power",
        entry="samplesize_ci_halfwidth_.*",
        oracle="statsmodels",
        when=causes.of_normal_width,
        why="the tool plans for the normal interval; here the rows are those of Wilson's",
    ),
    Convention(
        area="ci-generalisation-error",
        entry="est_lower_upper",
        oracle="mlr3inferr",
        when=causes.normal_quantile,
        why="of a holdout the tool takes the normal quantile; Student's, with n - 1 degrees of freedom, is taken here",
    ),
    Convention(
        area="bias-variance",
        entry="expected_loss_bias_variance",
        oracle="mlxtend",
        when=causes.all_that_disagree,
        why="where the main prediction is wrong, leaving it for the right class lowers the loss: such variance is "
        "taken off here, so that the parts add up; the tool adds all variance",
    ),
    Convention(
        area="bias-variance",
        entry="expected_loss_bias_variance",
        oracle="mlxtend",
        when=causes.for_few_rounds,
        why="the tool's squared bias holds a share of the variance, 1 / (n - 1) of n rounds; here it is taken out",
    ),
)
