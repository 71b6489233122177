"""How many rows a question needs, before they are collected.

>>> from heldout import plan
>>> plan.interval("accuracy", 0.85, half_width=0.02).rows
1225
>>> plan.difference("accuracy", 0.85, gain=0.02, disagree=0.08).rows
1556
>>> plan.looks(5).inflation < 1.03
True
>>> plan.bound("sensitivity", 0.90, lower_bound=0.80, prevalence=0.15).rows
721
"""

from heldout.verbs.plan.look_plan import LookPlan, PlannedLook, looks
from heldout.verbs.plan.plan import Design, Plan, bound, difference, interval, power

__all__ = ["Design", "LookPlan", "Plan", "PlannedLook", "bound", "difference", "interval", "looks", "power"]
