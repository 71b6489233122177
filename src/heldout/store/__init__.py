"""Runs that survive: finished pieces of work and recorded results in a folder that a crash cannot spoil.

    >>> import tempfile
    >>> store = open_store(tempfile.mkdtemp())
    >>> key = work(data=[1, 2, 3], learner="majority", split=([0, 1], [2]), seed=0)
    >>> store.keep(key, {"row": [2], "prediction": [1]})
    True
    >>> store.piece(key).to_pydict()
    {'row': [2], 'prediction': [1]}

A piece is written whole, under a temporary name, before the index hears of it; what the index does not vouch for is
computed anew. Nothing here knows a learner: keys are hashes, pieces are tables.
"""

from __future__ import annotations

from heldout.store.folder import Pieces, Store, open_store
from heldout.store.hashes import Key, fingerprint, rows_fingerprint, rows_keys, work
from heldout.store.records import Record

__all__ = ["Key", "Pieces", "Record", "Store", "fingerprint", "open_store", "rows_fingerprint", "rows_keys", "work"]
