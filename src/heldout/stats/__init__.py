"""Comparisons: is a difference real? Numbers in, an `Outcome` (or a p-value, or an interval) out.

    discordance     two models on the same rows, right or wrong: McNemar, Tango
    predictive      precision, or negative predictive value, of two models on the same rows
    independent     two samples that share no row: Newcombe, Miettinen-Nurminen, Welch, areas, the textbook z
    inversion       the p-value that an interval gives
    losses          the mean of paired differences: sign flips, t, bootstrap-t
    adjustments     many p-values at once: Holm, Hochberg, Benjamini-Hochberg ...
    simultaneous    many differences at once, from their joint influence; the best of many and its optimism
    heterogeneity   one value in every segment? One test, and the largest gap that is supported
    signed_ranks    paired differences by rank: Wilcoxon, Bayesian signed rank
    many_sets       learners over data sets: average ranks, Friedman, Nemenyi, Holm over Wilcoxon
    resampled       two learners over the splits of one data set: corrected t, 5x2cv, Bayesian correlated t
    classical       textbook tests with the words for their decision: binomial, chi-square, likelihood ratio
    noncentral      how far off a chi-square statistic says that the null hypothesis is
    givens          what a textbook test is given, checked
    neyman_pearson  a threshold whose false positive rate is certified

Nothing here reads a row or chooses a test. Every p-value is two-sided unless a function asks for the side.
"""
