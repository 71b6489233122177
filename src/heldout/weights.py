"""How often each unit counts, one line per resample: resampling is weighing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from heldout.batch import Array
from heldout.compiled import kernel

Block = Callable[[], Array]
"""Some lines of weights, made when called. Blocks have seeds of their own: the order of calls changes nothing."""

CELLS_AT_ONCE = 500_000
"""How many weights are made at a time: 4 MB."""
DRAWN_ROW_BY_ROW = 8
"""Up to so many units per line it is faster to draw units and count them than to draw the counts."""


def bootstrap(counts: Array, draws: int, seed: Sequence[int], lines: int | None = None) -> list[Block]:
    """Draws of as many units as there are, with replacement, in blocks of lines.

    `counts` tells how many units are alike: drawing cells is drawing rows. Counts that sum to n give weights that do.
    `lines` is the number of lines in a block; without it, what memory allows.

    >>> (block,) = bootstrap(np.array([3, 1]), 5, [0])
    >>> block().shape, block().sum(axis=1).tolist()
    ((5, 2), [4, 4, 4, 4, 4])
    """
    total = int(counts.sum())
    row_by_row = total <= DRAWN_ROW_BY_ROW * len(counts) and not np.any(counts % 1)
    size = lines or lines_at_once(max(total, len(counts)) if row_by_row else len(counts))
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts.astype(np.int64)) if row_by_row else None

    def block(number: int) -> Block:
        rows = min(size, draws - number * size)

        def made() -> Array:
            rng = np.random.default_rng([*seed, number])
            if owner is None:
                return rng.multinomial(total, counts / counts.sum(), size=rows)
            return _counted(owner, len(counts), rows, rng)

        return made

    return [block(number) for number in range(-(-draws // size))]


def _counted(owner: Array, columns: int, rows: int, rng: np.random.Generator) -> Array:
    """Draw units with NumPy's PCG64 [oneill14], bounded by Lemire's method [lemire19], and count them by line."""
    each = np.array_equal(owner, np.arange(columns))  # every unit is a column of its own: nothing to look up
    draw = kernel("draw_counts", rows * len(owner)) if 1 < len(owner) < 1 << 31 else None
    if draw is not None:
        found = np.empty((rows, columns), dtype=np.int32)
        state = rng.bit_generator.state["state"]
        words = [part >> shift & 2**64 - 1 for part in (state["state"], state["inc"]) for shift in (64, 0)]
        draw(np.array(words, dtype=np.uint64), None if each else owner, len(owner), columns, rows, found)
        return found
    drawn = rng.integers(0, len(owner), size=(rows, len(owner)), dtype=np.int32)  # half the random bits of int64
    found = np.empty((rows, columns), dtype=np.int32)
    for at, line in enumerate(drawn):
        found[at] = np.bincount(line if each else owner[line], minlength=columns)
    return found


def bootstrap_units(units: int, draws: int, seed: Sequence[int]) -> list[Block]:
    """Draws of as many units as there are, with replacement, every unit a column: in single precision, to multiply.

    As `bootstrap` draws where no two units are alike, but faster and from other random numbers: units that are drawn
    are the ones of a sparse matrix, and to fill it up is to count them.

    >>> (block,) = bootstrap_units(3, 5, [0])
    >>> block().shape, block().sum(axis=1).tolist()
    ((5, 3), [3.0, 3.0, 3.0, 3.0, 3.0])
    """
    size = min(2 * lines_at_once(units), draws)  # half as wide as other weights
    once = np.ones(size * units, dtype=np.float32)

    def block(number: int) -> Block:
        rows = min(size, draws - number * size)

        def made() -> Array:
            from scipy.sparse import csr_array

            drawn = two_of_each(np.random.default_rng([*seed, number]), units, rows * units)
            starts = np.arange(0, rows * units + 1, units, dtype=np.int32)
            filled: Array = csr_array((once[: rows * units], drawn, starts), shape=(rows, units)).toarray()
            return filled

        return made

    return [block(number) for number in range(-(-draws // size))]


def two_of_each(rng: np.random.Generator, units: int, count: int) -> Array:
    """So many units, equally likely, two from each random number below units²: its quotient by units, and the rest.

    >>> sorted(set(two_of_each(np.random.default_rng(0), 3, 100).tolist()))
    [0, 1, 2]
    """
    bits = np.uint32 if units < 1 << 16 else np.uint64
    both = rng.integers(0, units * units, size=-(-count // 2), dtype=bits)
    first = both // bits(units)
    return np.concatenate([first, both - first * bits(units)], dtype=np.int32, casting="unsafe")[:count]


def lines_at_once(columns: int) -> int:
    """How many lines of so many columns are made at a time."""
    return max(1, CELLS_AT_ONCE // max(columns, 1))


def content_order(*columns: Array) -> Array:
    """Positions of units in an order that hangs on what they hold, not on where they stand, to draw them in.

    Resamples name units by position. With units in this order a seed gives the same resamples however rows were
    sorted. Units whose keys are equal hold the same, and may change places.

    >>> content_order(np.array([3.0, 1.0, 2.0])).tolist()
    [1, 2, 0]
    """
    return np.argsort(content_key(*columns), kind="stable")


def content_key(*columns: Array) -> Array:
    """One number for what each unit holds: its columns on one scale, added up with fixed coefficients.

    On one scale, because weights that are all scaled change nothing.
    """
    flat = [column.reshape(len(column), -1) for column in columns]
    coefficients = _coefficients(sum(part.shape[1] for part in flat))
    key, at = np.zeros(len(flat[0])), 0
    for part in flat:
        finite = np.nan_to_num(part.astype(float, copy=False), posinf=FAR, neginf=-FAR)
        scaled = finite / (np.abs(finite).max(initial=0.0) or 1.0)
        for column in scaled.T:  # a product of matrices would round by where a row stands
            key += column * coefficients[at]
            at += 1
    return key


@lru_cache(maxsize=32)
def _coefficients(count: int) -> Array:
    """So many numbers without any simple relation."""
    return np.random.default_rng(71).random(count) + 0.5


def cluster_order(codes: Array, weight: Array | None, unit: Array, units: int) -> Array:
    """The same for units of several rows, each of which has a whole number that says what it holds, and a weight.

    >>> cluster_order(np.array([5, 2, 2, 5]), None, np.array([0, 0, 1, 1]), 2).tolist()
    [0, 1]
    """
    hashed = mixed(codes.astype(np.uint64) * np.uint64(GOLDEN)).astype(float) / 2.0**64 + 0.5
    return content_order(np.bincount(unit, weights=hashed if weight is None else hashed * weight, minlength=units))


def places(order: Array) -> Array:
    """Where each unit stands in an order: the other way round.

    >>> places(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    found = np.empty_like(order)
    found[order] = np.arange(len(order))
    return found


FAR = 1e150
"""What stands for infinite in an order."""
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
GOLDEN = 0x9E3779B97F4A7C15
OF_65536 = (24109, 24109, 12056, 4018, 1005, 200, 33, 5, 1)
"""How many of 65,536 equally likely numbers count 0, 1, 2, ... times: the chances of Poisson with mean one, rounded;
one number was moved from 5 to 2, so that mean and variance are exactly one."""
POISSON = np.repeat(np.arange(len(OF_65536), dtype=np.uint8), OF_65536)


def mixed(words: Array) -> Array:
    """Words of 64 bits, each bit of which hangs on all bits given: one-to-one, by shifts and products [steele14].

    >>> mixed(np.array([0, 1], dtype=np.uint64)).tolist()
    [0, 6238072747940578789]
    """
    found = words ^ (words >> np.uint64(30))
    found *= MIX[0]
    found ^= found >> np.uint64(27)
    found *= MIX[1]
    found ^= found >> np.uint64(31)
    return found


def poisson(seed: int, draws: int, unit_hashes: Array, first: int = 0) -> Array:
    """How often each unit counts in each resample: Poisson with mean one, from a hash of seed, draw and unit.

    Every unit draws for itself [chamandy12], so that a unit counts the same in all chunks with rows of it, on every
    worker. Seed and draw are mixed before the unit is: other seeds are not shifted copies of the same numbers.
    One hash of 64 bits serves four resamples; `first`, the number of resamples that come before, is a multiple of four.

    >>> poisson(0, 3, np.array([7, 8], dtype=np.uint64)).shape
    (3, 2)
    """
    start = mixed(np.array([(seed + 1) * GOLDEN % 2**64], dtype=np.uint64))
    fours = np.arange(first // 4, -(-(first + draws) // 4), dtype=np.uint64)
    keys = mixed(start + fours * np.uint64(GOLDEN))
    words = mixed(unit_hashes[None, :] ^ keys[:, None]).astype("<u8", copy=False)
    quarters = words.view("<u2").reshape(len(keys), len(unit_hashes), 4)
    return POISSON[quarters.transpose(0, 2, 1)].reshape(-1, len(unit_hashes))[:draws]
