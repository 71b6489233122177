"""Comparisons: is a difference real? Numbers in, an `Outcome` (or a p-value, or an interval) out.

    discordance     two models on the same rows, right or wrong: McNemar, Tango
    independent     two samples that share no row: Newcombe, Miettinen-Nurminen, Welch, areas, the textbook z
    losses          the mean of paired differences: sign flips, t, bootstrap-t
    adjustments     many p-values at once: Holm, Hochberg, Benjamini-Hochberg ...
    simultaneous    many differences at once, from their joint influence; the best of many and its optimism
    signed_ranks    paired differences by rank: Wilcoxon, Bayesian signed rank
    many_sets       learners over data sets: average ranks, Friedman, Nemenyi, Holm over Wilcoxon
    classical       textbook tests with the words for their decision: binomial, chi-square, likelihood ratio
    neyman_pearson  a threshold whose false positive rate is certified

Nothing here reads a row or chooses a test. Every p-value is two-sided unless a function asks for the side.
"""
