"""Verbs about learners: what error this learner has on data like mine, which of several is better, which to ship.

validation           validate: learners over splits
validations          what it gives
split_values         a metric's value on every split, and what each row adds where it is a mean
split_estimates      values over splits → an estimate that names its target
split_differences    two learners over the same splits → a difference, its test and verdict
"""
