"""Candidates, the search among them, and how the chosen one is evaluated: what selection costs."""

from __future__ import annotations

from heldout.search.candidates import Candidate, Configuration, Range, candidates_in, candidates_named
from heldout.search.protocols import Protocol, known_protocol, parts_of
from heldout.search.strategies import Search, searched
from heldout.search.trials import Choice, Trial, Work, chosen, fits_counted

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
    "known_protocol",
    "parts_of",
    "searched",
]
