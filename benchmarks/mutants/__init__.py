"""Mutation testing: change the code by one operator at a time, and see whether a test fails. `make mutants` runs it.

mutmut 3.8 leaves out functions with a decorator and everything at module level, which here are the corrections for
several tests, most formulas of intervals and the table of metrics. cosmic-ray 8.7 starts a process per mutant, 21 a
minute, and makes 1,008 of a file of 216 lines. So the operators, which are mutmut's without those that can only raise
a TypeError, are applied here, in forks of one process that has everything imported.
"""
