"""Textbook tests of counts and numbers, each with its decision in words and the effect beside the p-value.

>>> from heldout import test
>>> test.binomial(15, 20, alternative="greater").decision
'reject'
>>> round(test.chi_square([10, 15, 8, 20]).pvalue, 3)
0.088
"""

from heldout.verbs.textbook_test import TextbookTest, binomial, chi_square, likelihood_ratio, proportions

__all__ = ["TextbookTest", "binomial", "chi_square", "likelihood_ratio", "proportions"]
