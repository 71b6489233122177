"""Choosing among learners and their parameters, and what the choice costs.

candidates        learners with the values of their parameters that may be chosen
candidate_files   the same from candidates.toml or candidates.py
searching         which configurations are tried: a grid, random draws, or a search guided by what was found
samplers          Optuna's samplers by name
annealing         simulated annealing as one more of them
trials            configurations fitted and judged on validation parts
protocols         which rows choose, which judge
choosing          the winner, what is within noise of it, the simplest of those
"""

from __future__ import annotations

from heldout.search.candidates import Candidate, Configuration, Range, candidates_in, candidates_named
from heldout.search.protocols import Protocol, protocol
from heldout.search.strategies import Search, searched
from heldout.search.trials import Trial, Work, fits_counted
from heldout.search.winner import Choice, chosen

__all__ = [
    "Candidate",
    "Choice",
    "Configuration",
    "Protocol",
    "Range",
    "Search",
    "Trial",
    "Work",
    "candidates_in",
    "candidates_named",
    "chosen",
    "fits_counted",
    "protocol",
    "searched",
]
